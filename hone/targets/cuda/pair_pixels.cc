#include "hone/targets/cuda/pair_pixels.h"

#include <cstring>

#include "hone/ops/conv/geometry.h"
#include "hone/passes/match.h"

namespace hone::cuda {
namespace {

constexpr std::string_view kPairPixels = "pair_pixels";
constexpr int64_t kChannels = 4;  // Of a pixel; two of them are 16 bytes.

int64_t even(int64_t value) {
  return (value + 1) / 2 * 2;
}

std::optional<ConvGeometry> pairable(const Node& node) {
  const Tensor* weights = constant_of(node, 1);
  const TensorType& x = node.inputs[0]->type.tensor;
  if (weights == nullptr || !x.known() || x.rank() != 4 || bits_of(x.dtype) != 16) {
    return std::nullopt;
  }
  auto conv = conv_geometry(NodeContext(*find_op(node.op), node), x.shape, weights->type().shape);
  if (!conv.ok() || !conv->nhwc || conv->groups != 1 || conv->in_channels > kChannels) {
    return std::nullopt;
  }
  const WindowAxis& width = conv->window.axes[2];
  if (width.stride % 2 != 0 || width.dilation != 1) return std::nullopt;
  return *conv;
}

// What has to lie around an axis so that windows of `reach` never leave it.
std::pair<int64_t, int64_t> borders(const WindowAxis& axis, int64_t reach) {
  const int64_t extent = (axis.out - 1) * axis.stride + reach;
  return {axis.pad_begin, extent - axis.pad_begin - axis.in};
}

// [out, height, width, channels] with zeros for the channels and the column that are not there.
Tensor paired_weights(const Tensor& weights, const ConvGeometry& conv) {
  const int64_t height = conv.window.axes[1].kernel;
  const int64_t width = conv.window.axes[2].kernel;
  Tensor paired(
      TensorType{weights.dtype(), {conv.out_channels, height, even(width) / 2, 2 * kChannels}});
  const size_t element = weights.bytes().size() / static_cast<size_t>(weights.elements());
  const size_t pixel = static_cast<size_t>(conv.in_channels) * element;
  const std::byte* from = weights.bytes().data();
  std::byte* to = paired.mutable_bytes().data();
  std::memset(to, 0, paired.bytes().size());
  for (int64_t row = 0; row < conv.out_channels * height; ++row) {
    for (int64_t column = 0; column < width; ++column) {
      const auto place = static_cast<size_t>((row * even(width) + column) * kChannels) * element;
      std::memcpy(to + place, from, pixel);
      from += pixel;
    }
  }
  return paired;
}

void pair(Graph& graph, Node* node, const ConvGeometry& conv) {
  const WindowAxis& height = conv.window.axes[1];
  const WindowAxis& width = conv.window.axes[2];
  const auto [top, bottom] = borders(height, height.reach());
  const auto [left, right] = borders(width, even(width.kernel));
  Value* pads = graph.add_constant(
      node->name + ".border",
      Tensor::of_ints({0, top, left, 0, 0, bottom, right, kChannels - conv.in_channels}));
  Node* image =
      add_inferred(graph, "pad", {node->inputs[0], pads}, {}, node->name + ".image", node);
  const Shape& whole = image->outputs[0]->type.tensor.shape;
  const Shape halved = {whole[0], whole[1], whole[2] / 2, 2 * kChannels};
  Value* extents = graph.add_constant(node->name + ".extents", Tensor::of_ints(halved));
  Node* pairs = add_inferred(graph, "reshape", {image->outputs[0], extents}, reshape_attrs(halved),
                             node->name + ".pairs", node);
  std::vector<Value*> inputs = node->inputs;
  inputs[0] = pairs->outputs[0];
  inputs[1] =
      graph.add_constant(node->name + ".paired", paired_weights(*node->inputs[1]->constant, conv));
  Attrs attrs = node->attrs;
  attrs.insert_or_assign("strides", Ints{height.stride, width.stride / 2});
  attrs.insert_or_assign("pads", Ints{0, 0, 0, 0});
  attrs.insert_or_assign("kernel_shape", Ints{height.kernel, even(width.kernel) / 2});
  attrs.insert_or_assign("auto_pad", std::string("NOTSET"));
  Node* paired = add_inferred(graph, "conv", inputs, attrs, node->name, node);
  for (Node* made : {image, pairs, paired}) graph.inherit_origins(made, *node);
  take_place(graph, {node}, paired, node->outputs[0], kPairPixels);
}

}  // namespace

int pair_pixels(Graph& graph) {
  int count = 0;
  for (Node* node : graph.nodes()) {
    if (node->op != "conv") continue;
    if (const auto conv = pairable(*node)) {
      pair(graph, node, *conv);
      ++count;
    }
  }
  return count;
}

}  // namespace hone::cuda
