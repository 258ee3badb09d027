#!/usr/bin/env bash
# Fetches Keycloak from Maven Central, and has KeycloakTest sign in by it. $1 is how to call Maven.
set -euo pipefail
cd "$(dirname "$0")/.."
version=26.3.0
directory=fdt-service/target/keycloak
if [ ! -x "$directory/keycloak-$version/bin/kc.sh" ]; then
  mkdir -p "$directory"
  $1 -N org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
    -Dartifact="org.keycloak:keycloak-quarkus-dist:$version:zip" -DoutputDirectory="$directory"
  unzip -q -o "$directory/keycloak-quarkus-dist-$version.zip" -d "$directory"
fi
$1 -pl fdt-service -am verify -Dsurefire.failIfNoSpecifiedTests=false -Dtest=KeycloakTest \
  -Dfdt.keycloak.home="$PWD/$directory/keycloak-$version"
