#!/bin/sh
# The outputs of quantize.md.
# Usage, from the repository's root: sh docs/howto/quantize.sh
set -eu
. docs/examples/common.sh
enter_folder models/coral/mobilenet_v2_ptq_int8.tflite golden/mobilenet_v2_ptq_int8_image.in.npy \
  models/mlperf_tiny/kws_fp32.tflite data/kws
peers=$root/build/peers
kws="examples/kws/kws.onnx --data examples/kws/calibration"
judged="--validation-data examples/kws/eval"

layers_recipe() {
  cat <<'END'
schema_version = '1.0'
type = 'int8'
calibrate_method = 'mse'

[[layer]]
scope = '^block\.0\..*'
type = 'float'
END
}

# recovery_row OPTIONS LABEL: what they recover of the accuracy of a network that is known to lose it.
recovery_row() {
  hone quantize float.onnx --data crops.npy --subset-size 16 $1 -o recovered.onnx |
    awk -v label="$2" '/^i8 activations/ {
      printf "| %s | %.0f %% | %.1f dB |\n", label, 100 * $(NF - 3), $(NF - 1) }'
}
recovery_table() {
  hone convert mobilenet_v2_ptq_int8.tflite --dequantize -o float.onnx >/dev/null
  python3 "$root/docs/howto/make_crops.py" mobilenet_v2_ptq_int8_image.in.npy crops.npy 116
  echo '| options | agreement with float | SQNR of the outputs |'
  echo '|---|---|---|'
  options=
  for next in --per-tensor --equalize --bias-correction --adaround; do
    options="$options $next"
    recovery_row "$options" "\`${options# }\`"
  done
  recovery_row '' 'none: one scale per channel'
}

# answers_row LABEL MODEL DATA: Hone and ONNX Runtime on the same file.
answers_row() {
  hone validate "$2" --data "$3" --outputs hone.npy >/dev/null
  (cd "$peers" && node "$root/tools/ort_outputs.mjs" "$folder/$2" "$folder/$3/inputs.npy" "$folder/ort.npy")
  echo "| $1 | $(python3 "$root/docs/howto/same_answers.py" hone.npy ort.npy) |"
}
answers_table() {
  folder=$PWD
  version=$(sed -n 's/.*"version": "\(.*\)".*/\1/p' "$peers/node_modules/onnxruntime-node/package.json")
  echo "| ONNX Runtime $version | same answers | largest difference of a probability |"
  echo '|---|---|---|'
  for type in int8 uint8 int16 int4 int8-weights; do
    hone quantize $kws --type "$type" -o peer.onnx >/dev/null
    answers_row "examples/kws, $type" peer.onnx examples/kws/eval
  done
  hone quantize kws_fp32.tflite --data kws -o peer.onnx >/dev/null
  answers_row "MLPerf Tiny's keyword spotting, int8" peer.onnx kws
}

show_cut 'narrow 140' "hone quantize $kws \\
    $judged -o int8.onnx"
show_cut 'narrow 140' "hone quantize $kws \\
    $judged --type int4 --per-tensor --auto --max-drop 1pt -o int4.onnx"
if_shared made recovery recovery_table
show_cut 'keep 1,5' "hone quantize $kws --sensitivity"

show "cat int4.toml"
show_cut "keep '/^tried/,\$'" "hone quantize $kws \\
    $judged --recipe int4.toml -o again.onnx"
prepare 'layers_recipe >mine.toml'
show "cat mine.toml"
show_cut "keep '/^tried/,\$'" "hone quantize $kws \\
    $judged --recipe mine.toml -o by_hand.onnx"
show "hone convert zoo:mobilenet_v2:int8 --integer-io --channels-last -o device.onnx"
if_found "$peers/node_modules/onnxruntime-node" if_shared made answers answers_table
