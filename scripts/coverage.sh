#!/usr/bin/env bash
# Prints line and branch coverage of each package and of all, from the reports of JaCoCo (make coverage-report).
# Fails when that of all is below the floor, in percent of lines and of branches: a change without its tests.
# Usage: coverage.sh [LINES BRANCHES]; 90 and 82 are for the tests of all modules.
set -euo pipefail
cd "$(dirname "$0")/.."

LINES_FLOOR=${1:-90}
BRANCHES_FLOOR=${2:-82}

rows=$(awk -F, -v linesFloor=$LINES_FLOOR -v branchesFloor=$BRANCHES_FLOOR '
  function percent(covered, missed) {
    return covered + missed == 0 ? 0 : 100 * covered / (covered + missed)
  }
  function text(covered, missed) {
    return covered + missed == 0 ? "    -" : sprintf("%4.1f%%", percent(covered, missed))
  }
  FNR > 1 {
    for (i = 1; i <= 2; i++) {
      name = i == 1 ? $2 : "~all"
      noBranches[name] += $6; branches[name] += $7; noLines[name] += $8; lines[name] += $9
    }
  }
  END {
    for (name in lines) {
      printf "%-40s lines %s  branches %s\n", name, text(lines[name], noLines[name]), text(branches[name], noBranches[name])
    }
    if (percent(lines["~all"], noLines["~all"]) < linesFloor || percent(branches["~all"], noBranches["~all"]) < branchesFloor) {
      printf "~below the floor: %d%% of lines, %d%% of branches\n", linesFloor, branchesFloor
    }
  }
' fdt-*/target/site/jacoco/jacoco.csv)
LC_ALL=C sort <<<"$rows" | sed 's/^~all/all /; s/^~//'
[[ $rows != *"~below the floor"* ]]
