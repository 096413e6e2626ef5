#include "hone/targets/cpu/widened_product.h"

#include <limits>

#include "hone/kernels/convert/convert.h"
#include "hone/targets/cpu/precision.h"

namespace hone::cpu {
namespace {

// Values of k that are multiplied at a time, so that a panel's floats stay in the second-level cache.
constexpr size_t kDepthAtOnce = 1024;

void widen(size_t n, const Half* x, float* y) {
  best_variant(convert_f16_f32_variants()).run(n, x, y);
}

void narrow(size_t n, const float* x, Half* y) {
  best_variant(convert_f32_f16_variants()).run(n, x, y);
}

// Rows of both, `n` elements each: at once where they lie one behind another.
template <class From, class To>
void convert_rows(void (*convert)(size_t, const From*, To*), size_t rows, size_t n, const From* x,
                  size_t x_stride, To* y, size_t y_stride) {
  if (x_stride == n && y_stride == n) return convert(rows * n, x, y);
  for (size_t row = 0; row < rows; ++row) convert(n, x + row * x_stride, y + row * y_stride);
}

size_t bytes_in_lines(size_t floats) {
  return (floats * sizeof(float) + kFetchedLine - 1) / kFetchedLine * kFetchedLine;
}

}  // namespace

bool WidenedProduct::pays(const ProductShape& shape, size_t rows) {
  constexpr size_t kLeastRows = 28, kLeastColumns = 17;
  return kernel_precision(Precision::F16) == Precision::F16 && !multiplies_halves() &&
         rows >= kLeastRows && shape.columns >= kLeastColumns && shape.taps * shape.depth > 0;
}

WidenedProduct::WidenedProduct(const ProductShape& shape)
    : columns_(shape.columns),
      taps_(shape.taps),
      depth_(shape.depth),
      k_(shape.taps * shape.depth),
      name_(best_variant(gemm_f32_variants()).name),
      kernel_(best_variant(gemm_f32_variants()).run.for_product(columns_, k_)),
      keeps_floats_(kernel_.packed_elements(columns_, k_) * sizeof(float) <=
                    second_level_cache_bytes() / 4) {}

StepKind WidenedProduct::kind() const {
  const PlainProduct<float> floats({.columns = columns_, .taps = 1, .depth = k_});
  return {.family = StepFamily::Product,
          .work = "gemm_f16",
          .variant = std::string(name_),
          .tile_columns = static_cast<int64_t>(floats.least_columns()),
          .partial_tile = floats.partial_tile()};
}

// Of a piece. Operands and results stay in the first-level cache, or take a third of the second beside
// a panel that every piece turns into floats.
size_t WidenedProduct::most_rows() const {
  constexpr size_t kNearBytes = 32 * 1024;
  const size_t bytes = keeps_floats_ ? kNearBytes : second_level_cache_bytes() / 3;
  const size_t fewest_tiles = keeps_floats_ ? 8 : kFewestTiles;
  return std::max(fewest_tiles, bytes / ((k_ + columns_) * sizeof(float)) / mr()) * mr();
}

WidenedProduct::Layout WidenedProduct::layout(size_t rows) const {
  const size_t panel_elements = kernel_.panel_elements(std::min(k_, kDepthAtOnce)) + kernel_.nr;
  Layout at;
  at.y = bytes_in_lines(rows * k_);
  at.panel = at.y + bytes_in_lines(rows * columns_);
  at.a = at.panel + bytes_in_lines(panel_elements);
  at.end = at.a + rows * sizeof(float*);
  return at;
}

size_t WidenedProduct::scratch_bytes(size_t rows) const {
  return layout(std::min(rows, most_rows())).end;
}

void WidenedProduct::pack(const GemmWeights<Half>& weights, std::byte* out) const {
  const GemmF16 halves = {.mr = kernel_.mr,
                          .nr = kernel_.nr,
                          .step = kernel_.step,
                          .run = nullptr,
                          .in_pairs = kernel_.in_pairs};
  if (!keeps_floats_) return gemm_pack(weights, halves, 0, panels(), reinterpret_cast<Half*>(out));
  // Panels of halves lie as those of floats do.
  std::vector<Half> packed(kernel_.packed_elements(columns_, k_));
  gemm_pack(weights, halves, 0, panels(), packed.data());
  widen(packed.size(), packed.data(), reinterpret_cast<float*>(out));
}

void WidenedProduct::run(const std::byte* packed, const ProductBounds& bounds,
                         const GemmRows<Half>& rows, size_t first, size_t last, std::byte* scratch,
                         FetchAhead* ahead) const {
  if (first == last) return;
  const size_t width = (last - 1 - first) * kernel_.nr + columns_of(last - 1);
  const Layout at = layout(std::min(rows.rows, most_rows()));
  const Wide wide = {.x = reinterpret_cast<float*>(scratch),
                     .y = reinterpret_cast<float*>(scratch + at.y),
                     .panel = reinterpret_cast<float*>(scratch + at.panel),
                     .a = reinterpret_cast<const float**>(scratch + at.a)};
  Piece piece{.packed = packed,
              .bounds = bounds,
              .rows = rows,
              .first = first,
              .last = last,
              .width = width,
              .ahead = nullptr};
  for_blocks(0, rows.rows, most_rows(), mr(), [&](size_t begin, size_t end) {
    piece.rows.rows = end - begin;
    piece.rows.a = rows.a + begin * taps_;
    piece.rows.c = rows.c + begin * rows.c_stride + first * kernel_.nr;
    if (rows.residual != nullptr) {
      piece.rows.residual = rows.residual + begin * rows.residual_stride + first * kernel_.nr;
    }
    piece.ahead = end == rows.rows ? ahead : nullptr;
    run_piece(piece, wide);
  });
}

void WidenedProduct::run_piece(const Piece& piece, const Wide& wide) const {
  const GemmRows<Half>& rows = piece.rows;
  widen_rows(rows, wide.x);
  if (rows.residual != nullptr) {
    convert_rows(widen, rows.rows, piece.width, rows.residual, rows.residual_stride, wide.y,
                 piece.width);
  }
  const size_t step = keeps_floats_ ? k_ : std::min(k_, kDepthAtOnce);
  for (size_t begin = 0; begin < k_; begin += step) {
    add_products(piece, wide, begin, std::min(k_, begin + step));
  }
  convert_rows(narrow, rows.rows, piece.width, wide.y, piece.width, rows.c, rows.c_stride);
}

// Those of k from `begin` on, to the sums of those before.
void WidenedProduct::add_products(const Piece& piece, const Wide& wide, size_t begin,
                                  size_t end) const {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const bool adds = begin > 0 || piece.rows.residual != nullptr, ends = end == k_;
  for (size_t row = 0; row < piece.rows.rows; ++row) wide.a[row] = wide.x + row * k_ + begin;
  for (size_t panel = piece.first; panel < piece.last; ++panel) {
    const bool is_last = panel + 1 == piece.last;
    const std::byte* next =
        piece.packed + (panel + 1) * kernel_.panel_elements(k_) * weight_bytes();
    float* y = wide.y + (panel - piece.first) * kernel_.nr;
    kernel_.run({.rows = piece.rows.rows,
                 .cols = columns_of(panel),
                 .taps = 1,
                 .depth = end - begin,
                 .a = wide.a,
                 .b = panel_of(piece, panel, begin, end, wide.panel),
                 .c = y,
                 .c_stride = piece.width,
                 .residual = adds ? y : nullptr,
                 .residual_stride = piece.width,
                 .low = ends ? piece.bounds.low : -kInfinity,
                 .high = ends ? piece.bounds.high : kInfinity,
                 .next = is_last ? nullptr : reinterpret_cast<const float*>(next),
                 .ahead = ends ? piece.ahead : nullptr});
  }
}

// Its weights of k from `begin` on, as floats, behind biases: those of the panel at first, then zeros.
const float* WidenedProduct::panel_of(const Piece& piece, size_t panel, size_t begin, size_t end,
                                      float* memory) const {
  const std::byte* packed = piece.packed + panel * kernel_.panel_elements(k_) * weight_bytes();
  if (keeps_floats_) return reinterpret_cast<const float*>(packed);
  const auto* halves = reinterpret_cast<const Half*>(packed);
  const size_t columns = columns_of(panel);
  const size_t biases = kernel_.bias_elements(columns), width = kernel_.panel_columns(columns);
  if (begin == 0) {
    widen(biases + end * width, halves, memory);
  } else {
    std::fill_n(memory, biases, 0.0f);
    widen((end - begin) * width, halves + biases + begin * width, memory + biases);
  }
  return memory;
}

// Where pixels lie one behind another, they are converted together.
void WidenedProduct::widen_rows(const GemmRows<Half>& rows, float* x) const {
  const size_t count = rows.rows * taps_;
  for (size_t i = 0; i < count;) {
    size_t together = 1;
    while (i + together < count && rows.a[i + together] == rows.a[i] + together * depth_) {
      ++together;
    }
    widen(together * depth_, rows.a[i], x + i * depth_);
    i += together;
  }
}

}  // namespace hone::cpu
