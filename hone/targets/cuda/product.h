// Rows times a matrix, of all kinds, as kernels: what a convolution, a gemm or a matmul comes to.
#pragma once

#include "hone/targets/cuda/source.h"
#include "hone/targets/cuda/step.h"

namespace hone::cuda {

struct ProductShape {
  DType dtype = DType::F32;
  int64_t rows = 0;     // m
  int64_t columns = 0;  // n, of a group.
  int64_t depth = 0;    // k
  int64_t groups = 1;
  int64_t batches = 1;
  // How far apart, in elements: rows of x, of y and of the residual, and batches of each.
  int64_t x_pitch = 0;
  int64_t y_pitch = 0;
  int64_t x_step = 0;
  int64_t w_step = 0;
  int64_t y_step = 0;
  // Elements of w along k and n; one of the two is 1.
  int64_t w_k = 1;
  int64_t w_n = 0;
  std::optional<Window> window = {};  // Over images of `channels`; otherwise x is a matrix.
  int64_t channels = 0;               // Of a group.
  bool constant_weights = false;
  // Floats are multiplied on tensor cores, which take 10 bits of their fractions.
  bool tf32 = false;
  float scale = 1;
  Activation activation = {};
};

struct ProductOperands {
  Slot x = kNoSlot;
  Slot w = kNoSlot;
  Slot bias = kNoSlot;  // Floats, one for each column of all groups.
  Slot residual = kNoSlot;
  Slot y = kNoSlot;
};

// Likeliest first; at least one.
std::vector<Variant> product_variants(const ProductShape& shape, const ProductOperands& operands,
                                      StepBuilder& builder);

// Whether products of that type are to be computed in TF32.
bool in_tf32(DType dtype, const StepBuilder& builder);

// The step, whose kind then tells what it computes in: TF32 only where tensor cores take it.
Step product_step_of(StepKind kind, const ProductShape& shape, const ProductOperands& operands,
                     StepBuilder& builder);

// What every kernel of a product is specialised to, and takes.
SourceMaker product_defines(const ProductShape& shape, const ProductOperands& operands);
std::vector<Slot> product_arguments(const ProductOperands& operands);
// Single elements are loaded where rows, or the channels under a tap, are not whole 16 bytes.
bool gathers(const ProductShape& shape);

// Weights and biases as kernels take them: rows of whole 16 bytes; floats.
Tensor pad_rows(const Tensor& weights, int64_t rows, int64_t columns, int64_t pitch);
Tensor as_floats(const Tensor& tensor);
// Rows along k, `shape.w_n` elements each, as the kernels of such a product take them: rounded for
// TF32; along n where fp32 cores multiply, which sets how they lie.
Slot packed_weights(Tensor weights, ProductShape& shape, StepBuilder& builder);

}  // namespace hone::cuda
