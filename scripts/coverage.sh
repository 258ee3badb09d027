#!/usr/bin/env bash
# Prints line and branch coverage of each package and of all, from the reports of JaCoCo (make coverage).
set -euo pipefail
cd "$(dirname "$0")/.."

rows=$(awk -F, '
  function percent(covered, missed) {
    return covered + missed == 0 ? "    -" : sprintf("%4.1f%%", 100 * covered / (covered + missed))
  }
  FNR > 1 {
    for (i = 1; i <= 2; i++) {
      name = i == 1 ? $2 : "~all"
      noBranches[name] += $6; branches[name] += $7; noLines[name] += $8; lines[name] += $9
    }
  }
  END {
    for (name in lines) {
      printf "%-40s lines %s  branches %s\n", name, percent(lines[name], noLines[name]), percent(branches[name], noBranches[name])
    }
  }
' fdt-*/target/site/jacoco/jacoco.csv)
LC_ALL=C sort <<<"$rows" | sed 's/^~all/all /'
