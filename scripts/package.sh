#!/usr/bin/env bash
# Builds fdt_VERSION_all.deb and fdt-VERSION-1.noarch.rpm in fdt-cli/target, or TARGET, of the same files: the command, the units of the server and of the
# transfer service, settings, documents and JSON schemas. Needs perl, and dpkg-deb or rpmbuild; builds what it can. Called by "make package".
set -euo pipefail
cd "$(dirname "$0")/.."
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
target=${TARGET:-fdt-cli/target}
# A snapshot sorts before its release: 0.1.0~SNAPSHOT.
version=$("$java" -jar "$target/fdt.jar" -V | sed 's/^fdt \([^ ]*\) .*/\1/; s/-/~/')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
mkdir -m 755 "$root"

install -D -m 755 dist/fdt "$root/usr/share/fdt/fdt"
install -d "$root/usr/bin"
ln -s ../share/fdt/fdt "$root/usr/bin/fdt"
install -D -p -m 644 "$target/fdt.jar" "$root/usr/share/fdt/fdt.jar"
install -p -m 644 "$target/fdt-service.jar" "$target/fdt-http.jar" "$target/fdt-webdav.jar" "$target/fdt-s3.jar" "$root/usr/share/fdt/"
install -D -m 755 scripts/class-archive.sh "$root/usr/share/fdt/class-archive.sh"
install -d "$root/usr/lib/systemd/system"
for unit in fdt fdt-service; do
  sed '/^# Without a package/,/\.$/d
       s#^\# docs/#\# /usr/share/doc/fdt/#
       s#^ExecStart=/usr/local/lib/fdt/fdt #ExecStart=/usr/bin/fdt #;
       s#/usr/local/share/doc/fdt/#/usr/share/doc/fdt/#' "dist/$unit.service" > "$root/usr/lib/systemd/system/$unit.service"
done
install -D -m 644 dist/fdt.conf "$root/etc/fdt/fdt.conf"
install -D -m 644 dist/grafana.json "$root/usr/share/doc/fdt/grafana.json"
# All of docs/ is in the directory of README.md: links lose "docs/", and one "../".
documents=$root/usr/share/doc/fdt
cp -r docs/. README.md CHANGELOG.md CONTRIBUTING.md CODE_OF_CONDUCT.md SECURITY.md examples "$documents"
install -m 644 dist/Dockerfile "$documents"
sed -i 's#](docs/#](#g; s#](\.\./#](#g; s#](LICENSE)#](copyright)#; s#](dist/grafana#](grafana#; s#](dist/Dockerfile#](Dockerfile#
        s#](dist/fdt\.conf#](../../../../etc/fdt/fdt.conf#; s#](dist/\(fdt[a-z-]*\.service\)#](../../../lib/systemd/system/\1#' "$documents"/*.md
sed -i 's#](\.\./\.\./#](../#g' "$documents"/{howto,decisions}/*.md
sed -i 's#](\.\./\.\./docs/#](../../#g' "$documents"/examples/*/README.md
install -D -m 644 LICENSE "$documents/copyright"
# A link to a source file, which the package lacks, becomes its text.
find "$documents" -name '*.md' | while IFS= read -r page; do
  directory=${page%/*} perl -0777 -i -pe \
    's{\[([^\[\]]+)\]\(([^)\s:#]+)(#[^)\s]*)?\)}{-e "$ENV{directory}/$2" ? $& : $1}ge' "$page"
done
chmod -R u=rwX,go=rX "$documents"
install -d "$root/usr/share/bash-completion/completions" "$root/usr/share/zsh/vendor-completions" \
  "$root/usr/share/fish/vendor_completions.d" "$root/usr/share/man/man1"
"$java" -Dfdt.command=fdt -jar "$target/fdt.jar" completion bash > "$root/usr/share/bash-completion/completions/fdt"
"$java" -Dfdt.command=fdt -jar "$target/fdt.jar" completion zsh > "$root/usr/share/zsh/vendor-completions/_fdt"
"$java" -Dfdt.command=fdt -jar "$target/fdt.jar" completion fish > "$root/usr/share/fish/vendor_completions.d/fdt.fish"
"$java" -Dfdt.command=fdt -jar "$target/fdt.jar" completion man > "$root/usr/share/man/man1/fdt.1"
sed -n 's/^\.BR fdt\\-\([a-z]*\) .*/\1/p' "$root/usr/share/man/man1/fdt.1" |
  xargs "$java" -Dfdt.command=fdt -jar "$target/fdt.jar" completion man |
  awk -v directory="$root/usr/share/man/man1" \
    '/^\.\\" Printed/ {first = $0; next} /^\.TH / {page = directory "/" tolower($2) ".1"; print first > page} {print > page}'
gzip -9n "$root/usr/share/man/man1"/*.1

built=
if command -v rpmbuild >/dev/null; then
  sed "s/@VERSION@/$version/; s#@ROOT@#$root#" dist/rpm/fdt.spec.in >"$work/fdt.spec"
  rpmbuild --quiet -bb --define "_topdir $work/rpm" --define "_rpmdir $(realpath "$target")" \
    --define '_build_name_fmt %%{NAME}-%%{VERSION}-%%{RELEASE}.noarch.rpm' "$work/fdt.spec"
  built=yes
fi
if command -v dpkg-deb >/dev/null; then
  mkdir "$root/DEBIAN"
  sed "s/@VERSION@/$version/" dist/debian/control.in > "$root/DEBIAN/control"
  install -m 644 dist/debian/triggers dist/debian/conffiles "$root/DEBIAN/"
  install -m 755 dist/debian/postinst dist/debian/prerm "$root/DEBIAN/"
  # The jars are compressed already.
  dpkg-deb -Zgzip -z1 --root-owner-group --build "$root" "$target/fdt_${version}_all.deb"
  built=yes
fi
[ -n "$built" ] || { echo 'package: needs dpkg-deb or rpmbuild' >&2; exit 1; }
