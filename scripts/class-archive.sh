#!/usr/bin/env bash
# Makes fdt.jsa beside a fdt.jar: the classes that a server and its clients load, as the JVM keeps them in memory.
# It fits one jar at one place and one JDK, which fdt.jsa.stamp names; with any other, and without it, the command works as well,
# but takes twice the processor time to start. So a failure here is a warning.
# Beside it goes fdt.native, with the libraries that each start would otherwise unpack from the jar.
# Usage: class-archive.sh JAR
# What they load is found by running them, and kept as fdt.classes beside the jar; where that is there, it is taken as it is.
set -euo pipefail
jar=$(realpath "$1")
archive=${jar%.jar}.jsa
list=${jar%.jar}.classes
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
work=$(mktemp -d)
export FDT_HOME=$work/home
server=
end() {
  local status=$?
  [[ -z $server ]] || kill "$server" 2>/dev/null || true
  wait
  rm -rf "$work"
  [[ $status == 0 ]] || echo "class-archive: no whole $archive; starting will take longer" >&2
  exit 0
}
trap end EXIT
# The stamp says that all is there: it goes first and comes last.
rm -f "$archive.stamp" "$archive"
unpacked=${jar%.jar}.native
rm -rf "$unpacked"

# Left out where nothing here unpacks.
unpack() {
  local jna netty
  case $(uname -m) in
    x86_64) jna=linux-x86-64 netty=x86_64 ;;
    aarch64) jna=linux-aarch64 netty=aarch_64 ;;
    *) return 0 ;;
  esac
  local libraries=(
    "com/sun/jna/$jna/libjnidispatch.so"
    "META-INF/native/libnetty_transport_native_epoll_$netty.so"
    "META-INF/native/libnetty_tcnative_linux_$netty.so"
  )
  local tool=${JAVA_HOME:+$JAVA_HOME/bin/}jar
  if command -v "$tool" > /dev/null; then
    (cd "$work" && "$tool" xf "$jar" "${libraries[@]}")
  elif command -v unzip > /dev/null; then
    unzip -q "$jar" "${libraries[@]}" -d "$work"
  else
    return 0
  fi
  install -d -m 755 "$unpacked"
  (cd "$work" && install -m 644 "${libraries[@]}" "$unpacked")
}

dump() {
  "$java" -Xshare:dump -Xlog:disable -Xlog:all=error:stderr -XX:+UseSerialGC -XX:SharedClassListFile="$list" \
    -XX:SharedArchiveFile="$work/fdt.jsa" -jar "$jar" > /dev/null
  unpack
  install -m 644 "$work/fdt.jsa" "$archive"
  {
    "$java" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java.vm.version = //p'
    echo "$jar"
    stat -c '%s %Y' "$jar"
  } > "$archive.stamp"
}
if [[ $list -nt $jar ]]; then
  dump
  exit 0
fi

mkdir -p "$work/home" "$work/tree/dir" "$work/out"
head -c 9000000 /dev/urandom > "$work/tree/large"
for i in 1 2 3; do echo "$i" > "$work/tree/dir/$i"; done
ln -s large "$work/tree/link"

# What Netty and Protobuf use is warned of by Java machines that know this.
quiet=(--sun-misc-unsafe-memory-access=allow)
"$java" "${quiet[@]}" -version > /dev/null 2>&1 || quiet=()

# Becomes a run of the command that writes down what it loads.
run() {
  local name=$1
  shift
  exec "$java" ${quiet[@]+"${quiet[@]}"} -Dfdt.replaced=true -Dio.netty.jfr.enabled=false -XX:DumpLoadedClassList="$work/$name.classes" -jar "$jar" "$@"
}

: > "$work/server.out" # read before the server has come to it
run server serve --bind 127.0.0.1 --port 0 --export "$work/tree" --export "$work/out:rw" > "$work/server.out" 2>&1 &
server=$!
for ((i = 0; i < 600; i++)); do
  port=$(sed -n 's/^READY port=//p' "$work/server.out")
  [[ -z $port ]] || break
  kill -0 "$server"
  sleep 0.05
done
[[ -n $port ]]
(run pull -c 127.0.0.1 -p "$port" -pull -r -d "$work/pulled" /tree) > /dev/null
(run push copy -r --encrypt "$work/tree/" "fdt://127.0.0.1:$port/out/") > /dev/null
(run list ls "fdt://127.0.0.1:$port/tree") > /dev/null
kill "$server"
wait "$server" || true
server=

# Some Java machines number the classes of each list; those of several cannot stand in one.
sed -e "/ source: /d" -e "s/ id: [0-9]*$//" "$work"/*.classes | sort -u > "$list"
dump
