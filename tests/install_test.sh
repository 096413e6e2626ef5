#!/bin/sh
# What `cmake --install` leaves is a program, manuals that read, completions that parse, and a library that a project
# finds, links and runs.
# Usage: install_test.sh CMAKE BUILD-FOLDER SOURCE-FOLDER
set -eu
cmake=$1 build=$2 source=$3
prefix=$(mktemp -d "${TMPDIR:-/tmp}/hone_install.XXXXXX")
export XDG_CACHE_HOME="$prefix/cache"
trap 'rm -rf "$prefix"' EXIT
"$cmake" --install "$build" --prefix "$prefix/usr" > "$prefix/log" || { cat "$prefix/log"; exit 1; }

"$prefix/usr/bin/hone" --version
for page in hone hone-profile; do
  grep -q '^\.SH NAME' "$prefix/usr/share/man/man1/$page.1"
done
# What the installed README.md links to is beside it.
pages=$prefix/usr/share/doc/hone
grep -o '](\([^)#]*\)' "$pages/README.md" | cut -c 3- | grep -v '^https*:' | sort -u | while read -r link; do
  [ -e "$pages/$link" ] || { echo "README.md: $link is not installed"; exit 1; }
done
bash -n "$prefix/usr/share/bash-completion/completions/hone"
offered=$(bash -c '. "$1"; COMP_WORDS=(hone prof) COMP_CWORD=1; _hone; echo "${COMPREPLY[*]}"
  COMP_WORDS=(hone profile --precision f) COMP_CWORD=3; _hone; echo "${COMPREPLY[*]}"
  COMP_WORDS=(hone profile --thr) COMP_CWORD=2; _hone; echo "${COMPREPLY[*]}"' \
  sh "$prefix/usr/share/bash-completion/completions/hone")
expected="profile
fp32 fp16
--threads"
[ "$offered" = "$expected" ] || { echo "bash completes: $offered"; exit 1; }

# pkg-config finds it where it is, whatever prefix the build had in mind.
included=$(PKG_CONFIG_PATH="$prefix/usr/lib/pkgconfig" pkg-config --cflags hone)
[ -f "$(echo "${included#-I}" | tr -d ' ')/hone/hone.h" ] || { echo "pkg-config says: $included"; exit 1; }

PKG_CONFIG_PATH="$prefix/usr/lib/pkgconfig"
export PKG_CONFIG_PATH
# shellcheck disable=SC2046  # the words are meant to be split
c++ -std=c++20 "$source/examples/cpp/sharpen.cc" $(pkg-config --cflags hone) $(pkg-config --variable=static hone) \
  -o "$prefix/sharpen_pkg_config"
"$prefix/sharpen_pkg_config" zoo:ds_cnn_kws | grep -q '^output of 12 x f32'

"$cmake" -S "$source/examples/cpp" -B "$prefix/build" -DCMAKE_PREFIX_PATH="$prefix/usr" -DCMAKE_BUILD_TYPE=Release > "$prefix/log" 2>&1 &&
  "$cmake" --build "$prefix/build" >> "$prefix/log" 2>&1 || { cat "$prefix/log"; exit 1; }
for program in sharpen sharpen_static; do
  "$prefix/build/$program" zoo:ds_cnn_kws "$prefix/$program.html" | grep -q '^output of 12 x f32'
  grep -q '<html' "$prefix/$program.html"
  status=0
  "$prefix/build/$program" nowhere.onnx 2> "$prefix/errors" || status=$?
  [ "$status" = 3 ] && grep -q 'nowhere.onnx' "$prefix/errors"
done
echo "installed, found, linked and run"
