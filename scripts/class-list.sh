#!/usr/bin/env bash
# Records the classes that a server and its clients load: the resource fdt.classes, from which ClassArchive makes the archive of classes.
# It runs both from fdt-cli/target/fdt.jar, with each Java that is named. Needed when a test says that the list is out of date.
# Usage: class-list.sh JAVA_HOME...
set -euo pipefail
cd "$(dirname "$0")/.."
jar=$PWD/fdt-cli/target/fdt.jar
list=fdt-cli/src/main/resources/io/fdt/cli/fdt.classes
work=$(mktemp -d)
export FDT_HOME=$work/home
server=
end() {
  [[ -z $server ]] || kill "$server" 2>/dev/null || true
  wait
  rm -rf "$work"
}
trap end EXIT
mkdir -p "$work/home" "$work/tree/dir" "$work/out"
head -c 9000000 /dev/urandom > "$work/tree/large"
for i in 1 2 3; do echo "$i" > "$work/tree/dir/$i"; done
ln -s large "$work/tree/link"
# The last word of what ssh is told is the command.
printf '#!/bin/sh\nfor command; do :; done\neval "$command"\n' > "$work/ssh"
chmod 755 "$work/ssh"

# Becomes a run of the command that writes down what it loads.
run() {
  local name=$1
  shift
  exec "$java" ${quiet[@]+"${quiet[@]}"} -Dfdt.replaced=true -Dio.netty.jfr.enabled=false -XX:DumpLoadedClassList="$work/$name.classes" -jar "$jar" "$@"
}

for home in "$@"; do
  java=$home/bin/java
  # Newer JVMs warn of what Netty and Protobuf use.
  quiet=(--sun-misc-unsafe-memory-access=allow)
  "$java" "${quiet[@]}" -version > /dev/null 2>&1 || quiet=()
  : > "$work/server.out" # read before the server has come to it
  run "server${home//\//-}" serve --bind 127.0.0.1 --port 0 --export "$work/tree" --export "$work/out:rw" > "$work/server.out" 2>&1 &
  server=$!
  for ((i = 0; i < 600; i++)); do
    port=$(sed -n 's/^READY port=//p' "$work/server.out")
    [[ -z $port ]] || break
    kill -0 "$server"
    sleep 0.05
  done
  [[ -n $port ]]
  (run "pull${home//\//-}" -c 127.0.0.1 -p "$port" -pull -r -d "$work/pulled" /tree) > /dev/null
  (run "push${home//\//-}" copy -r --encrypt "$work/tree/" "fdt://127.0.0.1:$port/out/") > /dev/null
  (XDG_CACHE_HOME=$work/cache FDT_JAVA=$java run "ssh${home//\//-}" copy -r -e "$work/ssh" "localhost:$work/tree/dir" "$work/fetched") > /dev/null
  (run "list${home//\//-}" ls "fdt://127.0.0.1:$port/tree") > /dev/null
  kill "$server"
  wait "$server" || true
  # What commands of the transfer service load.
  : > "$work/server.out"
  "$java" ${quiet[@]+"${quiet[@]}"} -jar "${jar%/*}/fdt-service.jar" --port 0 > "$work/server.out" 2>&1 &
  server=$!
  for ((i = 0; i < 600; i++)); do
    ! grep -q '^READY' "$work/server.out" || break
    kill -0 "$server"
    sleep 0.05
  done
  (run "tasks${home//\//-}" task list) > /dev/null
  (run "submit${home//\//-}" task submit local:/nowhere "local:$work/out") > /dev/null
  (run "endpoints${home//\//-}" endpoint list -F json) > /dev/null
  kill "$server"
  wait "$server" || true
  server=
done

# Some JVMs number the classes of each list; those of several cannot stand in one. What newer ones note of constant pools, older ones cannot read.
mkdir -p "$(dirname "$list")"
sed -e "/ source: /d" -e "/^#/d" -e "/^@cp /d" -e "s/ id: [0-9]*$//" "$work"/*.classes | LC_ALL=C sort -u > "$list"
