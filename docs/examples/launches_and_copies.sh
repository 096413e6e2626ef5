#!/bin/sh
# A network that loses its time on an NPU in handing over and copying: where it goes, and how it is got back.
# Usage, from the repository's root: sh docs/examples/launches_and_copies.sh
set -eu
. docs/examples/common.sh
made machine machine
net=zoo:mobilenet_v3_large:int8

# From a diagnosis: the gain of all findings of rules, and the run, in ms. Findings of fallbacks have no steps in
# common, so that their gains may be added.
predicted() {
  awk -v rules="\\[($2)\\]" '$0 ~ rules { mine = 1 } $1 == "gain" { if (mine) sum += $2; mine = 0 } END { print sum + 0 }' "$1"
}
run() {
  sed -n '1s/.*median \([0-9.]*\) ms.*/\1/p' "$1"
}
less() {
  echo "$1 $2" | awk '{ printf "%.3f", $1 - $2 }'
}
# What the last command printed, to be read below.
keep_as() {
  prepare "cp '$printed' '$out/$1'"
}
row() {
  printf '| %s | %s | %s | %s |\n' "$@"
}

show_cut "keep '1,/^traffic/'" "hone profile $net -d npu --disable-pass tabulate --rows 6"
show_cut "sed '/^3\./{s/.*/.../;q;}' | narrow 150" "hone diagnose $net -d npu --disable-pass tabulate --try 0"
keep_as before.txt
show_cut "keep '1,/^traffic/'" "hone profile $net -d npu --rows 6"
show_cut "keep 1 '/npu_reformat/,/fix/' | narrow 150" "hone diagnose $net -d npu --try 0"
keep_as tables.txt
show "hone convert $net --integer-io -o $out/io.onnx"
show_cut "keep 1 '/npu_reformat/,/fix/' | narrow 150" "hone diagnose $out/io.onnx -d npu --try 0"
keep_as io.txt
show "hone convert $net --integer-io --channels-last -o $out/device.onnx"
show_cut "keep 1,2 '/^commands/,/^energy/' | narrow 100" "hone compile $out/device.onnx -d npu --json $out/after.json"

summary() {
  before=$(run "$out/before.txt")
  tables=$(run "$out/tables.txt")
  io=$(run "$out/io.txt")
  after=$(ms "$out/device.onnx" -d npu)
  p1=$(predicted "$out/before.txt" "npu_table_missed|npu_fallback")
  p3=$(predicted "$out/io.txt" npu_reformat)
  # The finding is the same: what is left of it once inputs are integers is what turning them would gain.
  p2=$(less "$(predicted "$out/tables.txt" npu_reformat)" "$p3")

  row 'what is done (all simulated)' 'predicted gain, ms' 'run, ms' 'obtained, ms'
  row --- --- --- ---
  row 'activations in float on the host' - "$before" -
  row 'activations by tables' "$p1" "$tables" "$(less "$before" "$tables")"
  row 'bytes in and out' "$p2" "$io" "$(less "$tables" "$io")"
  row 'channels last' "$p3" "$after" "$(less "$io" "$after")"
  row 'all of it' - "$after" "$(echo "$before $after" | awk '{ printf "%.1f %% less", 100 * (1 - $2 / $1) }')"
}
made steps summary
keep_as steps.txt
