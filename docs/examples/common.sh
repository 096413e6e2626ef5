# What the scripts of the pages share. A script sources it from the repository's root and gets:
#   show COMMAND...           prints the command as one would type it, runs it in the shell, and prints an empty line
#   show_cut FILTER COMMAND   the same with the output through a filter that the page does not tell, as those below
#   ends_with CODES show...   the exit codes that are right, in place of 0; from 3 on the message is part of the output
#   made NAME COMMAND...      what stands on the page between <!-- NAME --> and <!-- end -->
#   made machine machine      a line on the machine that the outputs are of
#   prepare COMMAND...        runs what the page does not tell
#   if_shared show...         only where the files of ../shared that enter_folder asks for are there
#   if_found FILE show...     only where there is such a file
#   enter_folder [FILE...]    goes to $out, emptied, with links to examples/ and to files of ../shared; made machine
#   keep ADDRESS...           a filter: the lines at sed's addresses, and `...` for what lies between
#   narrow WIDTH              a filter: longer lines end in `...`, rules of tables end
#   ms ARGS...                the latency that `hone profile ARGS` tells, in ms
#   $out                      a folder of the page's own; $root the repository
# The hone of build/release is taken, or that in $HONE_BIN; files go below build/examples, or $HONE_EXAMPLES. With
# HONE_EXAMPLES_DRY=yes nothing is run: the output is the list of what would be.

root=$PWD
PATH=${HONE_BIN:-$PWD/build/release}:$PATH
name=$(basename "$0" .sh)
out=${HONE_EXAMPLES:-build/examples}/${name%%_*}
mkdir -p "$out"
printed=$(cd "$out" && pwd)/printed
expected=0
skipping=${HONE_EXAMPLES_DRY:-no}
left_out=

show() {
  show_cut cat "$*"
}

show_cut() {
  printf '$ %s\n' "$2"
  print_output "$1" "$2"
}

made() {
  printf '<!-- %s -->\n' "$1"
  shift
  print_output cat "$*"
}

# scripts/examples leaves what stands on the page where it finds this line.
print_output() {
  if [ "$skipping" = yes ]; then
    printf '(not run)\n\n'
    return
  fi
  code=0
  eval "$2" >"$printed" 2>"$printed.err" || code=$?
  case " $expected " in
    *" $code "*) ;;
    *)
      cat "$printed.err" >&2
      echo "$name: exit code $code, not $expected: $2" >&2
      exit 1
      ;;
  esac
  [ $code -lt 3 ] || cat "$printed.err" >>"$printed"
  eval "$1" <"$printed"
  echo
}

ends_with() {
  expected=$1
  shift
  "$@"
  expected=0
}

if_shared() {
  if_true "[ -z '$left_out' ]" "$@"
}

if_found() {
  found=$1
  shift
  [ -e "$found" ] || echo "$name: left as it is what needs ${found#"$root/"}" >&2
  if_true "[ -e '$found' ]" "$@"
}

if_true() {
  dry=$skipping
  eval "$1" || skipping=yes
  shift
  "$@"
  skipping=$dry
}

prepare() {
  [ "$skipping" = yes ] || eval "$*"
}

enter_folder() {
  [ "$skipping" = no ] || { made machine; return; }
  rm -rf "$out"
  mkdir -p "$out"
  cd "$out"
  ln -s "$root/examples" examples
  for file; do
    if [ -e "$root/../shared/$file" ]; then
      ln -s "$root/../shared/$file" .
    else
      left_out="${left_out:+$left_out, }$file"
    fi
  done
  [ -z "$left_out" ] || echo "$name: left as it is what needs these of ../shared: $left_out" >&2
  made machine machine
}

machine() {
  printf 'Outputs: %s, %s; %s; %s. `...` stands for what is left out here.' \
    "$(hone doctor | sed -n 's/^cpu *\(.*\), [0-9]* CPUs*,.*/\1/p')" "$(uname -m)" \
    "$(hone --version | sed 's/^h/H/')" "$(date +%Y-%m-%d)"
  [ -z "$left_out" ] || printf ' Those that need %s are older.' "$left_out"
  echo
}

keep() {
  kept=
  for address; do
    kept="$kept$address b
"
  done
  sed -e "$kept" -e 's/.*/.../' | awk '$0 != "..." || last != "..." { print } { last = $0 }'
}

narrow() {
  awk -v width="$1" '
    { sub(/ +$/, "") }
    length > width && /^[- ]+$/ { $0 = substr($0, 1, width) }
    length > width { $0 = substr($0, 1, width - 4); sub(/[ ,;]*[^ ]*$/, ""); $0 = $0 " ..." }
    { print }'
}

ms() {
  hone profile "$@" | sed -n 's/^latency *median \([0-9.]*\) ms.*/\1/p'
}
