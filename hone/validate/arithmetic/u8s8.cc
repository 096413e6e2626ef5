#include "hone/validate/arithmetic/u8s8.h"

#include <algorithm>
#include <numeric>

#include "hone/ops/conv/geometry.h"
#include "hone/ops/interpreter.h"
#include "hone/ops/op_def.h"
#include "hone/ops/quant/weighted.h"

namespace hone {
namespace {

struct Operands {
  std::vector<int32_t> x;  // Stored activations, 0 to 255.
  std::vector<int32_t> w;  // As stored.
  int32_t zero = 0;        // Of x, which padding has.
};

std::vector<int32_t> stored(const Tensor& tensor, int32_t offset) {
  std::vector<int32_t> values;
  for (const int64_t value : to_ints(tensor)) {
    values.push_back(static_cast<int32_t>(value) + offset);
  }
  return values;
}

Operands operands_of(const EvalContext& in) {
  const int32_t offset = in.in(0).dtype() == DType::I8 ? 128 : 0;
  return {.x = stored(in.in(0), offset),
          .w = stored(in.in(1), 0),
          .zero = zero_point_of(in.in(0)) + offset};
}

// The stored activations under the window of one output pixel, ordered by tap and channel.
void gather(const ConvGeometry& conv, const Operands& operands, int64_t image, int64_t group,
            int64_t pixel, std::vector<int32_t>& row) {
  const auto& [depth, height, width] = conv.window.axes;
  const int64_t ins = conv.in_channels / conv.groups;
  const int64_t x = pixel % width.out, y = pixel / width.out % height.out,
                z = pixel / width.out / height.out;
  size_t k = 0;
  for (int64_t tap = 0; tap < conv.window.taps(); ++tap) {
    const int64_t in_x = width.source(x, tap % width.kernel);
    const int64_t in_y = height.source(y, tap / width.kernel % height.kernel);
    const int64_t in_z = depth.source(z, tap / width.kernel / height.kernel);
    const bool inside = in_z >= 0 && in_z < depth.in && in_y >= 0 && in_y < height.in &&
                        in_x >= 0 && in_x < width.in;
    const int64_t at = (in_z * height.in + in_y) * width.in + in_x;
    for (int64_t c = 0; c < ins; ++c) {
      const int64_t channel = group * ins + c;
      const int64_t offset =
          conv.nhwc ? at * conv.in_channels + channel : channel * conv.window.in_pixels() + at;
      const int64_t first = image * conv.in_channels * conv.window.in_pixels();
      row[k++] = inside ? operands.x[static_cast<size_t>(first + offset)] : operands.zero;
    }
  }
}

// The weights of an output channel, ordered by tap and channel.
std::vector<int32_t> weights_of(const ConvGeometry& conv, const Operands& operands, int64_t out) {
  const int64_t ins = conv.in_channels / conv.groups;
  const int64_t taps = conv.window.taps();
  std::vector<int32_t> row;
  for (int64_t tap = 0; tap < taps; ++tap) {
    for (int64_t c = 0; c < ins; ++c) {
      const int64_t at = conv.nhwc ? tap * ins + c : c * taps + tap;
      row.push_back(operands.w[static_cast<size_t>(out * ins * taps + at)]);
    }
  }
  return row;
}

// A row of activations less their zero point times a row of weights.
uint32_t product(const std::vector<int32_t>& u, const std::vector<int32_t>& s, int32_t zero) {
  const int32_t weights = std::accumulate(s.begin(), s.end(), 0);
  return static_cast<uint32_t>(saturating_dot(u, s)) -
         static_cast<uint32_t>(zero) * static_cast<uint32_t>(weights);
}

std::vector<uint32_t> bias_or_zeros(const EvalContext& in, int64_t channels) {
  if (in.has(2)) return bias_of<uint32_t>(in.in(2));
  return std::vector<uint32_t>(static_cast<size_t>(channels));
}

// Sums of every output element, in the order of the output tensor.
std::vector<uint32_t> conv_sums(const EvalContext& in, const ConvGeometry& conv) {
  const Operands operands = operands_of(in);
  const std::vector<uint32_t> bias = bias_or_zeros(in, conv.out_channels);
  const int64_t pixels = conv.window.out_pixels();
  const int64_t outs = conv.out_channels / conv.groups;
  std::vector<std::vector<int32_t>> weights;
  for (int64_t o = 0; o < conv.out_channels; ++o) weights.push_back(weights_of(conv, operands, o));
  std::vector<uint32_t> sums(static_cast<size_t>(conv.batch * conv.out_channels * pixels));
  std::vector<int32_t> row(
      static_cast<size_t>(conv.in_channels / conv.groups * conv.window.taps()));
  for (int64_t i = 0; i < conv.batch * conv.groups * pixels; ++i) {
    const int64_t pixel = i % pixels, group = i / pixels % conv.groups,
                  image = i / pixels / conv.groups;
    gather(conv, operands, image, group, pixel, row);
    for (int64_t o = group * outs; o < (group + 1) * outs; ++o) {
      const int64_t at = conv.nhwc ? (image * pixels + pixel) * conv.out_channels + o
                                   : (image * conv.out_channels + o) * pixels + pixel;
      const auto channel = static_cast<size_t>(o);
      sums[static_cast<size_t>(at)] = bias[channel] + product(row, weights[channel], operands.zero);
    }
  }
  return sums;
}

Status store_conv(EvalContext& in) {
  HONE_TRY(const ConvGeometry conv, conv_geometry(in, in.in(0).shape(), in.in(1).shape()));
  const int64_t stride = conv.nhwc ? 1 : conv.window.out_pixels();
  return store_sums(in, conv_sums(in, conv), {conv.out_channels, stride},
                    scale_product(in.in(0).dtype()));
}

Status store_gemm(EvalContext& in) {
  const Operands operands = operands_of(in);
  const bool transposed = in.integer("transB") != 0;
  const auto depth = static_cast<size_t>(in.in(0).shape()[1]);
  const int64_t columns = in.in(1).shape()[transposed ? 0 : 1];
  const std::vector<uint32_t> bias = bias_or_zeros(in, columns);
  const auto n = static_cast<size_t>(columns);
  std::vector<uint32_t> sums(static_cast<size_t>(in.in(0).shape()[0]) * n);
  std::vector<int32_t> u(depth), s(depth);
  for (size_t i = 0; i < sums.size(); ++i) {
    const size_t row = i / n, column = i % n;
    for (size_t k = 0; k < depth; ++k) {
      u[k] = operands.x[row * depth + k];
      s[k] = operands.w[transposed ? column * depth + k : k * n + column];
    }
    sums[i] = bias[i % bias.size()] + product(u, s, operands.zero);
  }
  return store_sums(in, sums, {columns, 1}, ScaleProduct::Float);
}

bool is_depthwise(const Node& node) {
  const int64_t* groups = node.find_attr<int64_t>("group");
  if (node.op != "conv" || groups == nullptr || *groups == 1) return false;
  const Shape& w = node.inputs[1]->type.tensor.shape;
  const std::string* layout = node.find_attr<std::string>("layout");
  return (layout != nullptr && *layout == "nhwc" ? w.back() : w[1]) == 1;
}

}  // namespace

int32_t saturating_dot(std::span<const int32_t> u, std::span<const int32_t> s) {
  uint32_t sum = 0;  // Wraps as the instructions' sums do.
  for (size_t k = 0; k + 1 < u.size(); k += 2) {
    const int32_t pair = u[k] * s[k] + u[k + 1] * s[k + 1];
    sum += static_cast<uint32_t>(std::clamp(pair, -32768, 32767));
  }
  if (u.size() % 2 != 0) sum += static_cast<uint32_t>(u.back() * s.back());
  return static_cast<int32_t>(sum);
}

bool is_u8s8_product(const Node& node) {
  if (node.op != "conv" && node.op != "gemm") return false;
  const TensorType& x = node.inputs[0]->type.tensor;
  const TensorType& w = node.inputs[1]->type.tensor;
  const bool bytes = x.quantized() && (x.dtype == DType::I8 || x.dtype == DType::U8);
  if (!bytes || !w.quantized() || w.dtype != DType::I8 || is_depthwise(node)) return false;
  return std::ranges::all_of(w.quant->zero_points, [](int32_t zero) { return zero == 0; });
}

Result<std::vector<Item>> run_u8s8(const Node& node, const std::vector<const Item*>& inputs,
                                   const EvalOptions& options) {
  HONE_TRY(std::vector<Item> outputs, run_node(node, inputs, options));
  if (!is_u8s8_product(node)) return outputs;
  EvalContext in(*find_op(node.op), node, inputs, {outputs[0].tensor.type()}, options, {});
  HONE_RETURN_IF_ERROR(node.op == "conv" ? store_conv(in) : store_gemm(in));
  return in.take_outputs();
}

}  // namespace hone
