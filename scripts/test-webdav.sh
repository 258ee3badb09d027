#!/usr/bin/env bash
# Real clients against fdt serve --http: litmus, davix, rclone and cadaver. After "make build".
set -euo pipefail
cd "$(dirname "$0")/.."
for program in litmus davix-get davix-put rclone cadaver; do
  command -v "$program" >/dev/null || { echo "test-webdav: install $program (litmus, davix, rclone, cadaver)" >&2; exit 1; }
done
jar=$PWD/fdt-cli/target/fdt.jar
place=$(mktemp -d)
trap 'kill "${server:-}" 2>/dev/null || true; rm -rf "$place"' EXIT
cd "$place"
mkdir -p data/tree/sub in
head -c 20000000 /dev/urandom >data/large
printf 'ä' >"data/tree/sub/a b&ü%23"
: >data/tree/empty
export FDT_HOME=$place/home
"${JAVA:-java}" -jar "$jar" serve --port 0 --bind 127.0.0.1 --http 0 --export data --export in:rw >out 2>&1 &
server=$!
for _ in $(seq 200); do grep -q ^READY out && break; sleep 0.1; done
url=$(sed -n 's|^HTTPS at \(https://[^/]*\)/$|\1|p' out)
token=$(cat home/token)

mkdir in/litmus
TESTS='basic copymove http' litmus -k "$url/in/litmus/" any "$token" | tee litmus.out
[ "$(grep -c ' 0 failed' litmus.out)" = 3 ]

davix-get -k -H "Authorization: Bearer $token" "$url/data/large" davix.large
cmp davix.large data/large
davix-put -k -H "Authorization: Bearer $token" data/large "$url/in/davix"
cmp in/davix data/large
davix-ls -k -H "Authorization: Bearer $token" -l "$url/in/"

rclone() { command rclone --config /dev/null --no-check-certificate --webdav-url "$url" --webdav-bearer-token "$token" "$@"; }
rclone copy :webdav:data there
diff -r data there
rclone copy data :webdav:in/rclone
diff -r data in/rclone

printf 'machine 127.0.0.1\nlogin any\npassword %s\n' "$token" >.netrc
chmod 600 .netrc
printf 'y\nmkcol c\nput data/large c/large\nls c\nquit\n' | HOME=$place script -qec "cadaver $url/in/" /dev/null
cmp in/c/large data/large
if grep -q "$token" out; then echo 'test-webdav: the log has the token' >&2; exit 1; fi
echo 'test-webdav: all clients agree'
