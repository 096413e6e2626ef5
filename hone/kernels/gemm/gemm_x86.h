// The tile for AVX2 and AVX-512, over a vector type: MR rows of NV vectors of sums; values of a are
// broadcast from their rows, one per row and k. Where elements are halves and sums are floats, rows
// of a are first converted, some hundred values of k at a time. Where the last vector is in pairs, it
// sums even and odd values of k in lanes side by side, which are added up at the end.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "hone/kernels/gemm/gemm.h"
#include "hone/kernels/unroll.h"
#include "hone/kernels/x86_vectors.h"

namespace hone {

// The taps that a tile adds to its sums, and what it fetches meanwhile. Where a panel is too large
// for the second-level cache its taps are taken in several passes over all rows; between them sums
// are in c.
template <class T>
struct GemmX86Pass {
  size_t tap_begin;
  size_t tap_end;
  bool is_first;
  bool is_last;
  const T* next;     // For each k, the line here is fetched into the second-level cache,
  size_t next_step;  // so many elements further on each time.
};

inline constexpr size_t kGemmX86PacedRows = 8;

// Weights for each k in a panel of NV vectors: half a vector fewer where the last is in pairs.
template <class V, size_t NV>
constexpr size_t gemm_x86_columns() {
  return NV * V::kLanes - (requires { &V::broadcast_pair; } ? V::kLanes / 2 : 0);
}

// What tiles fetch: where the panel is read from beyond the first-level cache, its own lines too.
// Those for taps at equal steps fetch nothing, and are apart: an address to be added in every tap takes
// a hundredth of the time of 3x3 layers.
enum class GemmX86Fetch { Nothing, Ahead, AheadAndPanel, NothingStepped };

// V is of x86_vectors.h: F32x8, HalfF32x8 and the like. The panel is NV vectors wide, the last of
// which may be partly used, or in pairs.
template <class V, size_t MR, size_t NV, GemmX86Fetch kFetch>
class GemmX86Tile {
  using T = typename V::Element;
  using Vec = typename V::Vec;
  static constexpr size_t kColumns = gemm_x86_columns<V, NV>();
  static constexpr bool kPairs = kColumns < NV * V::kLanes;
  static constexpr size_t kWhole = kPairs ? NV - 1 : NV;  // Vectors of one k.
  static constexpr size_t kStep = kPairs ? 2 : 1;         // Values of k at a time.
  static constexpr size_t kLine = 64 / sizeof(T);
  // Far enough for the second-level cache, and for the third when one row reads a panel once.
  static constexpr size_t kAhead = 2048 / sizeof(T);
  // Where sums, weights and a broadcast are more than the registers, the last vector of weights is
  // an operand in memory.
  static constexpr bool kEmbeds = requires { &V::fma_broadcast; };
  static constexpr size_t kHeld =
      !kEmbeds && MR * NV + kWhole + 1 > V::kRegisters ? kWhole - 1 : kWhole;
  // Taller tiles have no register left for the step.
  static constexpr bool kPaced = MR <= kGemmX86PacedRows;
  static constexpr bool kStepped = kFetch == GemmX86Fetch::NothingStepped;
  static constexpr bool kWidens = sizeof(T) * V::kLanes < sizeof(Vec);
  static constexpr size_t kChunk = 128;  // Values of k that are converted at a time.

 public:
  using Pass = GemmX86Pass<T>;

  static void run(const GemmTile<T>& tile, const Pass& pass) {
    Vec sums[MR][NV];
    if (pass.is_first) {
      start(tile, sums);
    } else {
      add_rows<false>(tile.c, tile.c_stride, last_mask(tile), sums);
      if constexpr (kPairs) change_last(sums, V::spread);
    }
    Fetch next{pass.next, pass.next_step};
    const T* b = tile.b + NV * V::kLanes + kColumns * pass.tap_begin * tile.depth;
    for (size_t t = pass.tap_begin; t < pass.tap_end; ++t) {
      if constexpr (kWidens) {
        add_widened(tile, t, b, next, sums);
      } else {
        const T* rows[MR];
        find_rows(tile, t, rows);
        add_steps(rows, tile.depth, b, next, sums);
      }
    }
    finish(tile, pass, sums);
  }

