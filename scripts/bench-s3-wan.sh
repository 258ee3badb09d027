#!/usr/bin/env bash
# One object of BYTES (2 GB) to a store far away and back: the share of the link's RATE (Mbit/s, 1000) that it gets.
# NEAR and FAR are commands that run others at the two ends of the link, as "ip netns exec NAME" does;
# ADDRESS is that of the far end. After "make build"; needs versitygw.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${NEAR:?}" "${FAR:?}" "${ADDRESS:?}"
bytes=${BYTES:-2000000000}
rate=${RATE:-1000}
jar=$PWD/fdt-cli/target/fdt.jar
export PATH=$PATH:$HOME/go/bin
place=$(mktemp -d "${PLACE:-/dev/shm}/fdt-bench-s3-XXXXXX")
store=
trap 'kill $store 2>/dev/null || true; wait; rm -rf "$place"' EXIT
mkdir -p "$place"/data/bucket "$place"/side
head -c "$bytes" /dev/urandom >"$place/object"
export AWS_ENDPOINT_URL=http://$ADDRESS:7070 AWS_ACCESS_KEY_ID=k AWS_SECRET_ACCESS_KEY=s AWS_REGION=us-east-1
$FAR versitygw --access=k --secret=s --port="$ADDRESS:7070" --quiet --keep-alive \
  posix --sidecar="$place/side" "$place/data" >"$place/store" 2>&1 &
store=$!
for _ in $(seq 100); do $NEAR bash -c "exec 3<>/dev/tcp/$ADDRESS/7070" 2>/dev/null && break; sleep 0.1; done
run() {
  local start=$EPOCHREALTIME share
  timeout "${DEADLINE:-120}" $NEAR "${JAVA:-java}" -jar "$jar" copy --explain "${@:2}" >"$place/out" 2>&1 || { tail -5 "$place/out" >&2; exit 1; }
  share=$(awk "BEGIN { printf \"%.2f\", $bytes * 8 / ($EPOCHREALTIME - $start) / $rate / 1e6 }")
  echo "$1: $share of $rate Mbit/s, with the start of Java"
  grep -a '^done\|^what' "$place/out"
}
run put "$place/object" s3://bucket/object
cmp "$place/object" "$place/data/bucket/object"
run get s3://bucket/object "$place/back"
cmp "$place/object" "$place/back"
