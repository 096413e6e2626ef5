#!/bin/sh
# The outputs of validate.md.
# Usage, from the repository's root: sh docs/howto/validate.sh
set -eu
. docs/examples/common.sh
enter_folder models/mlperf_tiny/kws_int8.tflite models/mlperf_tiny/kws_fp32.tflite data/kws

# How often each verdict is reached when a program is compared with itself.
verdicts() {
  for i in $(seq 100); do
    hone validate zoo:ds_cnn_kws --baseline-model zoo:ds_cnn_kws --max-slowdown 3% --min-slowdown-time 0us --threads 1 \
      -t 0.1 | sed -n 's/^verdict: //p'
  done | sort | uniq -c | awk -v machine="$1" '
    { count[$2] = $1 }
    END { printf "| %s | %d | %d | %d |\n", machine, count["pass"], count["inconclusive"], count["fail"] }'
}
# One endless loop for each CPU; they end with the script, however that ends.
busy_verdicts() {
  loops=
  trap 'kill $loops' EXIT
  trap 'exit 130' INT TERM
  for i in $(seq "$(nproc)"); do
    sh -c 'while :; do :; done' &
    loops="$loops $!"
  done
  verdicts "one endless loop on each core"
  kill $loops
  trap - EXIT INT TERM
}
verdict_table() {
  echo '| 100 comparisons | pass | inconclusive | fail |'
  echo '|---|---|---|---|'
  verdicts "nothing else started"
  busy_verdicts
}

against="hone validate kws_int8.tflite --data kws --reference kws_fp32.tflite"
if_shared show "$against --layers --rows 4"
if_shared ends_with 1 show_cut "keep '/^what  *asked/,\$'" "$against \\
    --max-drop 1% --max-latency 1ms --max-slowdown 5% --max-peak-memory 100KB --max-size 50KB --threads 1"
made verdicts verdict_table
ends_with 1 show "hone validate zoo:mobilenet_v3_large:int8 -d npu \\
    --max-latency 5ms --max-slowdown 5% --baseline-model zoo:mobilenet_v2:int8"
ends_with 1 show_cut 'narrow 150' "hone validate zoo:mobilenet_v2 -d cortex-m7 --max-latency 10s"
if_shared show_cut "keep '/^u8s8/,\$'" "hone validate kws_int8.tflite --data kws --arithmetic u8s8-saturating"
if_shared show_cut "keep '/^tried/,\$'" "hone quantize kws_fp32.tflite --data kws --reduce-range -o seven_bits.onnx"
if_shared show_cut "keep '/^u8s8/,\$'" "hone validate seven_bits.onnx --data kws --arithmetic u8s8-saturating"