 private:
  struct Fetch {
    const T* next;
    size_t step;
  };

  static typename V::Mask last_mask(const GemmTile<T>& tile) {
    return V::mask(tile.cols - (NV - 1) * V::kLanes);
  }

  [[gnu::always_inline]] static inline void start(const GemmTile<T>& tile, Vec (&sums)[MR][NV]) {
    HONE_UNROLL
    for (size_t n = 0; n < NV; ++n) {
      const Vec bias = V::load(tile.b + n * V::kLanes);
      HONE_UNROLL
      for (size_t r = 0; r < MR; ++r) sums[r][n] = bias;
    }
  }

  // Down the rows one by one: of MR places to read pointers from, g++ would keep most in vector
  // registers, and moves from there take the time of multiply-adds.
  [[gnu::always_inline]] static inline void find_rows(const GemmTile<T>& tile, size_t tap,
                                                      const T* (&rows)[MR]) {
    const T* const* at = kStepped ? tile.a : tile.a + tap;
    HONE_UNROLL
    for (size_t r = 0; r < MR; ++r) {
      rows[r] = kStepped ? *at + tap * tile.tap_step : *at;
      asm("" : "+r"(at), "+r"(rows[r]));
      if (r + 1 < MR) at += kStepped ? 1 : tile.taps;
    }
  }

  [[gnu::always_inline]] static inline void add_widened(const GemmTile<T>& tile, size_t tap,
                                                        const T*& b, Fetch& next,
                                                        Vec (&sums)[MR][NV]) {
    float wide[MR][kChunk];
    const float* rows[MR];
    HONE_UNROLL
    for (size_t r = 0; r < MR; ++r) rows[r] = wide[r];
    for (size_t k = 0; k < tile.depth; k += kChunk) {
      const size_t steps = std::min(kChunk, tile.depth - k);
      for (size_t r = 0; r < MR; ++r) widen(tile.a[r * tile.taps + tap] + k, steps, wide[r]);
      add_steps(rows, steps, b, next, sums);
    }
  }

  static void widen(const T* from, size_t count, float* to) {
    size_t k = 0;
    for (; k + V::kLanes <= count; k += V::kLanes) V::store_floats(to + k, V::load(from + k));
    if (k < count) V::store_floats(to + k, V::load(from + k, V::mask(count - k)));
  }

  template <class Factor>
  [[gnu::always_inline]] static inline void add_steps(const Factor* const (&rows)[MR], size_t steps,
                                                      const T*& b, Fetch& next,
                                                      Vec (&sums)[MR][NV]) {
    // Counted up to zero: one register for place and end, of which g++ would make two if it saw
    // where the numbers come from.
    const auto count = static_cast<ptrdiff_t>(steps);
    const Factor* ends[MR];
    HONE_UNROLL
    for (size_t r = 0; r < MR; ++r) {
      ends[r] = rows[r] + count;
      if constexpr (!kWidens) asm("" : "+r"(ends[r]));
    }
    for (ptrdiff_t k = -count; k < 0; k += kStep, b += kStep * kColumns) {
      if constexpr (!kWidens) asm("" : "+r"(k));
      fetch(b, next);
      if constexpr (kPairs) {
        add_two(ends, k, b, sums);
      } else {
        add_products(ends, k, b, sums);
      }
    }
  }

  [[gnu::always_inline]] static inline void fetch(const T* b, Fetch& next) {
    if constexpr (kFetch == GemmX86Fetch::Nothing || kStepped) return;
    if constexpr (kFetch == GemmX86Fetch::AheadAndPanel) {
      HONE_UNROLL
      for (size_t n = 0; n < kStep * kColumns; n += kLine) {
        _mm_prefetch(b + kAhead + n, _MM_HINT_T0);
      }
    }
    HONE_UNROLL
    for (size_t k = 0; k < kStep; ++k) {
      _mm_prefetch(next.next, _MM_HINT_T1);
      next.next += kPaced ? next.step : kLine;
    }
  }

