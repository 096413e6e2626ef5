#!/bin/sh
# MobileNetV3 under 5 ms on an NPU: from floats, which the NPU cannot compute on, to bytes from end to end.
# Usage, from the repository's root: sh docs/examples/mobilenet_v3_under_5_ms.sh
set -eu
. docs/examples/common.sh
net=zoo:mobilenet_v3_large

show "hone profile $net -d npu --rows 4 | sed -n '1,/^waits/p'"
show "hone profile $net:int8 -d npu --rows 4 | sed -n '1,/^waits/p'"
show "hone convert $net:int8 --integer-io --channels-last -o $out/int8.onnx"
show "hone compile $out/int8.onnx -d npu -o $out/program | sed 's/;.*//'"
for device in npu edge-tpu-usb ethos-u65-256 ethos-u65-512; do
  show "hone validate $out/int8.onnx -d $device --max-latency 5ms --json $out/$device.json | head -3" || true
done
