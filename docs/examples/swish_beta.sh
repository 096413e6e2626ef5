#!/bin/sh
# An activation that no NPU compiler knows: from a fallback to the host to a table on the NPU, held against FP32.
# Usage, from the repository's root: sh docs/examples/swish_beta.sh
set -eu
. docs/examples/common.sh
made machine machine
kws=examples/kws
ops=examples/swish_beta/operators.toml

show "python3 examples/swish_beta/make_model.py $kws/kws.onnx $out/kws_swish.onnx 5"
ends_with 4 show "hone compile $out/kws_swish.onnx -d npu"
show "cat $ops"
show "hone validate $out/kws_swish.onnx --ops $ops --data $kws/eval"
show "hone lut 'x*sigmoid(beta*x)' --param beta=5 --in 0.0625,3 --out 0.05,-100"
show "hone lut 'x*sigmoid(beta*x)' --param beta=5 --in 0.0625,3 --out 0.05,-100 --kind pwl"
show_cut 'narrow 150' "hone quantize $out/kws_swish.onnx --ops $ops --data $kws/calibration --validation-data $kws/eval -d npu -o $out/int8.onnx"
show_cut "keep '1,/^waits/'" "hone profile $out/int8.onnx -d npu --disable-pass tabulate --json $out/before.json --rows 6"
show_cut "keep '1,/^output/' | narrow 150" "hone compile $out/int8.onnx -d npu --disable-pass tabulate"
show_cut "keep '1,/^waits/'" "hone profile $out/int8.onnx -d npu --json $out/after.json --rows 6"
show_cut 'narrow 130' "hone compile $out/int8.onnx -d npu --json $out/placement.json"
show "hone validate $out/int8.onnx -d npu --reference $out/kws_swish.onnx --ops $ops --data $kws/eval --max-drop 1pt --max-latency 100us"
show "hone validate $out/int8.onnx -d npu --disable-pass tabulate --data $kws/eval --outputs $out/before.npy"
show "hone validate $out/int8.onnx -d npu --data $kws/eval --expected $out/before.npy"
show "{ sed 's/^name = \"npu\"/name = \"acme-npu\"/' hone/device/catalog/npu.toml; cat examples/swish_beta/device_operators.toml; } > $out/acme-npu.toml"
show_cut 'keep /^nodes/ /^latency/' "hone compile $out/int8.onnx -d $out/acme-npu.toml --json $out/acme.json"
