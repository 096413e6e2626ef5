// The matrix products that a ProductStep can run, under one interface: `taps` * `depth` values of
// k, `columns` results a row, weights packed into panels.
#pragma once

#include <string>
#include <string_view>

#include "hone/kernels/gemm/gemm_block.h"
#include "hone/kernels/gemm_bf16/gemm_bf16.h"
#include "hone/kernels/gemm_split/gemm_split.h"
#include "hone/kernels/scale_shift/scale_shift.h"
#include "hone/targets/cpu/tasks.h"
#include "hone/targets/step_kind.h"

namespace hone::cpu {

struct ProductShape {
  size_t columns;
  size_t taps;
  size_t depth;
};

// The range that results are clamped to.
struct ProductBounds {
  float low;
  float high;
};

// Multiplicands, sums and results of one type, float or Half.
template <class T>
class PlainProduct {
 public:
  using Element = T;
  // Whether rows of `columns` results may have a tap_step. Of any depth: what would come in pairs may not.
  static bool steps(size_t columns) { return best().run.for_product(columns, 2).steps_taps; }

  explicit PlainProduct(const ProductShape& shape)
      : shape_(shape),
        name_(best().name),
        kernel_(best().run.for_product(shape.columns, shape.depth)) {}

  StepKind kind() const {
    return {.family = StepFamily::Product,
            .work = sizeof(T) == 4 ? "gemm_f32" : "gemm_f16",
            .variant = std::string(name_),
            .tile_columns = static_cast<int64_t>(least_columns()),
            .partial_tile = partial_tile()};
  }
  // As 65 columns take it, beside 64. A panel of one vector loads an operand for every product, so
  // it takes longer than a quarter of a panel of four; a NEON tile of few columns loads all rows but
  // does a quarter of the products. Half a vector takes 1.0 to 1.9 of its columns' time, by what is
  // beside it.
  double partial_tile() const {
    if (least_columns() < step()) return 1.3;
    return step() < nr() ? 1.1 : 0.5;
  }
  size_t mr() const { return kernel_.mr; }
  size_t nr() const { return kernel_.nr; }
  // Columns that are computed together, whether or not there are as many.
  size_t step() const { return best().run.step; }
  // As few as cost more than none: half of those where values of k are taken in pairs.
  size_t least_columns() const {
    return best().run.takes_pairs(shape_.depth) ? step() / 2 : step();
  }
  size_t panels() const { return kernel_.panels(shape_.columns); }
  size_t panels_bytes() const {
    return kernel_.packed_elements(shape_.columns, shape_.taps * shape_.depth) * sizeof(T);
  }
  size_t grain() const { return mr(); }
  size_t block_step() const { return mr(); }
  Tasks::Costs task_costs() const { return {}; }
  Tasks::Block block() const { return {}; }
  // Of one row's operands, as the tiles read them.
  size_t row_bytes() const { return shape_.taps * shape_.depth * sizeof(T); }
  // What `run` needs for so many rows.
  size_t scratch_bytes(size_t) const { return 0; }

  // Of those that are read first.
  size_t first_panel_bytes() const {
    const size_t panel = kernel_.panel_elements(shape_.taps * shape_.depth) * sizeof(T);
    return std::min(panel, panels_bytes());
  }

  void pack(const GemmWeights<T>& weights, std::byte* out) const {
    gemm_pack(weights, kernel_, 0, panels(), reinterpret_cast<T*>(out));
  }
  // Panel number `panel` with its rows, one for each k, multiplied by `factors`; `zeros` are as many.
  void scale(size_t panel, const std::byte* packed, const float* factors, const float* zeros,
             std::byte* out) const requires(sizeof(T) == sizeof(float)) {
    const size_t k = shape_.taps * shape_.depth;
    const size_t first = panel * kernel_.panel_elements(k);
    const size_t cols = std::min(nr(), shape_.columns - panel * nr());
    const size_t width = kernel_.bias_elements(cols);
    const T* from = reinterpret_cast<const T*>(packed) + first;
    T* to = reinterpret_cast<T*>(out) + first;
    std::copy_n(from, width, to);  // The bias.
    if (kernel_.ends_in_pairs(cols)) {
      return gemm_scale_pairs(kernel_, cols, k, factors, from + width, to + width);
    }
    best_variant(scale_shift_f32_variants())
        .run({.rows = k,
              .cols = width,
              .x = from + width,
              .scale = factors,
              .shift = zeros,
              .per_row = true,
              .y = to + width});
  }

