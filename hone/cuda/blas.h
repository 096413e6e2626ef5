// Products by cuBLASLt, loaded at run time where it is found: candidates beside Hone's own kernels.
#pragma once

#include <array>
#include <span>

#include "hone/cuda/kernels.h"
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

// Null where there is none.
struct BlasOperands {
  uint64_t x = 0;
  uint64_t w = 0;
  uint64_t bias = 0;
  uint64_t residual = 0;
  uint64_t y = 0;
  uint64_t scratch = 0;
};

// Where its blocks count who has done what: so much, and aligned so.
inline constexpr size_t kBlasScratchBytes = 4096;
inline constexpr size_t kBlasScratchAlignment = 256;

// One of the library's ways to compute a product, by one kernel.
struct BlasKernel {
  BlasProduct product;
  std::array<uint64_t, 8> algorithm = {};  // cublasLtMatmulAlgo_t
  Kernel kernel = {};
  std::array<unsigned, 3> grid = {1, 1, 1};
  unsigned block = 1;
  unsigned shared_bytes = 0;
};

// "cuBLASLt 13.1.0"; empty where there is none.
std::string blas_version();

// Unsupported where the library has fewer ways than `product.rank` asks for; Resource where there is
// no library.
Result<BlasKernel> find_blas_kernel(const Gpu& gpu, const BlasProduct& product);

Status put(const Gpu& gpu, const Stream& stream, const BlasKernel& kernel,
           const BlasOperands& operands);

}  // namespace hone::cuda
