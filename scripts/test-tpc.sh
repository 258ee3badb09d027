#!/usr/bin/env bash
# gfal2 against fdt serve --http: the odd tree, and third-party copies with XRootD. After "make build".
set -euo pipefail
cd "$(dirname "$0")/.."
for program in gfal-copy xrootd openssl curl ss runuser; do
  command -v "$program" >/dev/null || {
    echo "test-tpc: install $program (gfal2-util-scripts python3-gfal2-util gfal2-plugin-http gfal2-plugin-file xrootd-server xrootd-server-plugins xrootd-plugins)" >&2
    exit 1
  }
done
jar=$PWD/fdt-cli/target/fdt.jar
place=$(mktemp -d)
processes=()
finish() {
  for process in "${processes[@]}"; do kill "$process" 2>/dev/null || true; done
  wait
  rm -rf "$place"
}
trap finish EXIT
cd "$place"
chmod 755 .
fail() { echo "test-tpc: $*" >&2; exit 1; }

# One authority for both servers and the client.
mkdir ca
openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca/ca.pem -days 2 -subj /CN=test-tpc \
  -addext basicConstraints=critical,CA:true -addext keyUsage=critical,keyCertSign,cRLSign 2>/dev/null
cp ca/ca.pem "ca/$(openssl x509 -hash -noout -in ca/ca.pem).0"
openssl req -newkey rsa:2048 -nodes -keyout host.key -out host.csr -subj /CN=localhost 2>/dev/null
openssl x509 -req -in host.csr -CA ca/ca.pem -CAkey ca.key -CAcreateserial -days 2 -out host.pem \
  -extfile <(echo subjectAltName=DNS:localhost) 2>/dev/null
openssl pkcs8 -topk8 -nocrypt -in host.key -out host.p8
export SSL_CERT_FILE=$place/ca/ca.pem X509_CERT_DIR=$place/ca GFAL_PYTHONBIN=/usr/bin/python3 FDT_HOME=$place/home

# Two servers of FDT: the second one is slow, for copies that are cancelled.
mkdir -p data in
serve() {
  "${JAVA:-java}" -jar "$jar" serve --port 0 --bind 127.0.0.1 --http 0 --export data --export in:rw \
    --tls-cert host.pem --tls-key host.p8 --access-log "$1.log" "${@:2}" >"$1.out" 2>&1 &
  processes+=($!)
  for _ in $(seq 300); do grep -q ^READY "$1.out" && break; sleep 0.1; done
  sed -n 's|^HTTPS at https://[^:]*:\([0-9]*\)/$|davs://localhost:\1|p' "$1.out"
}
serve fast >fast.url
serve slow --limit 2MB >slow.url
fdt=$(cat fast.url)
slow=$(cat slow.url)
BEARER_TOKEN=$(cat home/token)
export BEARER_TOKEN

# XRootD, which takes anyone.
mkdir xrootd xrootd/files xrootd/admin
cat >xrootd/conf <<END
all.export /
all.adminpath $place/xrootd/admin
all.pidpath $place/xrootd/admin
oss.localroot $place/xrootd/files
xrd.port any
xrd.tls $place/xrootd/host.pem $place/xrootd/host.key
xrd.tlsca certdir $place/ca
xrd.protocol XrdHttp:any libXrdHttp.so
http.exthandler xrdtpc libXrdHttpTPC.so
http.desthttps yes
xrootd.chksum max 2 adler32
END
cp host.pem host.key xrootd/
start=()
if [ "$(id -u)" = 0 ]; then
  chown -R xrootd xrootd
  start=(runuser -u xrootd --)
fi
"${start[@]}" xrootd -c xrootd/conf -l "$place/xrootd/admin/log" >xrootd.out 2>&1 &
processes+=($!)
for _ in $(seq 300); do
  port=$(sed -n 's/^------ xrootd .*:\([0-9]*\) initialization completed.*/\1/p' xrootd/admin/log 2>/dev/null || true)
  [ -n "$port" ] && break
  sleep 0.1
done
[ -n "$port" ] || fail "xrootd does not start: $(tail -3 xrootd.out xrootd/admin/log)"
partner=davs://localhost:$port

# The odd tree, by gfal2's library, since gfal-copy -r encodes no names.
mkdir odd plain
for name in 'a b' 'ä€𝄞' 'x&y;z=1+2,3' %41 'h#y' "it's" 'quo"te' '[br]{ace}' 'back\slash' co:lon -dash '~t' \
  $'new\nline' '*star' 'lt<gt>' @at 'pipe|' $'latin\xe4' 'q?x'; do
  printf '%s' "$name" >"odd/$name"
