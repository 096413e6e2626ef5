// The product by tiles of AMX, two by two of them: six products of parts for each step of k, the
// smallest first, and in an order in which only one operand changes from one to the next.
//
// AMX multiplies on its own. In pauses between its products, sums of the block before are stored, and what
// is read next is fetched. To take rows apart in them as well is slower than to do so before.
#include "hone/kernels/amx_tiles.h"
#include "hone/kernels/gemm_bf16/gemm_bf16_finish_avx512.h"
#include "hone/kernels/gemm_split/gemm_split_variants.h"
#include "hone/kernels/gemm_split/split_rows_avx512.h"

namespace hone {
namespace {

constexpr size_t kColumns = kGemmSplitAmxColumns;
constexpr size_t kTileRowBytes = kSplitStep * sizeof(BFloat16);
constexpr size_t kRowsStep = kSplitParts * kSplitTileElements;
constexpr size_t kWeightsStep = kColumns / kSplitTile * kRowsStep;
// Pauses in a step of k, in which other work is done.
constexpr size_t kPauses = 6;
// Lines of what is read after all panels, in a pause.
constexpr size_t kFetchedAhead = 4;

// One step of k. Tiles 0 to 3 are sums, row by row; 4 and 5 rows of a; 6 and 7 weights.
template <size_t kTileRows, size_t kTileColumns>
struct SplitStep {
  const BFloat16* a;
  const BFloat16* below;  // The next 16 rows.
  const BFloat16* w;

  [[gnu::always_inline]] void load_rows(size_t part) const {
    _tile_loadd(4, a + part * kSplitTileElements, kTileRowBytes);
    if constexpr (kTileRows > 1) _tile_loadd(5, below + part * kSplitTileElements, kTileRowBytes);
  }
  [[gnu::always_inline]] void load_weights(size_t part) const {
    const BFloat16* at = w + part * 2 * kSplitTileElements;
    _tile_loadd(6, at, kTileRowBytes);
    if constexpr (kTileColumns > 1) _tile_loadd(7, at + kSplitTileElements, kTileRowBytes);
  }
  [[gnu::always_inline]] void multiply() const {
    _tile_dpbf16ps(0, 4, 6);
    if constexpr (kTileColumns > 1) _tile_dpbf16ps(1, 4, 7);
    if constexpr (kTileRows > 1) _tile_dpbf16ps(2, 5, 6);
    if constexpr (kTileRows > 1 && kTileColumns > 1) _tile_dpbf16ps(3, 5, 7);
  }
  template <class Pause>
  [[gnu::always_inline]] void run(const Pause& pause) const {
    load_rows(2);
    load_weights(0);
    multiply();
    pause();
    load_rows(1);
    multiply();
    pause();
    load_weights(1);
    multiply();
    pause();
    load_rows(0);
    multiply();
    pause();
    load_weights(2);
    multiply();
    pause();
    load_weights(0);
    multiply();
    pause();
  }
};

template <size_t kTileRows, size_t kTileColumns, class Pause>
[[gnu::always_inline]] inline void multiply(const BFloat16* a, const BFloat16* w, size_t steps,
                                            AmxSums<float>& to, const Pause& pause) {
  const BFloat16* below = a + steps * kRowsStep;
  _tile_zero(0);
  if constexpr (kTileColumns > 1) _tile_zero(1);
  if constexpr (kTileRows > 1) _tile_zero(2);
  if constexpr (kTileRows > 1 && kTileColumns > 1) _tile_zero(3);
  for (; steps > 0; --steps, a += kRowsStep, below += kRowsStep, w += kWeightsStep) {
    SplitStep<kTileRows, kTileColumns>{a, below, w}.run(pause);
  }
  _tile_stored(0, to.rows[0], sizeof(to.rows[0]));
  if constexpr (kTileColumns > 1) _tile_stored(1, to.rows[0] + 16, sizeof(to.rows[0]));
  if constexpr (kTileRows > 1) _tile_stored(2, to.rows[kAmxRows], sizeof(to.rows[0]));
  if constexpr (kTileRows > 1 && kTileColumns > 1) {
    _tile_stored(3, to.rows[kAmxRows] + 16, sizeof(to.rows[0]));
  }
}

// What is read later, some lines at a time into the second-level cache.
class FetchLater {
 public:
  FetchLater(const void* at, size_t bytes, size_t pauses)
      : at_(static_cast<const char*>(at)),
        end_(at_ + bytes),
        each_((bytes / kFetchedLine + pauses - 1) / pauses * kFetchedLine) {}

  [[gnu::always_inline]] void fetch_some() {
    const char* until = std::min(end_, at_ + each_);
    for (; at_ < until; at_ += kFetchedLine) _mm_prefetch(at_, _MM_HINT_T1);
  }

