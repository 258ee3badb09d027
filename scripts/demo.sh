#!/usr/bin/env bash
# Shows FDT at work on this machine: makes a tree of about 300 MB, serves it, fetches it over loopback with 7 streams,
# and compares both trees: names, bytes, modes, times and links. Needs java, bash, coreutils, find and diff.
set -euo pipefail

JAR=${JAR:-$(dirname "$0")/../fdt-cli/target/fdt.jar}
JAVA=${JAVA:-java}
# Generous: a loaded machine is slow, but no step may hang.
READY_SECONDS=60
STEP_SECONDS=300
STOP_SECONDS=10

if [ ! -f "$JAR" ]; then
  echo "demo: $JAR is missing; build it first: make build" >&2
  exit 1
fi
jar=$(cd "$(dirname "$JAR")" && pwd)/$(basename "$JAR")

work=$(mktemp -d "${TMPDIR:-/tmp}/fdt-demo.XXXXXX")
export FDT_HOME=$work/home
server=
step=

# stop PID: ends a child of this shell with SIGTERM, and with SIGKILL if it is still there after STOP_SECONDS
stop() {
  local deadline=$((SECONDS + STOP_SECONDS))
  kill "$1" 2>/dev/null || true
  while kill -0 "$1" 2>/dev/null; do
    if [ "$SECONDS" -ge "$deadline" ]; then
      kill -KILL "$1" 2>/dev/null || true
      break
    fi
    sleep 0.05
  done
  wait "$1" 2>/dev/null || true
}

finish() {
  trap '' INT TERM
  [ -z "$step" ] || stop "$step"
  [ -z "$server" ] || stop "$server"
  chmod -R u+rwX "$work" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# within WHAT COMMAND...: runs the command in the background, so that this shell handles signals meanwhile; ends the demo
# if it takes longer than STEP_SECONDS
within() {
  local what=$1 deadline=$((SECONDS + STEP_SECONDS)) status=0
  shift
  "$@" &
  step=$!
  while kill -0 "$step" 2>/dev/null; do
    if [ "$SECONDS" -ge "$deadline" ]; then
      echo "demo: $what took longer than $STEP_SECONDS s" >&2
      show_server
      exit 1
    fi
    sleep 0.05
  done
  wait "$step" || status=$?
  step=
  return "$status"
}

# What the server has printed, for a failure.
show_server() {
  if [ -n "$server" ]; then
    echo "demo: the server printed:" >&2
    cat "$work/server.out" "$work/server.err" >&2
  fi
}

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

fetch() {
  cd "$work/copy" && exec "$JAVA" -jar "$jar" -c localhost -p "$port" -P 7 -r /demo
}

compare() {
  diff -r --no-dereference "$work/source" "$work/copy/demo" &&
    attributes "$work/source" >"$work/source.attributes" &&
    attributes "$work/copy/demo" >"$work/copy.attributes" &&
    diff "$work/source.attributes" "$work/copy.attributes"
}

echo "== making a tree of about 300 MB in $work/source"
within "making the tree" make_tree "$work/source"
files=$(find "$work/source" -type f | wc -l)
size=$(du -sh --apparent-size "$work/source" | cut -f1)

echo "== java -jar fdt.jar serve --port 0 --export demo=$work/source"
# Created here: the loop below may read it before the background shell opens it.
: >"$work/server.out"
: >"$work/server.err"
"$JAVA" -jar "$jar" serve --port 0 --bind 127.0.0.1 --export "demo=$work/source" \
  >>"$work/server.out" 2>"$work/server.err" &
server=$!

port=
deadline=$((SECONDS + READY_SECONDS))
while [ -z "$port" ]; do
  port=$(sed -n 's/^READY port=\([0-9][0-9]*\)$/\1/p' "$work/server.out")
  if [ -z "$port" ]; then
    if ! kill -0 "$server" 2>/dev/null; then
      echo "demo: the server ended before it was ready" >&2
      show_server
      exit 1
    fi
    if [ "$SECONDS" -ge "$deadline" ]; then
      echo "demo: the server was not ready within $READY_SECONDS s" >&2
      show_server
      exit 1
    fi
    sleep 0.1
  fi
done

mkdir "$work/copy"
echo "== java -jar fdt.jar -c localhost -p $port -P 7 -r /demo   ($files files, $size)"
status=0
within "the transfer" fetch >"$work/client.out" || status=$?
cat "$work/client.out"
if [ "$status" -ne 0 ]; then
  echo "demo: the client ended with exit status $status" >&2
  show_server
  exit "$status"
fi

echo "== comparing both trees"
if ! within "comparing" compare; then
  echo "demo: the trees differ" >&2
  exit 1
fi

rate=$(sed -n 's/^done: .*(\([0-9.]* [KMGT]*i*B\/s\)).*/\1/p' "$work/client.out")
echo "demo: both trees are the same; rate ${rate:-unknown}"