  // Two values of k. Whole vectors first, one k after the other, or weights would take more registers
  // than are free.
  template <class Factor>
  [[gnu::always_inline]] static inline void add_two(const Factor* const (&ends)[MR], ptrdiff_t k,
                                                    const T* b, Vec (&sums)[MR][NV]) {
    if constexpr (kWhole > 0) {
      add_products(ends, k, b, sums);
      add_products(ends, k + 1, b + kWhole * V::kLanes, sums);
    }
    const Vec pairs = V::load(b + 2 * kWhole * V::kLanes);
    HONE_UNROLL
    for (size_t r = 0; r < MR; ++r) {
      sums[r][NV - 1] = V::fma(V::broadcast_pair(ends[r] + k), pairs, sums[r][NV - 1]);
    }
  }

  template <class Factor>
  [[gnu::always_inline]] static inline void add_products(const Factor* const (&ends)[MR],
                                                         ptrdiff_t k, const T* b,
                                                         Vec (&sums)[MR][NV]) {
    Vec held[kHeld];
    HONE_UNROLL
    for (size_t n = 0; n < kHeld; ++n) held[n] = V::load(b + n * V::kLanes);
    HONE_UNROLL
    for (size_t r = 0; r < MR; ++r) {
      if constexpr (kEmbeds) {
        HONE_UNROLL
        for (size_t n = 0; n < kWhole; ++n) {
          sums[r][n] = V::fma_broadcast(ends[r] + k, held[n], sums[r][n]);
        }
      } else {
        const Vec x = V::broadcast(ends[r][k]);
        HONE_UNROLL
        for (size_t n = 0; n < kHeld; ++n) sums[r][n] = V::fma(x, held[n], sums[r][n]);
        if constexpr (kHeld < kWhole) {
          sums[r][kHeld] = V::fma_from(x, b + kHeld * V::kLanes, sums[r][kHeld]);
        }
      }
    }
  }

  [[gnu::always_inline]] static inline void finish(const GemmTile<T>& tile, const Pass& pass,
                                                   Vec (&sums)[MR][NV]) {
    if constexpr (kPairs) change_last(sums, V::join);
    // In the first pass: the residual may be where the sums of later ones are.
    if (pass.is_first && tile.residual != nullptr) {
      add_rows<true>(tile.residual, tile.residual_stride, last_mask(tile), sums);
    }
    if (pass.is_last) clamp(tile, sums);
    if (!kPairs && tile.cols == kColumns) {
      store_rows(tile, sums, [](T* c, Vec y) { V::store(c, y); });
    } else {
      const auto mask = last_mask(tile);
      store_rows(tile, sums, [mask](T* c, Vec y) { V::store(c, mask, y); });
    }
  }

  [[gnu::always_inline]] static inline void change_last(Vec (&sums)[MR][NV], Vec (*change)(Vec)) {
    HONE_UNROLL
    for (size_t r = 0; r < MR; ++r) sums[r][NV - 1] = change(sums[r][NV - 1]);
  }

  [[gnu::always_inline]] static inline void clamp(const GemmTile<T>& tile, Vec (&sums)[MR][NV]) {
    const Vec low = V::broadcast(tile.low);
    const Vec high = V::broadcast(tile.high);
    HONE_UNROLL
    for (size_t r = 0; r < MR; ++r) {
      // Of two operands, one of them NaN, these instructions give the second.
      HONE_UNROLL
      for (Vec& sum : sums[r]) sum = V::min(high, V::max(low, sum));
    }
  }

