#!/usr/bin/env bash
# Publishes the libraries of the last commit into a directory, twice, and checks what came of it; builds the jar, the packages, the wheel, and manifests
# for Homebrew and Scoop. Nothing leaves this machine.
#   scripts/release-dry-run.sh [VERSION]        default: the version of pom.xml without -SNAPSHOT
# RELEASE_URL=URL is where the manifests say that the jar is.
# API_BASELINE=REPOSITORY API_VERSION=VERSION compare the API with a published version (a directory in the layout of Maven).
set -euo pipefail
cd "$(dirname "$0")/.."

root=$PWD
out=$root/target/release
current=$(sed -n 's:^  <version>\(.*\)</version>$:\1:p' pom.xml)
version=${1:-${current%-SNAPSHOT}}
maven=$(.mvn/choose)
parts=(fdt-parent fdt-bom fdt-core fdt-storage fdt-udt fdt-server fdt-client fdt-nio)
libraries=(fdt-core fdt-storage fdt-udt fdt-server fdt-client fdt-nio)

fail() {
  echo "release-dry-run: $*" >&2
  exit 1
}

digest() { sha256sum <"$1" | cut -d' ' -f1; }

# build NAME OPTION...: exports the commit to a directory of its own, and publishes it into NAME-repository.
build() {
  local name=$1
  shift
  mkdir -p "$out/$name"
  git archive HEAD | tar -x -C "$out/$name"
  find "$out/$name" -name pom.xml -exec sed -i "s:<version>$current</version>:<version>$version</version>:" {} +
  (cd "$out/$name" && "$maven" --batch-mode --no-transfer-progress --quiet -Prelease \
    -pl .,fdt-bom,fdt-core,fdt-storage,fdt-udt,fdt-server,fdt-client,fdt-nio -Dmaven.test.skip=true -Dmaven.install.skip=true \
    -DaltDeploymentRepository="dry-run::file:$out/$name-repository" "$@" deploy)
}

rm -rf "$out"
mkdir -p "$out"

# A key for this run only.
export GNUPGHOME=$out/gnupg
mkdir -m 700 "$GNUPGHOME"
gpg --batch --quiet --passphrase '' --quick-generate-key 'FDT release dry run' ed25519 sign 1d 2>"$out/gpg.log" ||
  fail "gpg cannot make a key: $(tail -1 "$out/gpg.log")"
trap 'gpgconf --kill gpg-agent 2>/dev/null || true' EXIT

echo "building $version"
build first -Psign
repository=$out/first-repository

echo "building it again, with its API compared"
build second -Papi \
  -Dapi.baseline.repository="${API_BASELINE:-$repository}" -Dapi.baseline.version="${API_VERSION:-$version}"

echo "checking"
for part in "${parts[@]}"; do
  directory=$repository/io/fdt/$part/$version
  files=(pom)
  case " ${libraries[*]} " in *" $part "*) files+=(jar sources.jar javadoc.jar cyclonedx.json) ;; esac
  for file in "${files[@]}"; do
    case $file in pom | jar) path=$directory/$part-$version.$file ;; *) path=$directory/$part-$version-$file ;; esac
    [ -s "$path" ] || fail "$path is missing"
    gpg --batch --quiet --verify "$path.asc" "$path" 2>"$out/gpg.log" || fail "$path has no valid signature"
    [ "$(sha1sum <"$path" | cut -d' ' -f1)" = "$(cat "$path.sha1")" ] || fail "$path does not match its .sha1"
  done
  if grep -q SNAPSHOT "$directory/$part-$version.pom"; then
    fail "$part-$version.pom refers to a SNAPSHOT"
  fi
done
for library in "${libraries[@]}"; do
  unzip -p "$repository/io/fdt/$library/$version/$library-$version.jar" META-INF/MANIFEST.MF |
    grep -q "^Automatic-Module-Name: io.fdt.${library#fdt-}" || fail "$library has no module name"
done

# Everything but signatures and the times of publication.
(cd "$repository" && find . -type f ! -name '*.asc*' ! -name 'maven-metadata*' -exec sha256sum {} + | sort -k2) >"$out/first.sums"
(cd "$out/second-repository" && find . -type f ! -name '*.asc*' ! -name 'maven-metadata*' -exec sha256sum {} + | sort -k2) >"$out/second.sums"
diff "$out/first.sums" "$out/second.sums" >"$out/difference" || fail "two builds differ, see $out/difference"

# A program that imports the BOM, in a local repository of its own in front of this user's.
mkdir -p "$out/consumer/src/main/java"
sed "s:@VERSION@:$version:; s:@REPOSITORY@:file\://$repository:" scripts/release-consumer.xml >"$out/consumer/pom.xml"
cp scripts/ReleaseConsumer.java "$out/consumer/src/main/java/"
(cd "$out/consumer" && "$maven" --batch-mode --no-transfer-progress --quiet \
  -Dmaven.repo.local="$out/consumer-repository" \
  -Dmaven.repo.local.tail="$("$maven" help:evaluate -q -DforceStdout -Dexpression=settings.localRepository)" \
  compile exec:exec) >"$out/consumer.log" 2>&1 || fail "a program cannot use it, see $out/consumer.log"
grep -q '^fdt://127.0.0.1/data$' "$out/consumer.log" || fail "the provider was not found, see $out/consumer.log"

echo "building packages"
packages=$out/packages
mkdir "$packages"
(
  cd "$out/first"
  "$maven" --batch-mode --no-transfer-progress --quiet -pl fdt-cli,fdt-webdav,fdt-s3,fdt-service -am -Dmaven.test.skip=true package
  cp fdt-cli/target/fdt.jar fdt-http/target/fdt-http.jar fdt-webdav/target/fdt-webdav.jar fdt-s3/target/fdt-s3.jar fdt-service/target/fdt-service.jar "$packages/"
  TARGET=$packages scripts/package.sh
  python3 scripts/wheel.py "$packages" "$packages/fdt.jar" "$packages/fdt-http.jar" "$packages/fdt-webdav.jar" "$packages/fdt-s3.jar"
  mv "$packages/fdt.jar" "$packages/fdt-$version.jar"
  cp dist/fdt.cmd "$packages/"
  for manifest in dist/homebrew/fdt.rb dist/scoop/fdt.json; do
    sed "s#@URL@#${RELEASE_URL:-https://fdt.invalid}#; s#@VERSION@#$version#; s#@SHA256@#$(digest "$packages/fdt-$version.jar")#
      s#@SHA256_OF_CMD@#$(digest dist/fdt.cmd)#" "$manifest.in" >"$packages/${manifest##*/}"
  done
)

for field in url scm developers; do
  grep -q "^  <$field>" pom.xml || echo "not yet fit for Maven Central: pom.xml has no <$field>"
done
[ -n "${API_BASELINE:-}" ] || echo "no published version yet: the API was compared with that of the same commit"
echo "$(wc -l <"$out/first.sums") files, equal in two builds: $repository"
