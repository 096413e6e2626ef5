#!/bin/sh
# The outputs of find_what_is_slow.md.
# Usage, from the repository's root: sh docs/howto/find_what_is_slow.sh
set -eu
. docs/examples/common.sh
enter_folder models/mlperf_tiny/kws_fp32.tflite data/kws
net=zoo:mobilenet_v3_large

show_cut 'keep 1,11 /^watching/ /^sum_of_steps/' "hone profile $net --threads 1 --rows 3 --json before.json"
show_cut "keep 1,9 '/^Options/,/^    try/' '\$' | narrow 150" "hone diagnose $net --threads 1"
show_cut "keep '1,/^wrote/'" "hone optimize $net --threads 1 -o fast.onnx --json optimization.json"
if_shared show "hone optimize kws_fp32.tflite --threads 1 --data kws -o k.onnx"
show_cut 'keep 1,2' "hone profile fast.onnx --threads 1 --precision bf16 --json after.json"
# On a machine that does other work the answer may be unclear.
ends_with '0 2' show "hone diff before.json after.json --rows 2"
show "hone report optimization.json -o report.html"

show "python3 examples/swish_beta/make_model.py examples/kws/kws.onnx custom.onnx 1.7"
ends_with 4 show "hone profile custom.onnx --threads 1"
show_cut 'keep 1,2' "hone profile custom.onnx --threads 1 --op 'acme.SwishBeta=x*sigmoid(beta*x)'"
