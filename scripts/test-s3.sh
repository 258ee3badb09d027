#!/usr/bin/env bash
# The tests of fdt-s3 against versitygw, and uploads to it that are killed at POINTS points (30) and repeated.
# Needs go, or versitygw.
set -euo pipefail
cd "$(dirname "$0")/.."
java=${JAVA:-java}
place=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$place"' EXIT
export PATH=$PATH:$HOME/go/bin
command -v versitygw >/dev/null || go install github.com/versity/versitygw/cmd/versitygw@v1.8.0
$1 -pl fdt-s3 -am test -Dsurefire.failIfNoSpecifiedTests=false -Dtest='io/fdt/s3/**'

mkdir -p "$place"/data/bucket "$place"/side "$place"/home
versitygw --access=k --secret=s --port=127.0.0.1:0 --quiet --access-log="$place/requests" \
  posix --sidecar="$place/side" "$place/data" >"$place/log" 2>&1 &
port=
until [ -n "$port" ]; do
  kill -0 $! || { cat "$place/log" >&2; exit 1; }
  port=$(ss -ltnpH | sed -n "s/.*127\.0\.0\.1:\([0-9]*\) .*pid=$!,.*/\1/p" | head -1)
done
export AWS_ENDPOINT_URL=http://127.0.0.1:$port AWS_ACCESS_KEY_ID=k AWS_SECRET_ACCESS_KEY=s AWS_REGION=us-east-1 HOME=$place/home
head -c 80M /dev/urandom >"$place/large" # ten parts
copy() { exec "$java" -jar fdt-cli/target/fdt.jar copy "$@" "$place/large" "s3://bucket/$point" >"$place/out" 2>&1; }
# The parts of this object that the store has acknowledged, each as often as it was sent.
parts() { sed -n "s/.* s3_UploadPart $point .*partNumber=\([0-9]*\)&.* 200 .*/\1/p" "$place/requests"; }
for point in $(seq "${POINTS:-30}"); do
  copy --limit 10M &
  killed=$!
  until [ "$(parts | wc -l)" -ge $((point % 10)) ] && grep -q "s3_CreateMultipartUpload $point " "$place/requests"; do
    kill -0 $killed || { cat "$place/out" >&2; exit 1; }
    sleep 0.05
  done
  kill -KILL $killed
  wait $killed 2>/dev/null || true
  before=$(parts | wc -l)
  (copy) || { cat "$place/out" >&2; exit 1; }
  cmp "$place/large" "$place/data/bucket/$point"
  if [ -n "$(parts | sort | uniq -d)" ]; then
    echo "test-s3: point $point: parts were sent twice: $(parts | sort | uniq -d | paste -sd' ')" >&2
    exit 1
  fi
  echo "point $point: killed after $before parts, $(parts | wc -l) sent in all"
done
echo 'test-s3: all copies are equal, and no part was sent twice'
