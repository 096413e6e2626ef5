#include "hone/targets/npu/working_set.h"

#include <algorithm>

#include "hone/sim/vector_op.h"

namespace hone::npu {
namespace {

// Whether operands are read through the layer's window; otherwise row by row.
bool slides(const Layer& layer) {
  return layer.product() != nullptr || layer.vector()->op->slides;
}

}  // namespace

Rows input_rows(const Layer& layer, const Operand& operand, Rows output) {
  if (operand.whole || (!layer.cuts_rows && !slides(layer))) return {0, operand.image.height};
  if (!slides(layer)) return output;
  const sim::Window2d& window = layer.window();
  const int64_t first = output.first * window.stride_h - window.pad_top;
  const int64_t last = (output.last - 1) * window.stride_h - window.pad_top +
                       (window.kernel_h - 1) * window.dilation_h + 1;
  // A window that lies in the padding alone still has a row to stand on.
  const int64_t begin = std::clamp<int64_t>(first, 0, operand.image.height - 1);
  return {begin, std::clamp(last, begin + 1, operand.image.height)};
}

int64_t pad_above(const Layer& layer, Rows output) {
  const sim::Window2d& window = layer.window();
  const int64_t first = output.first * window.stride_h - window.pad_top;
  return input_rows(layer, layer.inputs[0], output).first - first;
}

Cut whole_cut(const Layer& layer) {
  return {layer.output.image.height, layer.output.image.channels};
}

Cut smallest_cut(const Layer& layer) {
  Cut cut = whole_cut(layer);
  if (layer.cuts_rows) cut.rows = 1;
  if (layer.cuts_channels || layer.product() != nullptr) cut.channels = 1;
  return cut;
}

int64_t input_tile_bytes(const Layer& layer, const Operand& operand, const Cut& cut) {
  if (operand.whole) return operand.image.bytes();
  int64_t rows = operand.image.height;
  if (layer.cuts_rows && !slides(layer)) rows = std::min(rows, cut.rows);
  if (layer.cuts_rows && slides(layer)) {
    const sim::Window2d& window = layer.window();
    rows = std::min(
        rows, (cut.rows - 1) * window.stride_h + (window.kernel_h - 1) * window.dilation_h + 1);
  }
  const int64_t channels = layer.cuts_channels ? cut.channels : operand.image.channels;
  return rows * operand.image.width * channels;
}

int64_t output_tile_bytes(const Layer& layer, const Cut& cut) {
  return cut.rows * layer.output.image.width * cut.channels;
}

int64_t least_working_bytes(const Layer& layer) {
  const Cut cut = smallest_cut(layer);
  int64_t bytes = output_tile_bytes(layer, cut);
  for (const Operand& operand : layer.inputs) bytes += input_tile_bytes(layer, operand, cut);
  if (layer.product() != nullptr) return bytes + sim::weight_block_bytes(1, layer.weights.products);
  return bytes + std::ssize(layer.constants);
}

}  // namespace hone::npu
