#!/bin/sh
# The outputs of compare_devices.md.
# Usage, from the repository's root: sh docs/howto/compare_devices.sh
set -eu
. docs/examples/common.sh
enter_folder

# Made up: nobody measured them.
measured_points() {
  cat <<'END'
model,latency_ms,energy_mj
zoo:ds_cnn_kws:int8,0.081,0.006
zoo:resnet8:int8,0.109,0.018
zoo:autoencoder:int8,0.139,
END
}
prepare 'measured_points >board.csv'

show_cut 'narrow 150' "hone compare zoo:resnet50 -d edge-tpu-usb,jetson-nano --runs 1000 --report page.html --json out.json"
show_cut "keep '1,/^top1/' /^npu:/ /^ethos/ | narrow 150" \
  "hone compare examples/kws/kws.onnx -d cpu,npu,ethos-u55-128,cortex-m7 --data examples/kws/eval --threads 1"
show "cat board.csv"
show "hone calibrate -d npu --points board.csv -o board.toml"
show_cut 'keep 1,2' "hone profile zoo:resnet8:int8 -d board.toml"
