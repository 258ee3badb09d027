#!/bin/sh
# Builds target/site of docs/ and of the command's own help. Needs python3 with venv, and fdt.jar ("make build").
set -eu
cd "$(dirname "$0")/.."
java=${JAVA:-java}
pages=target/site-pages
tools=target/site-tools
mkdir -p target

if ! cmp -s site/requirements.txt "$tools/requirements.txt"; then
  rm -rf "$tools"
  python3 -m venv "$tools" || { echo 'The site needs python3 with venv: apt-get install python3-venv.' >&2; exit 1; }
  "$tools/bin/pip" install --quiet --disable-pip-version-check --no-deps -r site/requirements.txt
  cp site/requirements.txt "$tools/"
fi

rm -rf "$pages" target/site
cp -r docs "$pages"
cp site/search.js "$pages/"
# What pages link to in the repository goes with them.
files=$(grep -oh '](\.\./[^)#]*' docs/*.md | sed 's|^](\.\./||' | sort -u)
mkdir "$pages/repository"
# shellcheck disable=SC2086
tar -cf - $files CHANGELOG.md CODE_OF_CONDUCT.md examples | tar -xf - -C "$pages/repository"
sed -i 's|](\.\./|](repository/|g' "$pages"/*.md
sed -i 's|](\.\./\.\./|](../repository/|g' "$pages"/decisions/*.md
sed -i 's|](docs/|](../|g' "$pages"/repository/*.md
sed -i 's|](\.\./docs/|](../../|g' "$pages"/repository/*/*.md
sed -i 's|](\.\./\.\./docs/|](../../../|g' "$pages"/repository/examples/*/*.md
"$java" -jar fdt-cli/target/fdt.jar completion markdown > "$pages/reference.md"
NO_MKDOCS_2_WARNING=1 "$tools/bin/mkdocs" build --quiet --strict -f site/mkdocs.yml
echo "The site is target/site/index.html."
