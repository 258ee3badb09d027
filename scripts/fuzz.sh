#!/usr/bin/env bash
# Searches for input that a decoder cannot bear: each @FuzzTest for FUZZ_SECONDS seconds, guided by coverage. Takes the
# words of a Maven command. What it finds is kept in target/fuzz beside what it has learned; a finding belongs into
# src/test/resources/PACKAGE/CLASSInputs/METHOD, where every test run tries it.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${FUZZ_SECONDS:-300}
java=${JAVA_HOME:+$JAVA_HOME/bin/}java

# shellcheck disable=SC2086 # several words
$1 -pl fdt-core,fdt-storage,fdt-udt,fdt-cli -am -DskipTests -Dmdep.outputFile=target/fuzz-classpath \
  test-compile org.apache.maven.plugins:maven-dependency-plugin:build-classpath

status=0
for module in fdt-core fdt-storage fdt-udt fdt-cli; do
  classpath=$PWD/$module/target/test-classes:$PWD/$module/target/classes:$(<"$module/target/fuzz-classpath")
  while IFS= read -r source; do
    class=${source#"$module"/src/test/java/}
    class=${class%.java}
    inputs=$PWD/$module/src/test/resources/${class}Inputs
    for method in $(sed -n '/@FuzzTest/{n;s/^ *void \([A-Za-z]*\)(.*/\1/p;}' "$source"); do
      learned=$PWD/target/fuzz/${class//\//.}.$method
      mkdir -p "$learned"
      echo "== $class $method: $seconds s"
      if ! (cd "$learned" && "$java" -Xmx1g -cp "$classpath" com.code_intelligence.jazzer.Jazzer \
        --target_class="${class//\//.}" --target_method="$method" -max_total_time="$seconds" "$learned" \
        $([ -d "$inputs/$method" ] && echo "$inputs/$method")) >"$learned.log" 2>&1; then
        echo "   FINDING, see $learned.log"
        status=1
      fi
      tail -n 1 "$learned.log" | sed 's/^/   /'
    done
  done < <(grep -rl '@FuzzTest' "$module/src/test/java" | sort)
done
exit $status
