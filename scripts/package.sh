#!/usr/bin/env bash
# Builds fdt_VERSION_all.deb in fdt-cli/target: the command, the service with its settings, the documents and JSON schemas. Needs dpkg-deb. Called by "make package".
set -euo pipefail
cd "$(dirname "$0")/.."
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
target=fdt-cli/target
# A snapshot sorts before its release: 0.1.0~SNAPSHOT.
version=$("$java" -jar "$target/fdt.jar" -V | sed 's/^fdt \([^ ]*\) .*/\1/; s/-/~/')
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"

install -D -m 755 dist/fdt "$root/usr/share/fdt/fdt"
install -d "$root/usr/bin"
ln -s ../share/fdt/fdt "$root/usr/bin/fdt"
install -D -p -m 644 "$target/fdt.jar" "$root/usr/share/fdt/fdt.jar"
install -D -p -m 644 "$target/fdt-service.jar" "$root/usr/share/fdt/fdt-service.jar"
install -D -m 755 scripts/class-archive.sh "$root/usr/share/fdt/class-archive.sh"
install -d "$root/lib/systemd/system"
sed 's#^ExecStart=/usr/local/lib/fdt/fdt #ExecStart=/usr/bin/fdt #;
     s#/usr/local/share/doc/fdt/#/usr/share/doc/fdt/#' dist/fdt.service > "$root/lib/systemd/system/fdt.service"
install -D -m 644 dist/fdt.conf "$root/etc/fdt/fdt.conf"
install -D -m 644 dist/grafana.json "$root/usr/share/doc/fdt/grafana.json"
# All documents are in one directory, so their links lose "docs/" and "../".
for document in README.md CHANGELOG.md SECURITY.md docs/{OPTIONS,HABITS,MIGRATING,SSH,SERVER,STRIPES,RELAY,UDP,SERVICE,NIO,LIBRARY,TUNING,RELIABILITY,METADATA,FILTERS,PERFORMANCE,PROTOCOL}.md; do
  installed=$root/usr/share/doc/fdt/$(basename "$document")
  sed 's#](docs/#](#g; s#](\.\./#](#g' "$document" > "$installed"
  chmod 644 "$installed"
done
install -m 644 docs/json-*.schema.json "$root/usr/share/doc/fdt/"
install -d "$root/usr/share/bash-completion/completions" "$root/usr/share/zsh/vendor-completions" \
  "$root/usr/share/fish/vendor_completions.d" "$root/usr/share/man/man1"
"$java" -Dfdt.command=fdt -jar "$target/fdt.jar" completion bash > "$root/usr/share/bash-completion/completions/fdt"
"$java" -Dfdt.command=fdt -jar "$target/fdt.jar" completion zsh > "$root/usr/share/zsh/vendor-completions/_fdt"
"$java" -Dfdt.command=fdt -jar "$target/fdt.jar" completion fish > "$root/usr/share/fish/vendor_completions.d/fdt.fish"
"$java" -Dfdt.command=fdt -jar "$target/fdt.jar" completion man > "$root/usr/share/man/man1/fdt.1"
for subcommand in $(sed -n 's/^\.BR fdt\\-\([a-z]*\) .*/\1/p' "$root/usr/share/man/man1/fdt.1"); do
  "$java" -Dfdt.command=fdt -jar "$target/fdt.jar" completion man "$subcommand" > "$root/usr/share/man/man1/fdt-$subcommand.1"
done
gzip -9n "$root/usr/share/man/man1"/*.1
install -D -m 644 LICENSE "$root/usr/share/doc/fdt/copyright"
mkdir "$root/DEBIAN"
sed "s/@VERSION@/$version/" dist/debian/control.in > "$root/DEBIAN/control"
install -m 644 dist/debian/triggers dist/debian/conffiles "$root/DEBIAN/"
install -m 755 dist/debian/postinst dist/debian/prerm "$root/DEBIAN/"
dpkg-deb --root-owner-group --build "$root" "$target/fdt_${version}_all.deb"
