#!/bin/sh
# EfficientNet B0 to B3 on a phone: accuracy against latency, and the one to take.
# Usage, from the repository's root: sh docs/examples/efficientnet_on_a_phone.sh
set -eu
. docs/examples/common.sh
made machine machine

models="zoo:efficientnet_b0 zoo:efficientnet_b1 zoo:efficientnet_b2 zoo:efficientnet_b3"
accuracies="--accuracy efficientnet_b0=77.692 efficientnet_b1=78.642 efficientnet_b2=80.608 efficientnet_b3=82.008"

show_cut 'narrow 165' "hone compare $models -d snapdragon-8-gen-2 \\
    $accuracies \\
    --max-latency 5ms --report $out/phone.html --json $out/phone.json"
ends_with 2 show_cut 'keep 1 /^take/ | narrow 190' "hone compare $models -d snapdragon-8-gen-2 \\
    $accuracies --max-latency 3ms"
