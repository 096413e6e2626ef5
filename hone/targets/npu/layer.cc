#include "hone/targets/npu/layer.h"

#include <algorithm>
#include <cstring>

#include "hone/targets/common/prepare_graph.h"

namespace hone::npu {
namespace {

struct LayerKind {
  std::string_view op;
  std::optional<Layer> (*make)(const Node& node, const EvalOptions& options);
};

constexpr LayerKind kKinds[] = {
    {"conv", conv_layer},          {"gemm", gemm_layer},        {"add", pair_layer},
    {"sub", pair_layer},           {"mul", pair_layer},         {"max_pool", pool_layer},
    {"average_pool", pool_layer},  {"reduce_mean", mean_layer}, {"softmax", softmax_layer},
    {"resize", resize_layer},      {"lookup", table_layer},     {"requantize", table_layer},
    {"sigmoid", table_layer},      {"tanh", table_layer},       {"hard_swish", table_layer},
    {"hard_sigmoid", table_layer}, {"leaky_relu", table_layer}, {"elu", table_layer},
    {"gelu", table_layer},         {"relu", table_layer},       {"clip", table_layer},
};

}  // namespace

bool has_command(std::string_view op) {
  return op == "concat" || std::ranges::find(kKinds, op, &LayerKind::op) != std::end(kKinds);
}

bool is_table_op(std::string_view op) {
  const auto* kind = std::ranges::find(kKinds, op, &LayerKind::op);
  return kind != std::end(kKinds) && kind->make == table_layer;
}

std::vector<std::byte> weight_block(const Weights& weights, int64_t first, int64_t last) {
  const int64_t channels = last - first;
  std::vector<std::byte> block(
      static_cast<size_t>(sim::weight_block_bytes(channels, weights.products)));
  if (weights.depthwise) {
    for (int64_t tap = 0; tap < weights.products; ++tap) {
      std::memcpy(block.data() + tap * channels,
                  weights.bytes.data() + tap * weights.channels + first,
                  static_cast<size_t>(channels));
    }
  } else {
    std::memcpy(block.data(), weights.bytes.data() + first * weights.products,
                static_cast<size_t>(channels * weights.products));
  }
  std::byte* constants = block.data() + sim::constants_offset(channels, weights.products);
  for (const std::vector<int32_t>* array : {&weights.bias, &weights.multipliers, &weights.shifts}) {
    const size_t bytes = static_cast<size_t>(channels) * sizeof(int32_t);
    std::memcpy(constants, array->data() + first, bytes);
    constants += bytes;
  }
  return block;
}

const sim::Window& Layer::window() const {
  return std::visit([](const auto& command) -> const sim::Window& { return command.window; }, work);
}

std::optional<Layer> make_layer(const Node& node, const EvalOptions& options) {
  if (node.outputs.size() != 1 || !is_plannable(*node.outputs[0])) return std::nullopt;
  for (const LayerKind& kind : kKinds) {
    if (kind.op != node.op) continue;
    std::optional<Layer> layer = kind.make(node, options);
    if (layer) {
      layer->node = &node;
      layer->output.value = node.outputs[0];
    }
    return layer;
  }
  return std::nullopt;
}

bool is_byte(const Value& value) {
  if (!is_plannable(value)) return false;
  const TensorType& type = value.type.tensor;
  return type.quantized() && type.quant->per_tensor() && type.elements() > 0 &&
         (type.dtype == DType::I8 || type.dtype == DType::U8);
}

Image image_of(const TensorType& type) {
  const Shape& shape = type.shape;
  Image image;
  if (!shape.empty()) image.channels = shape.back();
  if (shape.size() > 1) image.width = shape[shape.size() - 2];
  for (size_t i = 0; i + 2 < shape.size(); ++i) image.height *= shape[i];
  return image;
}

sim::Window window_of(const WindowAxis& height, const WindowAxis& width) {
  return {.kernel_h = height.kernel,
          .kernel_w = width.kernel,
          .stride_h = height.stride,
          .stride_w = width.stride,
          .dilation_h = height.dilation,
          .dilation_w = width.dilation,
          .pad_top = height.pad_begin,
          .pad_left = width.pad_begin};
}

sim::View view_of(const Image& image) {
  return {.height = image.height,
          .width = image.width,
          .channels = image.channels,
          .row_stride = image.width * image.channels,
          .pixel_stride = image.channels};
}

}  // namespace hone::npu
