// Means of int8 and uint8 values along axes that lie side by side, bit for bit the reference's:
// 32-bit sums, scaled by one factor.

#include "hone/kernels/column_sums/column_sums.h"
#include "hone/ops/op_def.h"
#include "hone/ops/quant/integer.h"
#include "hone/ops/reduce/reduce_quantized.h"
#include "hone/targets/cpu/lowering.h"

namespace hone::cpu {
namespace {

// x as [outer][n][inner], of which the middle goes.
struct Extents {
  size_t outer = 1;
  size_t n = 1;
  size_t inner = 1;
};

ColumnSums<int8_t> best_column_sums(int8_t) {
  return best_variant(column_sums_i8_variants()).run;
}
ColumnSums<uint8_t> best_column_sums(uint8_t) {
  return best_variant(column_sums_u8_variants()).run;
}

template <class T>
class MeanStep final : public Step {
 public:
  MeanStep(const Node& mean, const Extents& extents, StepBuilder& builder)
      : extents_(extents), rounding_(builder.options().eval.rounding) {
    const TensorType& x = mean.inputs[0]->type.tensor;
    const TensorType& y = mean.outputs[0]->type.tensor;
    factor_ = mean_factor(x, y, static_cast<int64_t>(extents.n));
    offset_ = static_cast<uint32_t>(x.quant->zero_point() * static_cast<int64_t>(extents.n));
    zero_point_ = y.quant->zero_point();
    range_ = range_of(y.dtype);
    kind = step_kind(StepFamily::Rows, "mean_i8");
    x_ = builder.read(mean.inputs[0]);
    y_ = builder.write(mean.outputs[0]);
  }

  Status run(const Frame& frame) const override {
    const size_t inner = extents_.inner;
    const size_t blocks = (inner + kBlock - 1) / kBlock;
    frame.workers->run(extents_.outer * blocks, [&](size_t task, size_t) {
      const size_t first = task % blocks * kBlock;
      const size_t count = std::min(kBlock, inner - first);
      const T* x = frame.in<T>(x_) + task / blocks * extents_.n * inner + first;
      T* y = frame.out<T>(y_) + task / blocks * inner + first;
      int32_t sums[kBlock];
      sums_(extents_.n, count, inner, x, sums);
      for (size_t i = 0; i < count; ++i) y[i] = scaled(static_cast<uint32_t>(sums[i]));
    });
    return Done{};
  }

 private:
  // A few vectors of every width.
  static constexpr size_t kBlock = 256;

  T scaled(uint32_t sum) const {
    const int64_t value = scale_by(static_cast<int32_t>(sum - offset_), factor_, rounding_);
    return static_cast<T>(range_.clamp(value + zero_point_));
  }

  Extents extents_;
  ColumnSums<T> sums_ = best_column_sums(T());
  Rounding rounding_;
  FixedPoint factor_;
  uint32_t offset_ = 0;
  int32_t zero_point_ = 0;
  IntRange range_ = {};
  Slot x_ = 0;
  Slot y_ = 0;
};

// Nothing when the axes are computed in the run or lie apart.
std::optional<Extents> extents_of(const Node& node) {
  if (node.inputs.size() < 2 || node.inputs[1] == nullptr || !node.inputs[1]->constant) return {};
  const Shape& x = node.inputs[0]->type.tensor.shape;
  const auto axes = resolve_axes(to_ints(*node.inputs[1]->constant), std::ssize(x));
  if (!axes.ok() || axes->empty()) return {};
  const auto [low, high] = std::ranges::minmax(*axes);
  if (high - low + 1 != axes->size()) return {};
  Extents extents;
  for (size_t i = 0; i < x.size(); ++i) {
    size_t& part = i < low ? extents.outer : i > high ? extents.inner : extents.n;
    part *= static_cast<size_t>(x[i]);
  }
  return extents;
}

std::unique_ptr<Step> lower_mean_i8_node(const Node& node, StepBuilder& builder) {
  const Value* x = node.inputs[0];
  const Value* y = node.outputs[0];
  if (!builder.planned(x) || !builder.planned(y) || x->constant) return nullptr;
  const TensorType& from = x->type.tensor;
  const TensorType& to = y->type.tensor;
  if (!from.quantized() || !to.quantized() || from.dtype != to.dtype || from.elements() == 0) {
    return nullptr;
  }
  const auto extents = extents_of(node);
  if (!extents) return nullptr;
  if (from.dtype == DType::I8) return std::make_unique<MeanStep<int8_t>>(node, *extents, builder);
  if (from.dtype == DType::U8) return std::make_unique<MeanStep<uint8_t>>(node, *extents, builder);
  return nullptr;
}

}  // namespace

extern const LoweringDef lower_reduce_mean_i8 = {.op = "reduce_mean", .lower = lower_mean_i8_node};

}  // namespace hone::cpu
