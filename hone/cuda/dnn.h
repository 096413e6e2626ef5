// Convolutions by cuDNN, loaded at run time where it is found: candidates beside Hone's own kernels.
#pragma once

#include <array>

#include "hone/cuda/library_kernel.h"
#include "hone/tensor/dtype.h"

namespace hone::cuda {

// y = clamp(x conv w + residual + bias) of nhwc images: [height, width] of each.
struct DnnConvolution {
  DType dtype = DType::F16;  // Of all but the bias, which are floats; of floats in TF32.
  int64_t images = 1;
  int64_t channels = 0;
  int64_t filters = 0;
  std::array<int64_t, 2> in = {1, 1};
  std::array<int64_t, 2> out = {1, 1};
  std::array<int64_t, 2> kernel = {1, 1};
  std::array<int64_t, 2> stride = {1, 1};
  std::array<int64_t, 2> dilation = {1, 1};
  std::array<int64_t, 2> pad_begin = {0, 0};
  std::array<int64_t, 2> pad_end = {0, 0};
  // Elements from one pixel, or filter, to the next.
  int64_t x_pitch = 0;
  int64_t w_pitch = 0;
  int64_t y_pitch = 0;  // Of the residual, too.
  bool has_bias = false;
  bool has_residual = false;
  bool relu = false;
  size_t rank = 0;  // Among the ways that the library knows, as it orders them.
};

// "cuDNN 9.14.0"; empty where there is none.
std::string dnn_version();

// Unsupported where the library has no way of that rank, or one that is of no use here; Resource
// where there is no library.
Result<std::shared_ptr<const LibraryKernel>> find_kernel(const Gpu& gpu,
                                                         const DnnConvolution& convolution);

}  // namespace hone::cuda