  // Or puts them in the place of sums.
  template <bool kAdds>
  [[gnu::always_inline]] static inline void add_rows(const T* from, size_t stride,
                                                     typename V::Mask mask, Vec (&sums)[MR][NV]) {
    const auto add = [](Vec& sum, Vec x) { sum = kAdds ? V::add(sum, x) : x; };
    HONE_UNROLL
    for (size_t r = 0; r < MR; ++r, from += stride) {
      HONE_UNROLL
      for (size_t n = 0; n + 1 < NV; ++n) add(sums[r][n], V::load(from + n * V::kLanes));
      add(sums[r][NV - 1], V::load(from + (NV - 1) * V::kLanes, mask));
    }
  }

  template <class StoreLast>
  [[gnu::always_inline]] static inline void store_rows(const GemmTile<T>& tile,
                                                       const Vec (&sums)[MR][NV],
                                                       StoreLast store_last) {
    T* to = tile.c;
    HONE_UNROLL
    for (size_t r = 0; r < MR; ++r, to += tile.c_stride) {
      HONE_UNROLL
      for (size_t n = 0; n + 1 < NV; ++n) V::store(to + n * V::kLanes, sums[r][n]);
      store_last(to + (NV - 1) * V::kLanes, sums[r][NV - 1]);
    }
  }
};

// The tiles of 1 .. kMost rows.
template <class V, size_t NV, GemmX86Fetch kFetch, size_t... kRow>
constexpr auto gemm_x86_tiles(std::index_sequence<kRow...>) {
  return std::array{GemmX86Tile<V, kRow + 1, NV, kFetch>::run...};
}

// A tile of few rows waits for its own sums: a remainder is shared with the tile before it.
inline size_t gemm_x86_rows(size_t rows, size_t most) {
  if (rows >= 2 * most) return most;
  return rows > most ? (rows + 1) / 2 : rows;
}

// Says tile by tile what to fetch: the next panel of so many elements, at an even pace or, where more
// is wanted after it, as fast as may be; then what else there is; then rows that are far away.
template <class T>
class GemmX86Fetcher {
  static constexpr size_t kLine = kFetchedLine / sizeof(T);

 public:
  GemmX86Fetcher(const T* next, size_t elements, size_t all_steps, FetchAhead* ahead)
      : next_(next), left_(next == nullptr ? 0 : elements), ahead_(ahead) {
    const size_t even = (elements + all_steps - 1) / all_steps;
    pace_ = wants_more() ? kLine : std::min(kLine, even);
  }

  // For a tile of the first `rows` that are left, and so many steps.
  void set(GemmX86Pass<T>& pass, const GemmTile<T>& tile, size_t rows, size_t steps) {
    if (left_ > 0) {
      pass.next = next_;
      pass.next_step = pace_;
      next_ += pace_ * steps;
      left_ -= std::min(left_, pace_ * steps);
      // A few lines are not worth the steps of a whole tile.
      if (left_ < steps * kLine / 8) left_ = 0;
    } else if (wants_more()) {
      const FetchAhead::Piece piece = ahead_->take(steps);
      pass.next = reinterpret_cast<const T*>(piece.at);
      pass.next_step = (piece.step + sizeof(T) - 1) / sizeof(T);
    } else if (tile.far_rows && tile.rows > rows) {
      pass.next = tile.a[rows];
      pass.next_step = rows;
    } else {
      pass.next = tile.b;
      pass.next_step = 0;
    }
  }

 private:
  bool wants_more() const { return ahead_ != nullptr && !ahead_->empty(); }

