#!/usr/bin/env bash
# Shows FDT at work on this machine: makes a tree of about 300 MB, serves it, fetches it over loopback with 7 streams,
# and compares both trees: names, bytes, modes, times and links. Needs java, bash, coreutils, find and diff.
set -euo pipefail

JAR=${JAR:-$(dirname "$0")/../fdt-cli/target/fdt.jar}
JAVA=${JAVA:-java}
READY_SECONDS=20

if [ ! -f "$JAR" ]; then
  echo "demo: $JAR is missing; build it first: make build" >&2
  exit 1
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/fdt-demo.XXXXXX")
export FDT_HOME=$work/home
server=
finish() {
  if [ -n "$server" ]; then
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
  fi
  chmod -R u+rwX "$work" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# bytes COUNT FILE: content that does not compress
bytes() {
  head -c "$1" /dev/urandom >"$2"
}

make_tree() {
  local root=$1 d f
  mkdir -p "$root"
  bytes 134217728 "$root/one large file.bin"
  for d in 1 2 3 4; do
    bytes 33554432 "$root/large-$d.bin"
  done
  for d in $(seq 1 12); do
    mkdir -p "$root/run$d/raw/deep"
    for f in $(seq 1 15); do
      bytes $((f * f * f * 97 + d)) "$root/run$d/raw/deep/event-$f.dat"
    done
    bytes 1048576 "$root/run$d/raw/header.dat"
  done
  mkdir "$root/an empty directory"
  : >"$root/empty file"
  printf 'a name in UTF-8, with blanks\n' >"$root/Größe und Maß – 測定.txt"
  printf '#!/bin/sh\necho FDT\n' >"$root/script.sh"
  chmod 750 "$root/script.sh"
  chmod 640 "$root/large-1.bin"
  chmod 700 "$root/run1"
  ln -s "large-1.bin" "$root/a link"
  ln -s "nowhere/at/all" "$root/a dangling link"
  touch -d '2001-02-03 04:05:06.789 UTC' "$root/large-2.bin"
  touch -d '1999-12-31 23:59:59 UTC' "$root/an empty directory"
}

# attributes DIR: kind, mode, size, time of modification and target of everything beneath it
# (a directory's size and a link's mode belong to the file system, a link's own time to nobody)
attributes() {
  (
    cd "$1"
    find . -type d -printf 'd %m - %T@ %p\0' -o -type l -printf 'l - - - %p -> %l\0' \
      -o -printf '%y %m %s %T@ %p\0' | LC_ALL=C sort -z | tr '\0' '\n'
  )
}

echo "== making a tree of about 300 MB in $work/source"
make_tree "$work/source"
files=$(find "$work/source" -type f | wc -l)
size=$(du -sh --apparent-size "$work/source" | cut -f1)

echo "== java -jar fdt.jar serve --port 0 --export demo=$work/source"
"$JAVA" -jar "$JAR" serve --port 0 --bind 127.0.0.1 --export "demo=$work/source" \
  >"$work/server.out" 2>"$work/server.err" &
server=$!

port=
deadline=$((SECONDS + READY_SECONDS))
while [ -z "$port" ]; do
  port=$(sed -n 's/^READY port=\([0-9][0-9]*\)$/\1/p' "$work/server.out")
  if [ -z "$port" ]; then
    if ! kill -0 "$server" 2>/dev/null || [ "$SECONDS" -ge "$deadline" ]; then
      echo "demo: the server did not become ready within $READY_SECONDS s:" >&2
      cat "$work/server.out" "$work/server.err" >&2
      exit 1
    fi
    sleep 0.1
  fi
done

mkdir "$work/copy"
echo "== java -jar fdt.jar -c localhost -p $port -P 7 -r /demo   ($files files, $size)"
jar=$(cd "$(dirname "$JAR")" && pwd)/$(basename "$JAR")
status=0
(cd "$work/copy" && "$JAVA" -jar "$jar" -c localhost -p "$port" -P 7 -r /demo | tee "$work/client.out") || status=$?
if [ "$status" -ne 0 ]; then
  echo "demo: the client ended with exit status $status; the server said:" >&2
  cat "$work/server.err" >&2
  exit "$status"
fi

echo "== comparing both trees"
diff -r --no-dereference "$work/source" "$work/copy/demo"
attributes "$work/source" >"$work/source.attributes"
attributes "$work/copy/demo" >"$work/copy.attributes"
diff "$work/source.attributes" "$work/copy.attributes"

rate=$(sed -n 's/^done: .*(\([0-9.]* [kMGT]*bit\/s\)).*/\1/p' "$work/client.out")
echo "demo: both trees are the same; rate ${rate:-unknown}"
