#include "hone/targets/cpu/depthwise_step.h"

#include <algorithm>

#include "hone/base/aligned.h"
#include "hone/kernels/depthwise/depthwise.h"
#include "hone/kernels/gemm_i8/wide_weights.h"
#include "hone/targets/cpu/activate_fn.h"
#include "hone/targets/cpu/depthwise_rows.h"
#include "hone/targets/cpu/product_i8_step.h"
#include "hone/targets/cpu/row_tasks.h"

namespace hone::cpu {
namespace {

template <class T>
const KernelVariant<DepthwiseFloat<T>>& best_depthwise();
template <>
const KernelVariant<DepthwiseF32>& best_depthwise<float>() {
  return best_variant(depthwise_f32_variants());
}
template <>
const KernelVariant<DepthwiseF16>& best_depthwise<Half>() {
  return best_variant(depthwise_f16_variants());
}

template <class T>
class DepthwiseStep final : public RowStep {
 public:
  DepthwiseStep(const ConvGeometry& conv, const Tensor& weights, const Tensor* bias,
                const Activation& activation, const Value* x, const Value* y, StepBuilder& builder)
      : shape_(depthwise_shape(conv)),
        variant_(best_depthwise<T>()),
        activation_(activation),
        activate_(best_activate<T>()),
        tasks_(conv, builder.options().threads) {
    packed_ = AlignedArray<std::byte>(variant_.run.packed_bytes(shape_));
    weight_bytes = packed_.bytes();
    variant_.run.pack(shape_, by_tap(weights.data<T>().data(), shape_).data(),
                      bias == nullptr ? nullptr : bias->data<T>().data(), packed_.data());
    kind = step_kind(StepFamily::Depthwise, sizeof(T) == 4 ? "depthwise_f32" : "depthwise_f16",
                     variant_.name);
    row_shape = depthwise_row_shape(conv, sizeof(T));
    builder.read(x);
    builder.write(y);
  }

  Region first_weights() const override { return {packed_.data(), packed_.bytes()}; }

  Status run(const Frame& frame) const override {
    run_tasks(*this, frame, tasks_);
    return Done{};
  }

  void run_rows(const Frame&, const RowBases& bases, size_t, const RowRange& rows,
                size_t) const override {
    variant_.run.run(shape_, rows.begin, rows.end, reinterpret_cast<const T*>(bases.x),
                     packed_.data(), activation_, activate_, reinterpret_cast<T*>(bases.y));
  }

 private:
  DepthwiseShape shape_;
  const KernelVariant<DepthwiseFloat<T>>& variant_;
  Activation activation_;
  Activate<T> activate_;
  RowTasks tasks_;
  AlignedArray<std::byte> packed_;
};

template <class T>
const KernelVariant<DepthwiseInteger<T>>& best_depthwise_integer();
template <>
const KernelVariant<DepthwiseI8>& best_depthwise_integer<int8_t>() {
  return best_variant(depthwise_i8_variants());
}
template <>
const KernelVariant<DepthwiseU8>& best_depthwise_integer<uint8_t>() {
  return best_variant(depthwise_u8_variants());
}

template <class T>
class DepthwiseI8Step final : public RowStep {
 public:
  // `weights` less their zero point.
  DepthwiseI8Step(const ConvGeometry& conv, const std::vector<int16_t>& weights, const Tensor* bias,
                  const std::vector<FixedPoint>& factors, IntRange range, const Value* x,
                  const Value* y, StepBuilder& builder)
      : shape_(depthwise_shape(conv)),
        variant_(best_depthwise_integer<T>()),
        tasks_(conv, builder.options().threads) {
    shape_.copies = weight_copies(weights);
    const std::vector<int8_t> split =
        split_weights(weights, shape_.kernel_h * shape_.kernel_w, shape_.copies);
    std::vector<int32_t> multipliers, shifts;
    for (const FixedPoint factor : factors) {
      multipliers.push_back(factor.multiplier);
      shifts.push_back(factor.shift);
    }
    const Requantization requantization{.multipliers = multipliers.data(),
                                        .shifts = shifts.data(),
                                        .rounding = builder.options().eval.rounding,
                                        .zero_point = y->type.tensor.quant->zero_point(),
                                        .low = range.low,
                                        .high = range.high};
    packed_ = AlignedArray<std::byte>(variant_.run.packed_bytes(shape_));
    weight_bytes = packed_.bytes();
    variant_.run.pack(shape_, by_tap(split.data(), shape_).data(),
                      bias == nullptr ? nullptr : bias->data<int32_t>().data(),
                      x->type.tensor.quant->zero_point(), requantization, packed_.data());
    scratch_bytes = variant_.run.scratch_bytes(shape_);
    kind = step_kind(StepFamily::Depthwise, std::is_signed_v<T> ? "depthwise_i8" : "depthwise_u8",
                     variant_.name);
    row_shape = depthwise_row_shape(conv, sizeof(T));
    builder.read(x);
    builder.write(y);
  }

  Status run(const Frame& frame) const override {
    run_tasks(*this, frame, tasks_);
    return Done{};
  }

  void run_rows(const Frame& frame, const RowBases& bases, size_t, const RowRange& rows,
                size_t worker) const override {
    variant_.run.run(shape_, rows.begin, rows.end, reinterpret_cast<const T*>(bases.x),
                     packed_.data(), reinterpret_cast<T*>(bases.y),
                     scratch<std::byte>(frame, worker));
  }

 private:
  DepthwiseShape shape_;
  const KernelVariant<DepthwiseInteger<T>>& variant_;
  RowTasks tasks_;
  AlignedArray<std::byte> packed_;
};

}  // namespace

std::unique_ptr<Step> make_depthwise_step(const ConvGeometry& conv, const Tensor& weights,
                                          const Tensor* bias, const Activation& activation,
                                          const Value* x, const Value* y, StepBuilder& builder) {
  if (weights.dtype() == DType::F16) {
    return std::make_unique<DepthwiseStep<Half>>(conv, weights, bias, activation, x, y, builder);
  }
  return std::make_unique<DepthwiseStep<float>>(conv, weights, bias, activation, x, y, builder);
}

std::unique_ptr<Step> make_depthwise_i8_step(const ConvGeometry& conv, const Tensor& weights,
                                             const Tensor* bias,
                                             const std::vector<FixedPoint>& factors, IntRange range,
                                             const Value* x, const Value* y, StepBuilder& builder) {
  const std::vector<int16_t> centered = centered_weights(weights);
  if (x->type.tensor.dtype == DType::U8) {
    return std::make_unique<DepthwiseI8Step<uint8_t>>(conv, centered, bias, factors, range, x, y,
                                                      builder);
  }
  return std::make_unique<DepthwiseI8Step<int8_t>>(conv, centered, bias, factors, range, x, y,
                                                   builder);
}

}  // namespace hone::cpu
