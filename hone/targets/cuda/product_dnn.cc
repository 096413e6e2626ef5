#include "hone/targets/cuda/product_dnn.h"

#include "hone/targets/cuda/product_library.h"

namespace hone::cuda {
namespace {

// Products on tensor cores: weights as fp32 cores take them lie otherwise than cuDNN's do.
bool suits_dnn(const ProductShape& shape, bool tf32) {
  const int64_t chunk = 128 / bits_of(shape.dtype);
  const bool on_tensor_cores = shape.dtype != DType::F32 || tf32;
  const bool whole =
      !gathers(shape) && shape.columns % chunk == 0 && shape.w_k == 1 && shape.w_n % chunk == 0;
  // Parts of concatenations may begin anywhere.
  const bool alone = shape.y_pitch == shape.columns;
  return on_tensor_cores && shape.constant_weights && shape.groups == 1 && shape.batches == 1 &&
         shape.scale == 1 && whole && alone && is_large(shape) &&
         is_relu_or_identity(shape.activation);
}

void set_window(const Window& window, int64_t rows, DnnConvolution& convolution) {
  convolution.images = rows / window.out_pixels();
  for (size_t i = 0; i < 2; ++i) {
    const WindowAxis& axis = window.axes[i + 1];
    convolution.in[i] = axis.in;
    convolution.out[i] = axis.out;
    convolution.kernel[i] = axis.kernel;
    convolution.stride[i] = axis.stride;
    convolution.dilation[i] = axis.dilation;
    convolution.pad_begin[i] = axis.pad_begin;
    convolution.pad_end[i] = axis.pad_end;
  }
}

}  // namespace

std::vector<Variant> dnn_variants(const ProductShape& shape, const ProductOperands& operands,
                                  bool tf32, StepBuilder& builder) {
  constexpr size_t kWays = 4;
  if (!suits_dnn(shape, tf32)) return {};
  DnnConvolution convolution{.dtype = shape.dtype,
                             .channels = shape.depth,
                             .filters = shape.columns,
                             .in = {shape.rows, 1},
                             .out = {shape.rows, 1},
                             .x_pitch = shape.x_pitch,
                             .w_pitch = shape.w_n,
                             .y_pitch = shape.y_pitch,
                             .has_bias = operands.bias != kNoSlot,
                             .has_residual = operands.residual != kNoSlot,
                             .relu = is_relu(shape.activation)};
  if (shape.window) {
    convolution.channels = shape.channels;
    set_window(*shape.window, shape.rows, convolution);
  }
  return library_variants("cuDNN", convolution, kWays, operands, builder);
}

}  // namespace hone::cuda
