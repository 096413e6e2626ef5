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
# So are these.
printed_times() {
  cat <<'END'
loop_count = 8
num_threads = 4
powersave = 0
gpu_device = -1
cooling_down = 0
          squeezenet  min =   61.20  max =   63.45  avg =   62.02
     squeezenet_int8  min =   52.37  max =   54.90  avg =   53.11
            resnet18  min =  146.80  max =  151.12  avg =  148.25
      some_other_net  min =   12.00  max =   12.40  avg =   12.10
END
}
prepare 'measured_points >board.csv'
prepare 'printed_times >bench.log'

show_cut 'narrow 150' "hone compare zoo:resnet50 -d edge-tpu-usb,jetson-nano:fp16 --runs 1000 --report page.html --json out.json"
show_cut "keep '1,/^top1/' /^npu:/ /^ethos/ | narrow 150" \
  "hone compare examples/kws/kws.onnx -d cpu,npu,ethos-u55-128,cortex-m7 --data examples/kws/eval --threads 1"
show_cut 'narrow 165' "hone compare zoo:resnet18 zoo:mobilenet_v2 zoo:mobilenet_v3_large -d raspberry-pi-4 \\
    --accuracy resnet18=69.758 mobilenet_v2=71.878 mobilenet_v3_large=74.042 --max-latency 100ms"
show "cat board.csv"
show "hone calibrate -d npu --points board.csv -o board.toml"
show_cut 'keep 1,2' "hone profile zoo:resnet8:int8 -d board.toml"
show "hone calibrate -d raspberry-pi-4 --plan 3"
show "cat bench.log"
show "hone calibrate -d raspberry-pi-4 --points bench.log -o pi.toml"
