#include "hone/targets/cuda/product_blas.h"

#include <limits>

namespace hone::cuda {
namespace {

constexpr size_t kWays = 4;  // Of the library's, as it orders them.
// Below, what a kernel loses that cannot begin while the one before it ends is more than it gains.
constexpr int64_t kLeastOperations = 1'000'000'000;

bool is_identity(const Activation& activation) {
  constexpr float kAll = std::numeric_limits<float>::infinity();
  return activation.kind == Activation::Kind::Clamp && activation.low == -kAll &&
         activation.high == kAll;
}

bool is_relu(const Activation& activation) {
  return activation.kind == Activation::Kind::Clamp && activation.low == 0 &&
         activation.high == std::numeric_limits<float>::infinity();
}

// Matrices whose rows are whole pieces of 16 bytes; a bias has the type of the result there.
bool suits_blas(const ProductShape& shape, const ProductOperands& operands) {
  const int64_t chunk = 128 / bits_of(shape.dtype);
  const int64_t w_pitch = shape.w_n == 1 ? shape.w_k : shape.w_n;
  const bool whole = !gathers(shape) && shape.columns % chunk == 0 && w_pitch % chunk == 0 &&
                     shape.w_step % chunk == 0 && shape.y_step % chunk == 0;
  const bool bias = operands.bias == kNoSlot || shape.dtype == DType::F32;
  // Parts of concatenations may begin anywhere.
  const bool alone = shape.y_pitch == shape.columns;
  return shape.groups == 1 && !shape.window && whole && bias && alone &&
         (is_identity(shape.activation) || is_relu(shape.activation)) &&
         2 * shape.batches * shape.rows * shape.columns * shape.depth >= kLeastOperations;
}

}  // namespace

std::vector<Variant> blas_variants(const ProductShape& shape, const ProductOperands& operands,
                                   bool tf32, StepBuilder& builder) {
  std::vector<Variant> variants;
  if (!suits_blas(shape, operands)) return variants;
  BlasProduct product{.dtype = shape.dtype,
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
  std::vector<Slot> arguments = product_arguments(operands);
  arguments.push_back(builder.scratch(kBlasScratchBytes + kBlasScratchAlignment));
  for (; product.rank < kWays; ++product.rank) {
    std::string name = str("cuBLASLt ", product.rank + 1);
    Launch launch{.kernel = {"product " + name, "", ""},
                  .arguments = arguments,
                  .library = BlasKernel{.product = product}};
    variants.push_back({std::move(name), {std::move(launch)}});
  }
  return variants;
}

}  // namespace hone::cuda