done
: >odd/empty
head -c 3000000 /dev/urandom >odd/middle
cat >odd.py <<END
import gfal2, os, sys, urllib.parse
top, start, end = os.fsencode(sys.argv[1]), sys.argv[2], sys.argv[3]
context = gfal2.creat_context()
context.set_opt_boolean("HTTP PLUGIN", "ENABLE_FALLBACK_TPC_COPY", False)
context.set_opt_string("HTTP PLUGIN", "DEFAULT_COPY_MODE", "3rd " + (sys.argv[4:] or ["pull"])[0])
how = context.transfer_parameters()
how.create_parent = True
how.timeout = 60
if not (start + end).count("file:"):
    how.set_checksum(gfal2.checksum_mode.both, "adler32", "")
for number, name in enumerate(sorted(os.listdir(top))):
    if b"?" in name and "$port" in start + end:
        continue  # XRootD takes %3F for a query
    def url(place):
        return place + "/" + (str(number) if place.startswith("file:") else urllib.parse.quote(name, safe=""))
    if end.startswith("file:"):
        context.filecopy(how, url(start), url(end))
        os.rename(url(end)[7:], os.path.join(os.fsencode(end[7:]), name))
    elif start.startswith("file:"):
        with open(os.path.join(top, name), "rb") as own, open(url(start)[7:], "wb") as plain:
            plain.write(own.read())
        context.filecopy(how, url(start), url(end))
    else:
        context.filecopy(how, url(start), url(end))
END
odd() { timeout 300 "$GFAL_PYTHONBIN" odd.py odd "$@"; }
odd "file://$PWD/plain" "$fdt/in/odd"
diff -r odd in/odd
mkdir back
odd "$fdt/in/odd" "file://$PWD/back"
diff -r odd back
for mode in pull push; do
  odd "$fdt/in/odd" "$partner/$mode" "$mode"
  odd "$partner/$mode" "$fdt/in/$mode" "$mode"
  diff -r -x 'q?x' odd "in/$mode"
done
echo 'test-tpc: the odd tree is the same at all places'

# One large file: checksums, several streams, and no fallback from one mode to another.
head -c 40000000 /dev/urandom >data/large
copy() { timeout 120 gfal-copy -f -K adler32 -D 'HTTP PLUGIN:ENABLE_FALLBACK_TPC_COPY=false' "$@" >copy.out 2>&1 || fail "gfal-copy $*: $(tail -2 copy.out)"; }
for mode in pull push; do
  for streams in 1 3; do
    copy -n "$streams" --copy-mode "$mode" "$fdt/data/large" "$partner/large.$mode"
    cmp data/large "xrootd/files/large.$mode"
    copy -n "$streams" --copy-mode "$mode" "$partner/large.$mode" "$fdt/in/large.$mode"
    cmp data/large "in/large.$mode"
  done
done
ask() { curl -sS --max-time 60 --cacert "$SSL_CERT_FILE" -H "Authorization: Bearer $BEARER_TOKEN" "$@"; }
ask -X COPY -H 'Overwrite: F' -H "Destination: https://localhost:$port/large.push" "https${fdt#davs}/data/large" |
  grep -q '^failure: the destination exists'
ask -X COPY -H "Source: https://localhost:$port/none" "https${fdt#davs}/in/none" | grep -q '^failure: '
echo 'test-tpc: both modes agree in both directions'

# A client that dies ends the copy on both sides.
connected() { ss -tnpH state established "dport = :$2" | grep -q "pid=$1,"; }
cancelled() {
  local active=$1 passive=$2 client
  rm -f in/cancelled
  gfal-copy -f --copy-mode "$3" -D 'HTTP PLUGIN:ENABLE_FALLBACK_TPC_COPY=false' "$4" "$5" >copy.out 2>&1 &
  client=$!
  for _ in $(seq 300); do connected "$active" "$passive" && break; sleep 0.1; done
  connected "$active" "$passive" || fail "no copy from $4 to $5: $(tail -2 copy.out)"
  kill -KILL "$client"
  wait "$client" 2>/dev/null || true
  SECONDS=0
  for _ in $(seq 150); do connected "$active" "$passive" || break; sleep 0.1; done
  connected "$active" "$passive" && fail "a cancelled copy from $4 to $5 goes on"
  echo "test-tpc: $3 from $4 to $5 ends $SECONDS s after its client"
  for _ in $(seq 100); do [ -z "$(find in -name '*cancelled*')" ] && break; sleep 0.1; done
  [ -z "$(find in -name '*cancelled*')" ] || fail "a cancelled copy leaves $(find in -name '*cancelled*')"
}
server=${processes[1]}
other=$(ss -ltnpH "sport = :$port" | sed -n 's/.*pid=\([0-9]*\),.*/\1/p' | head -1)
cancelled "$server" "$port" pull "$partner/large.pull" "$slow/in/cancelled"
cancelled "$server" "$port" push "$slow/data/large" "$partner/cancelled1"
cancelled "$other" "${slow##*:}" pull "$slow/data/large" "$partner/cancelled2"
cancelled "$other" "${slow##*:}" push "$partner/large.pull" "$slow/in/cancelled"
if grep -q "$BEARER_TOKEN" ./*.out ./*.log; then fail 'a log has the token'; fi
echo 'test-tpc: gfal2 and XRootD agree'
