#include "hone/targets/npu/layer.h"

#include <cstring>

#include "hone/targets/common/prepare_graph.h"

namespace hone::npu {
namespace {

// [taps][channels] of depthwise ones, otherwise [channels][products].
void copy_weights(const Weights& weights, int64_t first, int64_t last, std::byte* to) {
  const std::byte* from = weights.stored->bytes().data() + first * weights.products;
  const int64_t channels = last - first;
  if (!weights.depthwise) {
    std::memcpy(to, from, static_cast<size_t>(channels * weights.products));
    return;
  }
  for (int64_t channel = 0; channel < channels; ++channel) {
    for (int64_t tap = 0; tap < weights.products; ++tap) {
      to[tap * channels + channel] = from[channel * weights.products + tap];
    }
  }
}

}  // namespace

std::vector<std::byte> weight_block(const Layer& layer, int64_t first, int64_t last) {
  const Weights& weights = layer.weights;
  const int64_t channels = last - first;
  std::vector<std::byte> block(
      static_cast<size_t>(sim::weight_block_bytes(channels, weights.products)));
  copy_weights(weights, first, last, block.data());
  const std::vector<FixedPoint> factors =
      output_factors(layer.node->inputs[0]->type.tensor, weights.stored->type(),
                     layer.node->outputs[0]->type.tensor, weights.channels, weights.scales);
  std::byte* constants = block.data() + sim::constants_offset(channels, weights.products);
  const auto put = [&](int32_t value) {
    std::memcpy(constants, &value, sizeof(value));
    constants += sizeof(value);
  };
  for (int64_t c = first; c < last; ++c) {
    put(weights.bias == nullptr ? 0 : weights.bias->data<int32_t>()[static_cast<size_t>(c)]);
  }
  for (int64_t c = first; c < last; ++c) put(factors[static_cast<size_t>(c)].multiplier);
  for (int64_t c = first; c < last; ++c) put(factors[static_cast<size_t>(c)].shift);
  return block;
}

const sim::Window2d& Layer::window() const {
  return std::visit([](const auto& command) -> const sim::Window2d& { return command.window; },
                    work);
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

sim::Window2d window_of(const WindowAxis& height, const WindowAxis& width) {
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