 private:
  const char* at_;
  const char* end_;
  size_t each_;
};

class SplitProductRun {
 public:
  explicit SplitProductRun(const GemmSplitStrip& strip)
      : strip_(strip),
        k_(strip.taps * strip.depth),
        steps_((k_ + kSplitStep - 1) / kSplitStep),
        pauses_(kPauses * steps_),
        blocks_((strip.rows + kAmxPair - 1) / kAmxPair),
        panels_((strip.cols + kColumns - 1) / kColumns),
        panel_bytes_(kColumns * sizeof(float) + steps_ * kWeightsStep * sizeof(BFloat16)),
        rows_behind_(strip.a[(strip.rows - 1) * strip.taps] + strip.depth,
                     strip.far_rows ? strip.rows * k_ * sizeof(float) : 0,
                     panels_ * blocks_ * pauses_) {}

  void run() {
    const AmxTiles tiles(std::min(strip_.rows, kAmxRows));
    const size_t first_to_fetch = first_panel_to_fetch();
    const std::byte* at = strip_.panels;
    for (size_t panel = 0; panel < panels_; ++panel, at += panel_bytes_) {
      ahead_ = panel < first_to_fetch ? nullptr : strip_.ahead;
      if (strip_.cols - panel * kColumns > kSplitTile) {
        run_panel<2>(panel, at);
      } else {
        run_panel<1>(panel, at);
      }
    }
  }

 private:
  // Sums of a block that are still to be stored.
  using Pending = AmxPendingRows<float, Bf16Finish>;

  // The panel from which on what `ahead` names is fetched: as late as may be, or panels would take its
  // place.
  size_t first_panel_to_fetch() const {
    if (strip_.ahead == nullptr) return panels_;
    const size_t lines = blocks_ * pauses_ * kFetchedAhead;
    return panels_ - std::min(panels_, (strip_.ahead->lines() + lines - 1) / lines);
  }

  template <size_t kTileColumns>
  void run_panel(size_t panel, const std::byte* at) {
    const GemmBf16Strip results = results_of(panel, at);
    const Bf16Finish finish(results);
    Pending pending(finish);
    FetchLater next(at + panel_bytes_, panel + 1 < panels_ ? panel_bytes_ : 0, blocks_ * pauses_);
    for (size_t block = 0; block < blocks_; ++block) {
      const size_t row = block * kAmxPair, end = std::min(strip_.rows, row + kAmxPair);
      AmxSums<float>& sums = sums_[block % 2];
      if (end - row > kAmxRows) {
        multiply_block<2, kTileColumns>(at, row, sums, pending, next);
      } else {
        multiply_block<1, kTileColumns>(at, row, sums, pending, next);
      }
      pending.store_all();
      pending.set(sums.rows, row, end);
    }
    pending.store_all();
  }

  template <size_t kTileRows, size_t kTileColumns>
  void multiply_block(const std::byte* panel, size_t row, AmxSums<float>& sums, Pending& pending,
                      FetchLater& next) {
    const auto* w = reinterpret_cast<const BFloat16*>(panel + kColumns * sizeof(float));
    const BFloat16* a = strip_.row_parts + row / kSplitTile * steps_ * kRowsStep;
    const size_t stores = (kAmxPair / Bf16Finish::kRows + pauses_ - 1) / pauses_;
    multiply<kTileRows, kTileColumns>(a, w, steps_, sums, [&] {
      pending.store_some(stores);
      next.fetch_some();
      rows_behind_.fetch_some();
      if (ahead_ != nullptr && !ahead_->empty()) fetch(ahead_->take(kFetchedAhead));
    });
  }

  static void fetch(const FetchAhead::Piece& piece) {
    for (size_t i = 0; i < kFetchedAhead; ++i) {
      _mm_prefetch(reinterpret_cast<const char*>(piece.at + i * piece.step), _MM_HINT_T1);
    }
  }

  GemmBf16Strip results_of(size_t panel, const std::byte* at) const {
    const size_t column = panel * kColumns;
    return {.rows = strip_.rows,
            .cols = std::min(kColumns, strip_.cols - column),
            .steps = steps_,
            .a = strip_.row_parts,
            .panel = at,
            .c = strip_.c + column,
            .c_stride = strip_.c_stride,
            .residual = strip_.residual == nullptr ? nullptr : strip_.residual + column,
            .residual_stride = strip_.residual_stride,
            .low = strip_.low,
            .high = strip_.high};
  }

  const GemmSplitStrip& strip_;
  size_t k_;
  size_t steps_;
  size_t pauses_;  // Of a block of two tiles of rows.
  size_t blocks_;
  size_t panels_;
  size_t panel_bytes_;
  FetchLater rows_behind_;
  FetchAhead* ahead_ = nullptr;
  AmxSums<float> sums_[2];
};

}  // namespace

bool gemm_split_amx_bf16(const GemmSplitStrip& strip) {
  if (!split_rows(strip)) return false;
  SplitProductRun(strip).run();
  return true;
}

}  // namespace hone
