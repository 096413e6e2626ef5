#include "hone/targets/cuda/product_blas.h"

#include "hone/targets/cuda/product_library.h"

namespace hone::cuda {
namespace {

// Matrices whose rows are whole pieces of 16 bytes; a bias has the type of the result there.
bool suits_blas(const ProductShape& shape, const ProductOperands& operands) {
  const int64_t chunk = 128 / bits_of(shape.dtype);
  const int64_t w_pitch = shape.w_n == 1 ? shape.w_k : shape.w_n;
  const bool whole = !gathers(shape) && shape.columns % chunk == 0 && w_pitch % chunk == 0 &&
                     shape.w_step % chunk == 0 && shape.y_step % chunk == 0;
  const bool bias = operands.bias == kNoSlot || shape.dtype == DType::F32;
  // Parts of concatenations may begin anywhere.
  const bool alone = shape.y_pitch == shape.columns;
  return shape.groups == 1 && !shape.window && whole && bias && alone && is_large(shape) &&
         is_relu_or_identity(shape.activation);
}

}  // namespace

std::vector<Variant> blas_variants(const ProductShape& shape, const ProductOperands& operands,
                                   bool tf32, StepBuilder& builder) {
  constexpr size_t kWays = 4;
  if (!suits_blas(shape, operands)) return {};
  const BlasProduct product{.dtype = shape.dtype,
                            .tf32 = tf32,
                            .rows = shape.rows,
                            .columns = shape.columns,
                            .depth = shape.depth,
                            .x_pitch = shape.x_pitch,
                            .w_pitch = shape.w_n == 1 ? shape.w_k : shape.w_n,
                            .y_pitch = shape.y_pitch,
                            .w_along_k = shape.w_n != 1,
                            .batches = shape.batches,
                            .x_step = shape.x_step,
                            .w_step = shape.w_step,
                            .y_step = shape.y_step,
                            .scale = shape.scale,
                            .has_bias = operands.bias != kNoSlot,
                            .has_residual = operands.residual != kNoSlot,
                            .relu = is_relu(shape.activation)};
  return library_variants("cuBLASLt", product, kWays, operands, builder);
}

}  // namespace hone::cuda
