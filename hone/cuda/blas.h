// Products by cuBLASLt, loaded at run time where it is found: candidates beside Hone's own kernels.
#pragma once

#include "hone/cuda/library_kernel.h"
#include "hone/tensor/dtype.h"

namespace hone::cuda {

// y = clamp(scale * x w + residual + bias): matrices whose rows lie `pitch` elements apart.
struct BlasProduct {
  DType dtype = DType::F32;
  bool tf32 = false;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t depth = 0;
  int64_t x_pitch = 0;
  int64_t w_pitch = 0;
  int64_t y_pitch = 0;     // Of the residual, too.
  bool w_along_k = false;  // Rows of w are along k, otherwise along n.
  int64_t batches = 1;     // So many of them, `step` elements apart.
  int64_t x_step = 0;
  int64_t w_step = 0;
  int64_t y_step = 0;
  float scale = 1;
  bool has_bias = false;  // Floats, one of each column: of products of floats alone.
  bool has_residual = false;
  bool relu = false;
  size_t rank = 0;  // Among the ways that the library knows, as it orders them.
};

// "cuBLASLt 13.1.0"; empty where there is none.
std::string blas_version();

// Unsupported where the library has fewer ways than `product.rank` asks for; Resource where there is
// no library.
Result<std::shared_ptr<const LibraryKernel>> find_kernel(const Gpu& gpu,
                                                         const BlasProduct& product);

}  // namespace hone::cuda
