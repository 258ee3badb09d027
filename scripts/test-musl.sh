#!/usr/bin/env bash
# Loads each native library with the loader of musl, and copies without those that it refuses. Called by "make test-musl". Needs musl-tools.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v musl-gcc >/dev/null || { echo 'test-musl: skipped: not installed: musl-tools'; exit; }
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
java=${JAVA:-java}
jar=fdt-cli/target/fdt.jar

cat >"$place/load.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **names) {
  void *library = dlopen(names[1], RTLD_NOW);
  puts(library ? "loads" : dlerror());
  return library == NULL;
}
END
musl-gcc -o "$place/load" "$place/load.c"

cp "$jar" "$place/fdt.jar"
python3 -m zipfile -e "$jar" "$place/all"
case $(uname -m) in x86_64) names='x86.64|amd64' ;; *) names='aarch.?64' ;; esac
for library in $(cd "$place/all" && find . -name '*.so' | grep -E "$names"); do
  printf '%s: ' "${library##*/}"
  if ! (cd "$place/all" && "$place/load" "$library"); then
    cp "$place/load" "$place/all/$library" # a program, which no loader takes for a library
    jar --update --file "$place/fdt.jar" -C "$place/all" "$library"
  fi
done
fdt="$java -XX:TieredStopAtLevel=1 -jar $place/fdt.jar"
scripts/copy-between.sh "$fdt" "$fdt"
