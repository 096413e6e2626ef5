#include "hone/targets/cpu/product_i8_step.h"

#include "hone/base/aligned.h"
#include "hone/kernels/gemm_i8/gemm_i8.h"
#include "hone/kernels/gemm_i8/wide_weights.h"
#include "hone/ops/quant/weighted.h"
#include "hone/targets/cpu/follower.h"
#include "hone/targets/cpu/tasks.h"

namespace hone::cpu {
namespace {

// Kernels that multiply many values of k at a time are slow where there are few: of 16 values AMX
// takes twice the time of VNNI, of 32 half as much again. Rows that have to be gathered first are the
// faster for being plain ones. And they are slow where there are few rows: for a single one AMX takes
// 1.2 to 1.8 times as long to go through the weights.
template <class A>
const KernelVariant<GemmI8Kernel<A>>& best_for(const WindowRows& window, size_t depth) {
  constexpr size_t kMany = 64;
  const auto variants = gemm_i8_variants_of<A>();
  for (const KernelVariant<GemmI8Kernel<A>>& variant : variants) {
    const size_t k_step = variant.run.k_step;
    const bool few_values = window.taps() == 1 && 2 * depth <= k_step;
    const bool few_rows = window.rows() <= 4;
    const bool wastes = k_step >= kMany && (few_values || few_rows);
    if (variant.runs_here() && !wastes) return variant;
  }
  return variants.back();
}

template <class A>
class ProductI8Step final : public LeadingStep {
 public:
  ProductI8Step(ProductI8Spec spec, const Value* x, const Value* y, StepBuilder& builder)
      : groups_(spec.groups),
        group_depth_(spec.depth),
        columns_(spec.columns),
        y_stride_(groups_ * columns_),
        variant_(best_for<A>(spec.window, spec.depth)) {
    const std::vector<int16_t> weights = centered_weights(spec.weights);
    const size_t copies = weight_copies(weights);
    const int32_t x_zero = x->type.tensor.quant->zero_point();
    rows_ = TapRows<A>(std::move(spec.window), spec.depth, static_cast<A>(x_zero), copies);
    pack(spec, split_weights(weights, rows_.k() / copies, copies), x_zero,
         y->type.tensor.quant->zero_point(), builder.options().eval.rounding);
    const auto threads = static_cast<size_t>(builder.options().threads);
    grid_ = Tasks(rows_.rows(), variant_.run.panels(columns_),
                  {.row_bytes = rows_.k(),
                   .rows_step = variant_.run.mr,
                   .threads = threads,
                   .grain = variant_.run.grain(),
                   .block_step = variant_.run.block_step(),
                   .costs = task_costs()});
    pointer_bytes_ = (rows_.memory_bytes(grid_.rows_per_block) + 63) / 64 * 64;
    scratch_bytes = pointer_bytes_ +
                    gemm_i8_scratch_bytes(variant_.run, columns_, rows_.k(), grid_.rows_per_block);
    kind = step_kind(StepFamily::Product,
                     sizeof(A) == 1 && std::is_signed_v<A> ? "gemm_i8" : "gemm_u8", variant_.name);
    kind.tile_columns = static_cast<int64_t>(variant_.run.nr);
    row_shape = rows_.window().row_shape(groups_ * columns_, sizeof(A));
    x_ = builder.read(x);
    y_ = builder.write(y);
  }

  Status run(const Frame& frame) const override {
    const Operands operands{.x = frame.in<A>(x_), .y = frame.out<A>(y_), .first_row = 0};
    frame.workers->run(grid_.tasks(), [&](size_t task, size_t worker) {
      compute(frame, operands, grid_.range(task), worker);
    });
    return Done{};
  }

  bool write_apart(const RowsApart& rows) override {
    if (rows.bytes != groups_ * columns_ * sizeof(A)) return false;
    y_pixels = rows;
    y_stride_ = rows.stride / sizeof(A);
    return true;
  }

  void run_rows(const Frame& frame, const RowBases& bases, size_t image, const RowRange& rows,
                size_t worker) const override {
    const size_t width = rows_.window().columns();
    const Operands operands{.x = reinterpret_cast<const A*>(bases.x),
                            .y = reinterpret_cast<A*>(bases.y),
                            .first_row = image * row_shape.out_rows() * width};
    for_blocks(rows.begin * width, rows.end * width, grid_.rows_per_block, variant_.run.mr,
               [&](size_t begin, size_t end) {
                 compute(frame, operands, {begin, end, 0, variant_.run.panels(columns_)}, worker);
               });
  }

  size_t block_bytes() const override { return (followed_rows() * pitch() + 63) / 64 * 64; }

 private:
  struct Operands {
    const A* x;
    A* y;              // Not used where the step is followed.
    size_t first_row;  // Of the whole result: what x and y have as row 0.
  };

  // Elements of a row of the result.
  size_t pitch() const { return groups_ * columns_; }

  // So many that their results stay near until they are followed, but enough to pay for reading the
  // weights again.
  size_t followed_rows() const {
    constexpr size_t kNearBytes = 32 * 1024;
    constexpr size_t kLeastRows = 96;
    const size_t rows = std::min(gemm_i8_block_rows(variant_.run, columns_, rows_.k()),
                                 std::max(kLeastRows, kNearBytes / pitch()));
    return std::max<size_t>(1, rows / variant_.run.mr) * variant_.run.mr;
  }

  // AMX reads rows of one tap where they are. It multiplies in less time than lines take to come that
  // other threads have: the sum behind a product wrote over them in 18 us where it now takes 6.
  Tasks::Costs task_costs() const {
    if (variant_.run.copy_rows == nullptr) return {.pack = 1, .fetch = 4};
    return {.pack = rows_.taps() == 1 ? 0.0 : 1.0,
            .fetch = 2,
            .end = 0.5,
            .share = 1,
            .share_outputs = 1};
  }

