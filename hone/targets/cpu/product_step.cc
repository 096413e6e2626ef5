#include "hone/targets/cpu/product_step.h"

#include <cstring>

#include "hone/base/aligned.h"
#include "hone/kernels/gemm/gemm_block.h"
#include "hone/targets/cpu/activate_fn.h"
#include "hone/targets/cpu/tasks.h"

namespace hone::cpu {
namespace {

template <class T>
const KernelVariant<GemmKernel<T>>& best_gemm();
template <>
const KernelVariant<GemmF32>& best_gemm<float>() {
  return best_variant(gemm_f32_variants());
}
template <>
const KernelVariant<GemmF16>& best_gemm<Half>() {
  return best_variant(gemm_f16_variants());
}

template <class T>
class ProductStep final : public Step {
 public:
  ProductStep(ProductSpec spec, const Value* x, const Value* residual, const Value* y,
              StepBuilder& builder)
      : rows_(std::move(spec.window), spec.depth, T{}),
        groups_(spec.groups),
        group_depth_(spec.depth),
        columns_(spec.columns),
        activation_(spec.activation),
        variant_(best_gemm<T>()),
        activate_(best_activate<T>()) {
    pack(spec);
    split(static_cast<size_t>(builder.options().threads));
    scratch_bytes = grid_.rows_per_block * rows_.row_bytes();
    kernel = str(sizeof(T) == 4 ? "gemm_f32 " : "gemm_f16 ", variant_.name);
    x_ = builder.read(x);
    if (residual != nullptr) residual_ = builder.read(residual);
    y_ = builder.write(y);
    has_residual_ = residual != nullptr;
    if (has_residual_) in_place = 1;
  }

  Status run(const Frame& frame) const override {
    frame.workers->run(grid_.tasks(), [&](size_t task, size_t worker) {
      const Tasks::Range range = grid_.range(task);
      for (size_t group = 0; group < groups_; ++group) {
        run_block(frame, group, range, scratch<std::byte>(frame, worker));
      }
    });
    return Done{};
  }

 private:
  size_t group_elements() const {
    return variant_.run.panels(columns_) * variant_.run.panel_elements(rows_.k());
  }

  void pack(const ProductSpec& spec) {
    panels_ = AlignedArray<T>(groups_ * group_elements());
    weight_bytes = panels_.bytes();
    const T* weights = spec.weights.data<T>().data();
    const T* bias = spec.bias ? spec.bias->data<T>().data() : nullptr;
    for (size_t group = 0; group < groups_; ++group) {
      const size_t first = group * columns_;
      const GemmWeights<T> part{.data = weights + first * spec.column_stride,
                                .n = columns_,
                                .k = rows_.k(),
                                .column_stride = spec.column_stride,
                                .depth_stride = spec.depth_stride,
                                .bias = bias == nullptr ? nullptr : bias + first};
      gemm_pack(part, variant_.run.nr, 0, variant_.run.panels(columns_),
                panels_.data() + group * group_elements());
    }
  }

  void split(size_t threads) {
    grid_ = Tasks(
        rows_.rows(), variant_.run.panels(columns_),
        {.row_bytes = rows_.k() * sizeof(T), .rows_step = variant_.run.mr, .threads = threads});
  }

  void run_block(const Frame& frame, size_t group, const Tasks::Range& range,
                 std::byte* memory) const {
    const size_t y_stride = groups_ * columns_;
    const size_t rows = range.row_end - range.row_begin;
    const T* const* operands =
        rows_.fill(frame.in<T>(x_) + group * group_depth_, range.row_begin, rows, memory);
    const bool clamps = activation_.kind == Activation::Kind::Clamp;
    const GemmProduct<T> product{.kernel = variant_.run,
                                 .n = columns_,
                                 .taps = rows_.taps(),
                                 .depth = rows_.depth(),
                                 .panels = panels_.data() + group * group_elements(),
                                 .low = clamps ? activation_.low : -kInfinity,
                                 .high = clamps ? activation_.high : kInfinity};
    const size_t start = range.row_begin * y_stride + group * columns_;
    T* y = frame.out<T>(y_) + start;
    const GemmRows<T> block{.rows = rows,
                            .a = operands,
                            .c = y,
                            .c_stride = y_stride,
                            .residual = has_residual_ ? frame.in<T>(residual_) + start : nullptr,
                            .residual_stride = y_stride};
    gemm_block(product, block, range.panel_begin, range.panel_end);
    if (clamps) return;
    const size_t first = range.panel_begin * variant_.run.nr;
    const size_t last = std::min(range.panel_end * variant_.run.nr, columns_);
    activate_(activation_, rows, last - first, y + first, y_stride, y + first, y_stride);
  }

  static constexpr float kInfinity = std::numeric_limits<float>::infinity();

  TapRows<T> rows_;
  size_t groups_;
  size_t group_depth_;
  size_t columns_;
  Activation activation_;
  const KernelVariant<GemmKernel<T>>& variant_;
  Activate<T> activate_;
  AlignedArray<T> panels_;
  Tasks grid_;
  Slot x_ = 0;
  Slot residual_ = 0;
  Slot y_ = 0;
  bool has_residual_ = false;
};

}  // namespace

std::unique_ptr<Step> make_product_step(ProductSpec spec, const Value* x, const Value* residual,
                                        const Value* y, StepBuilder& builder) {
  if (spec.weights.dtype() == DType::F16) {
    return std::make_unique<ProductStep<Half>>(std::move(spec), x, residual, y, builder);
  }
  return std::make_unique<ProductStep<float>>(std::move(spec), x, residual, y, builder);
}

}  // namespace hone::cpu