  void run(const std::byte* packed, const ProductBounds& bounds, const GemmRows<T>& rows,
           size_t first, size_t last, std::byte*, FetchAhead* ahead = nullptr) const {
    gemm_block<T>({.kernel = kernel_,
                   .n = shape_.columns,
                   .taps = shape_.taps,
                   .depth = shape_.depth,
                   .panels = reinterpret_cast<const T*>(packed),
                   .low = bounds.low,
                   .high = bounds.high,
                   .ahead = ahead},
                  rows, first, last);
  }

 private:
  static const KernelVariant<GemmKernel<T>>& best() {
    if constexpr (sizeof(T) == 4) {
      return best_variant(gemm_f32_variants());
    } else {
      return best_variant(gemm_f16_variants());
    }
  }

  ProductShape shape_;
  std::string_view name_;
  GemmKernel<T> kernel_;
};

// Float operands whose multiplicands are rounded to bfloat16.
class Bf16Product {
 public:
  using Element = float;
  static bool steps(size_t) { return false; }

  explicit Bf16Product(const ProductShape& shape)
      : shape_(shape), variant_(best_variant(gemm_bf16_variants())) {}

  StepKind kind() const {
    return {.family = StepFamily::Product,
            .work = "gemm_bf16",
            .variant = std::string(variant_.name),
            .precision = Arithmetic::Bf16,
            .tile_columns = static_cast<int64_t>(nr())};
  }
  size_t mr() const { return variant_.run.mr; }
  size_t nr() const { return variant_.run.nr; }
  size_t panels() const { return variant_.run.panels(shape_.columns); }
  size_t panels_bytes() const { return panels() * variant_.run.panel_bytes(steps()); }
  size_t row_bytes() const { return shape_.taps * shape_.depth * sizeof(BFloat16); }
  size_t grain() const { return variant_.run.grain(); }
  size_t block_step() const { return variant_.run.block_step(); }
  // AMX, whose tiles come in parts, multiplies rows in less time than it takes to round them or to
  // fetch them from another thread; panels are read faster too.
  Tasks::Costs task_costs() const {
    if (grain() == mr()) return {.pack = 1, .fetch = 4};
    return {.pack = 2, .fetch = 2, .share = 4};
  }
  Tasks::Block block() const { return {}; }
  size_t scratch_bytes(size_t rows) const { return variant_.run.rows_bytes(rows, steps()); }
  size_t first_panel_bytes() const { return variant_.run.panel_bytes(steps()); }

  void pack(const GemmWeights<float>& weights, std::byte* out) const {
    gemm_bf16_pack(variant_.run, weights, shape_.depth, 0, panels(), out);
  }
  void run(const std::byte* packed, const ProductBounds& bounds, const GemmRows<float>& rows,
           size_t first, size_t last, std::byte* scratch, FetchAhead* = nullptr) const {
    gemm_bf16_block({.kernel = variant_.run,
                     .n = shape_.columns,
                     .taps = shape_.taps,
                     .depth = shape_.depth,
                     .panels = packed,
                     .low = bounds.low,
                     .high = bounds.high},
                    rows, first, last, scratch);
  }

 private:
  size_t steps() const { return variant_.run.steps(shape_.taps, shape_.depth); }

  ProductShape shape_;
  const KernelVariant<GemmBf16Kernel>& variant_;
};

// Float operands whose multiplicands are taken apart into bfloat16, without loss.
class SplitProduct {
 public:
  using Element = float;
  static bool steps(size_t) { return false; }

  explicit SplitProduct(const ProductShape& shape)
      : shape_(shape), variant_(best_variant(gemm_split_variants())) {}

