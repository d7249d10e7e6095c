#!/usr/bin/env bash
# Writes new page requests into a file of their own, for Vector, Fluent Bit and other programs that follow
# files. Run it from a timer.
#
# Usage: page-requests-to-files.sh FOLDER
set -euo pipefail
umask 077
cd "$1"
exec 9> lock
flock -n 9 || exit 0 # The one before is still running.

position=$(cat position 2> /dev/null || echo 0)
wfh page-requests follow --after "$position" --until-end > draft
[ -s draft ] || exit 0
last=$(tail -n 1 draft | sed 's/^{"id":\([0-9]*\),.*/\1/')

# First the file, then the position: a crash in between writes the same page requests once more.
sync draft
mv draft "$(printf 'page-requests-%019d.ndjson' "$last")"
sync .
echo "$last" > position.draft
sync position.draft
mv position.draft position
sync .
