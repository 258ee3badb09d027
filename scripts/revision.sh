#!/bin/sh
# Writes the revision that is being built to a file, as "git describe" names it; "unknown" outside of a clone of this repository.
# Usage: revision.sh FILE
set -eu
cd "$(dirname "$0")/.."
# The number of digits of git's own choice grows with the clone, and a build shall not depend on that.
if [ "$(git rev-parse --show-toplevel 2>/dev/null)" != "$(pwd -P)" ] ||
  ! revision=$(git describe --always --dirty --abbrev=12 2>/dev/null); then
  revision=unknown
fi
case $1 in
  /*) mkdir -p "${1%/*}" ;;
  *) exit 2 ;;
esac
# Not touched unless it changes.
[ "$(cat "$1" 2>/dev/null)" = "$revision" ] || echo "$revision" > "$1"