  // Whether it is a sixth faster. Times are in multiply-adds of floats: what the products of parts,
  // taking rows apart, storing results and reading weights take was fitted to 85 layers on a Xeon
  // whose AMX multiplies parts in half of the time that floats take. Where a neighbour keeps AMX
  // busy it is slower by less than that sixth. Several threads each wait for the weights, which are
  // half as large again.
  static bool pays(const ProductShape& shape, size_t rows, int64_t threads) {
    if (&best_variant(gemm_split_variants()) == &gemm_split_variants().back()) return false;
    const auto padded = [](size_t x, size_t to) { return (x + to - 1) / to * to; };
    const size_t n = shape.columns, k = shape.taps * shape.depth;
    const size_t products =
        padded(rows, kSplitTile) * padded(n, kSplitTile) * padded(k, kSplitStep) / 2;
    const size_t reading = threads == 1 ? 12 : 48;
    const size_t around = kTakenApart * rows * k + 7 * rows * n + reading * n * k;
    const size_t plain = rows * padded(n, PlainProduct<float>(shape).least_columns()) * k;
    return fits_cache(k) && products + around < plain / 20 * 17;
  }

  StepKind kind() const {
    return {.family = StepFamily::Product,
            .work = "gemm_split",
            .variant = std::string(variant_.name),
            .tile_columns = kSplitTile,
            .partial_tile = partial_tile()};
  }
  // The products of a tile more, but rows are taken apart once.
  double partial_tile() const {
    const auto fewer = static_cast<double>(shape_.columns / kSplitTile * kSplitTile);
    return fewer / (fewer + 2 * kTakenApart);
  }
  size_t mr() const { return variant_.run.mr; }
  size_t nr() const { return variant_.run.nr; }
  size_t panels() const { return variant_.run.panels(shape_.columns); }
  size_t panels_bytes() const { return panels() * first_panel_bytes(); }
  size_t row_bytes() const { return variant_.run.part_bytes(k()); }
  size_t grain() const { return mr() / 2; }
  size_t block_step() const { return grain(); }
  Tasks::Costs task_costs() const { return {.pack = 1, .fetch = 2, .share = 2}; }
  Tasks::Block block() const {
    const size_t cache = second_level_cache_bytes();
    if (panels_bytes() <= cache / 4) return {.fewest_tiles = kFewestSplitTiles};
    // Weights from afar are read once for as many rows as leave room for two panels.
    return {.bytes = cache / 5 * 4 - std::min(cache / 5 * 4, 2 * first_panel_bytes()),
            .fewest_tiles = kFewestSplitTiles};
  }
  size_t scratch_bytes(size_t rows) const { return variant_.run.rows_bytes(rows, k()); }
  size_t first_panel_bytes() const { return variant_.run.panel_bytes(k()); }

  void pack(const GemmWeights<float>& weights, std::byte* out) const {
    gemm_split_pack(variant_.run, weights, 0, panels(), out);
  }
  void run(const std::byte* packed, const ProductBounds& bounds, const GemmRows<float>& rows,
           size_t first, size_t last, std::byte* scratch, FetchAhead* ahead = nullptr) const {
    gemm_split_block({.kernel = variant_.run,
                      .n = shape_.columns,
                      .taps = shape_.taps,
                      .depth = shape_.depth,
                      .panels = packed,
                      .low = bounds.low,
                      .high = bounds.high,
                      .ahead = ahead},
                     rows, first, last, scratch);
  }

 private:
  static constexpr size_t kFewestSplitTiles = 2;
  // What taking a value of a row apart takes, in multiply-adds of floats; a product of parts is half.
  static constexpr size_t kTakenApart = 22;

  // Whether the fewest rows stay there beside a panel and the next one.
  static bool fits_cache(size_t k) {
    const GemmSplitKernel& kernel = best_variant(gemm_split_variants()).run;
    const size_t rows = kFewestSplitTiles * kernel.mr;
    return kernel.rows_bytes(rows, k) + 2 * kernel.panel_bytes(k) <= second_level_cache_bytes();
  }

  size_t k() const { return shape_.taps * shape_.depth; }

  ProductShape shape_;
  const KernelVariant<GemmSplitKernel>& variant_;
};

}  // namespace hone::cpu
