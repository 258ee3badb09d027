#!/usr/bin/env bash
# The tests of fdt-s3 against versitygw, and uploads to it that are killed and repeated. Needs go, or versitygw.
set -euo pipefail
cd "$(dirname "$0")/.."
java=${JAVA:-java}
place=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$place"' EXIT
export PATH=$PATH:$HOME/go/bin
command -v versitygw >/dev/null || go install github.com/versity/versitygw/cmd/versitygw@v1.8.0
$1 -pl fdt-s3 -am test -Dsurefire.failIfNoSpecifiedTests=false -Dtest='io/fdt/s3/**'

mkdir -p "$place"/data/bucket "$place"/side "$place"/home
versitygw --access=k --secret=s --port=127.0.0.1:0 --quiet posix --sidecar="$place/side" "$place/data" >"$place/log" 2>&1 &
port=
until [ -n "$port" ]; do
  kill -0 $! || { cat "$place/log" >&2; exit 1; }
  port=$(ss -ltnpH | sed -n "s/.*127\.0\.0\.1:\([0-9]*\) .*pid=$!,.*/\1/p" | head -1)
done
export AWS_ENDPOINT_URL=http://127.0.0.1:$port AWS_ACCESS_KEY_ID=k AWS_SECRET_ACCESS_KEY=s AWS_REGION=us-east-1 HOME=$place/home
head -c 500M /dev/urandom >"$place/large"
for seconds in 2 3 4 5 6 7 8; do
  timeout -s KILL "$seconds" "$java" -jar fdt-cli/target/fdt.jar copy "$place/large" "s3://bucket/$seconds" >/dev/null 2>&1 || true
  timeout 120 "$java" -jar fdt-cli/target/fdt.jar copy "$place/large" "s3://bucket/$seconds" 2>&1 | tail -1
  cmp "$place/large" "$place/data/bucket/$seconds"
done
echo 'test-s3: all copies are equal'
