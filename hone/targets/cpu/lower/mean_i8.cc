// Means of int8 and uint8 values along axes that lie side by side, bit for bit the reference's:
// 32-bit sums, scaled by one factor.

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
    const size_t blocks = (extents_.inner + kBlock - 1) / kBlock;
    frame.workers->run(extents_.outer, [&](size_t outer, size_t) {
      const T* x = frame.in<T>(x_) + outer * extents_.n * extents_.inner;
      T* y = frame.out<T>(y_) + outer * extents_.inner;
      for (size_t block = 0; block < blocks; ++block) {
        const size_t first = block * kBlock;
        const size_t count = std::min(kBlock, extents_.inner - first);
        uint32_t sums[kBlock] = {};
        if (count == kBlock) {
          add_up(x + first, sums);
        } else {
          add_up(x + first, count, sums);
        }
        for (size_t i = 0; i < count; ++i) y[first + i] = scaled(sums[i]);
      }
    });
    return Done{};
  }

 private:
  // Enough to fill vectors, few enough for registers.
  static constexpr size_t kBlock = 16;

  void add_up(const T* x, uint32_t (&sums)[kBlock]) const {
    for (size_t k = 0; k < extents_.n; ++k, x += extents_.inner) {
      for (size_t i = 0; i < kBlock; ++i) sums[i] += static_cast<uint32_t>(x[i]);
    }
  }
  void add_up(const T* x, size_t count, uint32_t (&sums)[kBlock]) const {
    for (size_t k = 0; k < extents_.n; ++k, x += extents_.inner) {
      for (size_t i = 0; i < count; ++i) sums[i] += static_cast<uint32_t>(x[i]);
    }
  }

  T scaled(uint32_t sum) const {
    const int64_t value = scale_by(static_cast<int32_t>(sum - offset_), factor_, rounding_);
    return static_cast<T>(range_.clamp(value + zero_point_));
  }

  Extents extents_;
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