  const T* next_;
  size_t left_;
  size_t pace_ = 0;
  FetchAhead* ahead_;
};

// One pass over all rows.
template <class T, class Tiles>
void run_gemm_x86_pass(GemmTile<T> tile, const Tiles& tiles, GemmX86Pass<T> pass,
                       size_t next_elements) {
  const size_t steps = std::max<size_t>(1, (pass.tap_end - pass.tap_begin) * tile.depth);
  const size_t all_steps = (tile.rows + tiles.size() - 1) / tiles.size() * steps;
  GemmX86Fetcher<T> fetcher(pass.next, next_elements, all_steps,
                            pass.is_last ? tile.ahead : nullptr);
  while (tile.rows > 0) {
    const size_t rows = gemm_x86_rows(tile.rows, tiles.size());
    fetcher.set(pass, tile, rows, steps);
    tiles[rows - 1](tile, pass);
    tile.skip_rows(rows);
  }
}

// Panels of more bytes are taken in passes, so that the next one has room beside it. Sums of halves
// are not rounded between passes: they have one.
template <class V>
size_t gemm_x86_taps_of_pass(const GemmTile<typename V::Element>& tile, size_t panel_bytes) {
  constexpr size_t kLargestBytes = 640 * 1024;
  if (sizeof(typename V::Element) < sizeof(float) || tile.taps == 1) return tile.taps;
  const size_t passes = (panel_bytes + kLargestBytes - 1) / kLargestBytes;
  return (tile.taps + passes - 1) / passes;
}

// Whether there are tiles for taps at equal steps: of what first layers are made of.
template <class V>
constexpr bool gemm_x86_steps() {
  return sizeof(typename V::Element) == sizeof(float) && !requires {
    &V::broadcast_pair;
  };
}

// All rows, where the panel is NV vectors wide and taps lie at equal steps.
template <class V, size_t NV, size_t kMost>
void run_gemm_x86_stepped(const GemmTile<typename V::Element>& tile) {
  static constexpr auto kTiles =
      gemm_x86_tiles<V, NV, GemmX86Fetch::NothingStepped>(std::make_index_sequence<kMost>());
  run_gemm_x86_pass(tile, kTiles,
                    {.tap_begin = 0,
                     .tap_end = tile.taps,
                     .is_first = true,
                     .is_last = true,
                     .next = nullptr,
                     .next_step = 0},
                    0);
}

// All rows, where the panel is NV vectors wide.
template <class V, size_t NV, size_t kMost>
void run_gemm_x86(const GemmTile<typename V::Element>& tile) {
  using T = typename V::Element;
  static constexpr auto kRows = std::make_index_sequence<kMost>();
  static constexpr auto kFarTiles = gemm_x86_tiles<V, NV, GemmX86Fetch::AheadAndPanel>(kRows);
  static constexpr auto kNearTiles = gemm_x86_tiles<V, NV, GemmX86Fetch::Nothing>(kRows);
  static constexpr auto kFetchingTiles = gemm_x86_tiles<V, NV, GemmX86Fetch::Ahead>(kRows);
  if constexpr (gemm_x86_steps<V>()) {
    if (tile.tap_step != 0) return run_gemm_x86_stepped<V, NV, kMost>(tile);
  }
  constexpr size_t kNearBytes = 24 * 1024;  // Half of a first-level cache.
  constexpr size_t kBias = NV * V::kLanes;
  constexpr size_t columns = gemm_x86_columns<V, NV>();
  const size_t panel_bytes = tile.taps * tile.depth * columns * sizeof(T);
  const bool fetches = tile.ahead != nullptr && !tile.ahead->empty();
  const auto& near = fetches || tile.far_rows ? kFetchingTiles : kNearTiles;
  const auto& tiles = panel_bytes > kNearBytes ? kFarTiles : near;
  const size_t taps = std::max<size_t>(1, gemm_x86_taps_of_pass<V>(tile, panel_bytes));
  for (size_t begin = 0; begin < tile.taps; begin += taps) {
    const size_t end = std::min(tile.taps, begin + taps);
    const bool is_last = end == tile.taps;
    const T* next = is_last ? tile.next : tile.b + kBias + columns * end * tile.depth;
    const size_t next_taps = is_last ? taps : std::min(taps, tile.taps - end);
    run_gemm_x86_pass(tile, tiles,
                      {.tap_begin = begin,
                       .tap_end = end,
                       .is_first = begin == 0,
                       .is_last = is_last,
                       .next = next,
                       .next_step = 0},
                      (next_taps * tile.depth + 1) * columns);
  }
}

}  // namespace hone
