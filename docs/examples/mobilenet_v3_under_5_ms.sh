#!/bin/sh
# MobileNetV3 under 5 ms on an NPU: from floats, which the NPU cannot compute on, to bytes from end to end.
# Usage, from the repository's root: sh docs/examples/mobilenet_v3_under_5_ms.sh
set -eu
. docs/examples/common.sh
made machine machine
net=zoo:mobilenet_v3_large

show_cut "keep '1,/^waits/'" "hone profile $net -d npu --rows 4"
show_cut "keep '1,/^waits/'" "hone profile $net:int8 -d npu --rows 4"
show "hone convert $net:int8 --integer-io --channels-last -o $out/int8.onnx"
show_cut 'narrow 100' "hone compile $out/int8.onnx -d npu -o $out/program"
for device in npu edge-tpu-usb ethos-u65-256 ethos-u65-512; do
  ends_with '0 1 2' show_cut 'keep 1,3' "hone validate $out/int8.onnx -d $device --max-latency 5ms --json $out/$device.json"
done
