#!/bin/sh
# ResNet-50 on an Edge TPU or on a Jetson Nano: a thousand inferences, power, energy, nearness to FP32, price.
# Usage, from the repository's root: sh docs/examples/resnet50_edge_tpu_or_jetson_nano.sh
set -eu
. docs/examples/common.sh
made machine machine
mkdir -p "$out/pictures"

show "python3 docs/examples/make_pictures.py $out/pictures/inputs.npy 8 224"
show_cut 'narrow 150' "hone quantize zoo:resnet50 --data $out/pictures --subset-size 4 -d edge-tpu-usb -o $out/int8.onnx --json $out/quantize.json"
show_cut 'narrow 150' "hone compare zoo:resnet50 -d edge-tpu-usb,jetson-nano:fp16 --runs 1000 --data $out/pictures --no-roofs --json $out/compare.json"
show_cut "keep '1,/^traffic/'" "hone profile $out/int8.onnx -d edge-tpu-usb --rows 5"