  size_t group_bytes() const {
    return variant_.run.panels(columns_) * variant_.run.panel_bytes(rows_.k());
  }

  void pack(const ProductI8Spec& spec, const std::vector<int8_t>& weights, int32_t x_zero,
            int32_t y_zero, Rounding rounding) {
    std::vector<int32_t> multipliers, shifts;
    for (const FixedPoint factor : spec.factors) {
      multipliers.push_back(factor.multiplier);
      shifts.push_back(factor.shift);
    }
    const int32_t* bias = spec.bias ? spec.bias->data<int32_t>().data() : nullptr;
    panels_ = AlignedArray<std::byte>(groups_ * group_bytes());
    weight_bytes = panels_.bytes();
    for (size_t group = 0; group < groups_; ++group) {
      const size_t first = group * columns_;
      const GemmI8Weights part{.w = weights.data() + first * rows_.k(),
                               .n = columns_,
                               .taps = rows_.taps(),
                               .depth = rows_.depth(),
                               .bias = bias == nullptr ? nullptr : bias + first,
                               .a_zero = x_zero,
                               .requantization = {.multipliers = multipliers.data() + first,
                                                  .shifts = shifts.data() + first,
                                                  .rounding = rounding,
                                                  .zero_point = y_zero,
                                                  .low = spec.range.low,
                                                  .high = spec.range.high}};
      gemm_i8_pack(variant_.run, part, 0, variant_.run.panels(columns_),
                   panels_.data() + group * group_bytes());
    }
  }

  void compute(const Frame& frame, const Operands& operands, const Tasks::Range& range,
               size_t worker) const {
    std::byte* memory = scratch<std::byte>(frame, worker);
    if (follower == nullptr) {
      return run_range(operands.x, operands.y + range.row_begin * y_stride_, range, memory);
    }
    for_blocks(
        range.row_begin, range.row_end, followed_rows(), variant_.run.mr,
        [&](size_t begin, size_t end) {
          const Tasks::Range rows{begin, end, range.panel_begin, range.panel_end};
          lead_and_follow(
              frame, worker,
              [&](std::byte* y) { run_range(operands.x, reinterpret_cast<A*>(y), rows, memory); },
              [&](const std::byte* y) { follow(frame, y, operands.first_row, rows); });
        });
  }

  // The columns of a range of panels lie apart where there are several groups.
  void follow(const Frame& frame, const std::byte* y, size_t first_row,
              const Tasks::Range& range) const {
    const size_t begin = range.panel_begin * variant_.run.nr;
    const size_t end = std::min(range.panel_end * variant_.run.nr, columns_);
    const bool whole = end - begin == columns_;
    for (size_t group = 0; group < (whole ? 1 : groups_); ++group) {
      follower->run_block(frame, y_, y,
                          {.first_row = first_row + range.row_begin,
                           .rows = range.row_end - range.row_begin,
                           .first_column = group * columns_ + begin,
                           .columns = whole ? pitch() : end - begin,
                           .pitch = pitch()});
    }
  }

  // `y` is the range's first row.
  void run_range(const A* x, A* y, const Tasks::Range& range, std::byte* memory) const {
    for (size_t group = 0; group < groups_; ++group) {
      run_block(x + group * group_depth_, y + group * columns_, group, range, memory);
    }
  }

  // The same of the group's first channels.
  void run_block(const A* x, A* y, size_t group, const Tasks::Range& range,
                 std::byte* memory) const {
    const size_t rows = range.row_end - range.row_begin;
    GemmI8Args<A> args{};
    args.kernel = &variant_.run;
    args.n = columns_;
    args.taps = rows_.taps();
    args.depth = rows_.depth();
    args.panels = panels_.data() + group * group_bytes();
    if (rows_.window().dense() && rows_.taps() == 1) {
      args.a_stride = rows_.window().pixel_stride();
      args.a = x + range.row_begin * args.a_stride;
    } else {
      args.rows = rows_.fill(x, range.row_begin, rows, memory);
    }
    args.y = y;
    args.y_stride = y_stride_;
    args.scratch = memory + pointer_bytes_;
    gemm_i8_rows(args, 0, rows, range.panel_begin, range.panel_end);
  }

  size_t groups_;
  size_t group_depth_;
  size_t columns_;
  size_t y_stride_;  // More than pitch() where rows lie apart; then nobody follows.
  const KernelVariant<GemmI8Kernel<A>>& variant_;
  TapRows<A> rows_;
  AlignedArray<std::byte> panels_;
  Tasks grid_;
  size_t pointer_bytes_ = 0;
  Slot x_ = 0;
  Slot y_ = 0;
};

}  // namespace

std::vector<int16_t> centered_weights(const Tensor& weights) {
  const std::vector<uint32_t> wide = less_zero_points<uint32_t>(weights);
  std::vector<int16_t> centered;
  centered.reserve(wide.size());
  for (const uint32_t w : wide) centered.push_back(static_cast<int16_t>(static_cast<int32_t>(w)));
  return centered;
}

std::unique_ptr<Step> make_product_i8_step(ProductI8Spec spec, const Value* x, const Value* y,
                                           StepBuilder& builder) {
  if (x->type.tensor.dtype == DType::U8) {
    return std::make_unique<ProductI8Step<uint8_t>>(std::move(spec), x, y, builder);
  }
  return std::make_unique<ProductI8Step<int8_t>>(std::move(spec), x, y, builder);
}

}  // namespace hone::cpu
