// Softmax of int8 and uint8 rows, bit for bit the reference's (ops/softmax/softmax_quantized.cc).
// Differences to the largest element take 256 values, so that their exponentials are a table.

#include <array>
#include <bit>

#include "hone/ops/quant/integer.h"
#include "hone/ops/softmax/softmax_quantized.h"
#include "hone/targets/cpu/lowering.h"
#include "hone/targets/cpu/map_step.h"
#include "hone/tensor/fixed_functions.h"

namespace hone::cpu {
namespace {

constexpr int kSumBits = 12;

// Softmax of rows, given the scale of their elements. y may be x.
template <class X, class Y>
class SoftmaxRows {
 public:
  SoftmaxRows(size_t cols, float scale, Rounding rounding) : cols_(cols) {
    fill_tables(scale, rounding);
  }

  void operator()(size_t rows, const X* x, Y* y) const {
    for (size_t row = 0; row < rows; ++row) run_row(x + row * cols_, y + row * cols_);
  }

 private:
  void fill_tables(float scale, Rounding rounding) {
    const std::vector<int32_t> exponentials = byte_exponentials(scale, rounding);
    for (size_t below = 0; below < exponentials.size(); ++below) {
      exponentials_[below] = exponentials[below];
      terms_[below] = static_cast<uint32_t>(fixed_times_pot(exponentials[below], -kSumBits));
    }
  }

  void run_row(const X* x, Y* y) const {
    const X largest = *std::max_element(x, x + cols_);
    const auto below = [&](size_t i) { return static_cast<size_t>(largest - x[i]); };
    uint32_t sum = 0;
    for (size_t i = 0; i < cols_; ++i) sum += terms_[below(i)];
    const int headroom = std::countl_zero(sum);
    const auto above_one = static_cast<int32_t>((sum << headroom) - (uint32_t{1} << 31));
    const int32_t reciprocal = fixed_one_over_one_plus(above_one);
    const int shift = kSumBits - headroom + 31 - static_cast<int>(8 * sizeof(Y));
    for (size_t i = 0; i < cols_; ++i) {
      const int32_t value = rounding_divide_by_pot(
          saturating_rounding_doubling_high_mul(reciprocal, exponentials_[below(i)]), shift);
      y[i] = static_cast<Y>(range_.clamp(int64_t{value} + range_.low));
    }
  }

  size_t cols_;
  IntRange range_ = range_of(kDTypeOf<Y>);
  std::array<int32_t, 256> exponentials_ = {};
  std::array<uint32_t, 256> terms_ = {};
};

template <class X, class Y>
std::unique_ptr<Step> make_step(const Value* x, const Value* y, size_t cols, StepBuilder& builder) {
  const SoftmaxRows<X, Y> map(cols, x->type.tensor.quant->scale(), builder.options().eval.rounding);
  return make_map_step<X, Y>(step_kind(StepFamily::Rows, "softmax_i8"), x, y, cols, map, builder);
}

std::unique_ptr<Step> lower_softmax_i8_node(const Node& node, StepBuilder& builder) {
  const Value* x = node.inputs[0];
  const Value* y = node.outputs[0];
  if (!builder.planned(x) || !builder.planned(y) || x->constant) return nullptr;
  const TensorType& from = x->type.tensor;
  const DType to = y->type.tensor.dtype;
  // Quantized softmax goes along the last axis, as its operator checks.
  if (!from.quantized() || from.elements() == 0 || from.rank() == 0) return nullptr;
  const auto cols = static_cast<size_t>(from.shape.back());
  if (from.dtype == DType::I8 && to == DType::I8) {
    return make_step<int8_t, int8_t>(x, y, cols, builder);
  }
  if (from.dtype == DType::U8 && to == DType::U8) {
    return make_step<uint8_t, uint8_t>(x, y, cols, builder);
  }
  if (from.dtype == DType::I8 && to == DType::I16) {
    return make_step<int8_t, int16_t>(x, y, cols, builder);
  }
  return nullptr;
}

}  // namespace

extern const LoweringDef lower_softmax_i8 = {.op = "softmax", .lower = lower_softmax_i8_node};

}  // namespace hone::cpu
