// The tiles of AMX, and how a product goes through them: eight registers of up to 16 rows of 64
// bytes, after a thread has said how large each is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "hone/kernels/x86_vectors.h"

namespace hone {
namespace {

constexpr size_t kAmxRows = 16;
constexpr size_t kAmxPair = 2 * kAmxRows;
constexpr size_t kAmxColumns = 32;

// While this lives, the thread's tiles 0 to 5 have `rows` rows and 6 and 7 have 16, all of 64 bytes:
// sums and operands whose rows are outputs', and weights. Releasing them after keeps switches of
// threads cheap.
class AmxTiles {
 public:
  explicit AmxTiles(size_t rows) {
    struct alignas(64) {
      uint8_t palette = 1;
      uint8_t start_row = 0;
      uint8_t reserved[14] = {};
      uint16_t row_bytes[16] = {};
      uint8_t rows[16] = {};
    } shape;
    for (size_t tile = 0; tile < 8; ++tile) {
      shape.row_bytes[tile] = 64;
      shape.rows[tile] = static_cast<uint8_t>(tile < 6 ? rows : kAmxRows);
    }
    // g++ declares that the instruction reads the first bytes alone.
    asm volatile("" : : "r"(&shape) : "memory");
    _tile_loadconfig(&shape);
  }
  ~AmxTiles() { _tile_release(); }
  AmxTiles(const AmxTiles&) = delete;
  AmxTiles& operator=(const AmxTiles&) = delete;
};

// Two by two tiles of sums, which leave by way of memory: tiles have no other arithmetic.
template <class Sum>
struct alignas(64) AmxSums {
  Sum rows[kAmxPair][kAmxColumns];
};

// Rows of sums that are still to be stored. Finish has kRows and store(sums, row, rows) of up to so
// many.
template <class Sum, class Finish>
class AmxPendingRows {
 public:
  explicit AmxPendingRows(const Finish& finish) : finish_(finish) {}

  void set(const Sum (*sums)[kAmxColumns], size_t row, size_t end) {
    sums_ = sums;
    row_ = row;
    end_ = end;
  }
  void store_some(size_t groups) {
    for (; groups > 0 && row_ < end_; --groups) store_group();
  }
  void store_all() {
    while (row_ < end_) store_group();
  }

 private:
  [[gnu::always_inline]] void store_group() {
    const size_t rows = std::min(end_ - row_, Finish::kRows);
    finish_.store(sums_, row_, rows);
    sums_ += rows;
    row_ += rows;
  }

  const Finish& finish_;
  const Sum (*sums_)[kAmxColumns] = nullptr;
  size_t row_ = 0;
  size_t end_ = 0;
};

// Fetches what lies behind a panel, which is the next one, some of it at every step: the third level
// of the cache is far away.
class AmxNextPanel {
 public:
  AmxNextPanel(const void* panel, const void* end, size_t steps)
      : at_(static_cast<const char*>(end)) {
    const auto bytes = static_cast<size_t>(at_ - static_cast<const char*>(panel));
    end_ = at_ + bytes;
    per_step_ = 64 * ((bytes / 64 + steps - 1) / std::max<size_t>(1, steps));
  }

  void fetch_some() {
    const char* until = std::min(end_, at_ + per_step_);
    for (; at_ < until; at_ += 64) _mm_prefetch(at_, _MM_HINT_T1);
  }

 private:
  const char* at_;
  const char* end_;
  size_t per_step_;
};

// Rows of a tile, so that as few tiles as can have them are alike: of 49 rows each has 13, since loads of
// shorter tiles take less time.
inline size_t amx_tile_rows(size_t rows) {
  const size_t tiles = (rows + kAmxRows - 1) / kAmxRows;
  return (rows + tiles - 1) / tiles;
}

// The rows of a panel that ends at `panel_end`, two tiles of rows at a time, or one; what is less is
// multiplied by tiles that begin before it. multiply<kTileRows>(from, tile_rows, sums, beside) takes
// `steps` steps and calls beside() after each: the sums of one block are stored while the next is
// multiplied.
template <class Sum, class Finish, class Multiply>
void amx_strip(size_t rows, size_t steps, const void* panel, const void* panel_end,
               const Finish& finish, const Multiply& multiply) {
  const size_t tile_rows = amx_tile_rows(rows);
  const size_t pair_rows = 2 * tile_rows;
  const AmxTiles tiles(tile_rows);
  AmxNextPanel next(panel, panel_end, (rows + pair_rows - 1) / pair_rows * steps);
  AmxPendingRows<Sum, Finish> pending(finish);
  AmxSums<Sum> sums[2];
  const size_t groups = (kAmxPair / Finish::kRows + steps - 1) / std::max<size_t>(1, steps);
  const auto beside = [&] {
    pending.store_some(groups);
    next.fetch_some();
  };
  size_t row = 0;
  for (size_t block = 0; row < rows; ++block) {
    const bool pair = rows - row > tile_rows && rows >= pair_rows;
    const size_t height = pair ? pair_rows : tile_rows;
    const size_t end = std::min(rows, row + height);
    const size_t from = end < height ? 0 : end - height;
    AmxSums<Sum>& to = sums[block % 2];
    if (pair) {
      multiply.template operator()<2>(from, tile_rows, to, beside);
    } else {
      multiply.template operator()<1>(from, tile_rows, to, beside);
    }
    pending.store_all();
    pending.set(to.rows + (row - from), row, end);
    row = end;
  }
  pending.store_all();
}

}  // namespace
}  // namespace hone
