#!/bin/sh
# The outputs of cpu_or_gpu.md.
# Usage, from the repository's root: sh docs/howto/cpu_or_gpu.sh
set -eu
. docs/examples/common.sh
enter_folder

made machine machine
show_cut 'narrow 165' "hone compare op:matmul:4096x4096x4096 -d xeon-8280-class,t4,h200 --report page.html --json out.json"
show_cut "keep '1,/^runs measured/' /^run.with/ /rented/ | narrow 175" \
  "hone compare op:matmul:4096x4096x4096 -d cpu,t4,h200 --usd-per-hour cpu=0.0725 --duration 1"
show_cut "keep 1,8 /^copies.in/ /^run.with/ '/^batch/,/^$/' | narrow 175" \
  "hone compare op:matmul:64x64x64 -d cpu,t4,h200 --usd-per-hour cpu=0.0725"
show_cut "keep /beside/ '/^batch/,/^$/' | narrow 175" \
  "hone compare zoo:resnet50 -d xeon-8280-class,t4 --break-even --precision fp32"
show "hone zoo conv"
