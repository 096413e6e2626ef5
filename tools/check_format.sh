#!/bin/sh
# Checks that every C++ file below hone/ is laid out as .clang-format says.
# Usage: check_format.sh [REPOSITORY]
# Exit: 0 all are, 1 some are not, 77 not checked (no clang-format, or not the version that decides).
set -eu
cd "${1:-$(dirname "$0")/..}"

# Releases of clang-format disagree on details; the one in Debian 12 is the judge.
version=14
tool=""
for candidate in "clang-format-$version" clang-format; do
  if "$candidate" --version 2>/dev/null | grep -q "version $version\\."; then
    tool=$candidate
    break
  fi
done
if [ -z "$tool" ]; then
  echo "skipped: no clang-format $version"
  exit 77
fi
find hone -type f \( -name '*.h' -o -name '*.cc' -o -name '*.cu' \) -print0 |
  xargs -0 "$tool" --dry-run --Werror || exit 1
