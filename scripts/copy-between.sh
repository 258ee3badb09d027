#!/usr/bin/env bash
# Copies a small odd tree from a server and back to it, with these two commands, and compares digests.
# Usage: copy-between.sh SERVER CLIENT          each the words of a command, for example 'java -jar fdt.jar'
set -euo pipefail
read -ra server <<<"$1"
read -ra client <<<"$2"
root=$(mktemp -d)
export FDT_HOME=$root/home FDT_CACHE=off

mkdir -p "$root/data/empty" "$root/data/d é" "$root/in" "$root/got"
head -c 9000000 /dev/urandom >"$root/data/large"
head -c 1000003 /dev/zero | tr '\0' x >"$root/data/d é/x *"
for i in $(seq 300); do echo "$i" >"$root/data/d é/$i"; done
: >"$root/data/nothing"
ln -s 'd é/1' "$root/data/link"

"${server[@]}" serve --bind 127.0.0.1 --port 0 data="$root/data" in="$root/in:rw" >"$root/out" 2>"$root/log" &
pid=$!
trap 'kill $pid 2>/dev/null || true; wait $pid || true; rm -rf "$root"' EXIT
for _ in $(seq 600); do
  port=$(sed -n 's/^READY port=//p' "$root/out")
  if [ -n "$port" ] || ! kill -0 "$pid" 2>/dev/null; then break; fi
  sleep 0.2
done
[ -n "$port" ] || { echo "copy-between: the server did not start: $1" >&2; cat "$root/log" >&2; exit 1; }

# Kind, mode, second and name of each, targets of links, and digests of files.
tree() {
  cd "$1"
  find . -mindepth 1 ! -type l -printf '%y %m %Ts %p\n' -o -type l -printf '%p -> %l\n' | sort
  find . -type f -exec sha256sum {} + | sort -k 2
}
"${client[@]}" copy -r -q "fdt://127.0.0.1:$port/data/" "$root/got/"
"${client[@]}" copy -r -q "$root/got/" "fdt://127.0.0.1:$port/in/"
for copy in got in; do
  diff <(tree "$root/data") <(tree "$root/$copy") || { echo "copy-between: $copy differs from data" >&2; exit 1; }
done
echo "$(find "$root/in" -type f | wc -l) files there and back, equal"
