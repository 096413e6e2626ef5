# What the examples share. A script sources it from the repository's root and gets:
#   show COMMAND...   prints the command as one would type it, runs it in the shell, and prints an empty line
#   ms ARGS...        the latency that `hone profile ARGS` tells, in ms
#   $out              a folder of the example's own
# The hone of build/release is taken, or that in $HONE_BIN; files go below build/examples, or $HONE_EXAMPLES.

PATH=${HONE_BIN:-$PWD/build/release}:$PATH
name=$(basename "$0" .sh)
out=${HONE_EXAMPLES:-build/examples}/${name%%_*}
mkdir -p "$out"

show() {
  printf '$ %s\n' "$*"
  eval "$*"
  echo
}

ms() {
  hone profile "$@" | sed -n 's/^latency *median \([0-9.]*\) ms.*/\1/p'
}
