// The loops around the tiles: blocks of rows, whose activations are packed, then panels.

#include <algorithm>
#include <cstring>
#include <optional>
#include <type_traits>

#if defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "hone/kernels/gemm_i8/gemm_i8.h"
#include "hone/kernels/unroll.h"

namespace hone {
namespace {

// Bytes of activations and outputs a block of rows may take: half of a 64 KiB first-level cache,
// unless that leaves fewer rows than it takes to pay for reading the panels again (one row costs
// 1/128 of a cycle per weight, reading it from the third level 1/18); then a quarter of a 1 MiB
// second level for the activations. Between 48 and 256 rows, layers of ResNet-50 and MobileNetV2
// differ by 5 %, outputs of a power of two of channels being slower with many.
constexpr size_t kNearBytes = 32 * 1024;
constexpr size_t kFarBytes = 256 * 1024;
constexpr size_t kLeastRows = 104;
constexpr size_t kMostRowsOfTile = 12;
// Of plain rows: a quarter of a 2 MiB second level, which AMX reads fast enough.
constexpr size_t kPlainBytes = 512 * 1024;
constexpr size_t kLeastPlainRows = 96;

uint64_t load8(const uint8_t* from) {
  uint64_t value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

// The last `bytes` < 8 bytes of a tap, the rest zero.
uint64_t load_partial(const uint8_t* from, size_t bytes) {
  uint64_t value = 0;
  size_t at = 0;
  if ((bytes & 4) != 0) {
    uint32_t part;
    std::memcpy(&part, from, 4);
    value = part;
    at = 4;
  }
  if ((bytes & 2) != 0) {
    uint16_t part;
    std::memcpy(&part, from + at, 2);
    value |= uint64_t{part} << (8 * at);
    at += 2;
  }
  if ((bytes & 1) != 0) value |= uint64_t{from[at]} << (8 * at);
  return value;
}

// Writes a row as words of 8 bytes, `stride` bytes apart, from taps of any depth.
class RowWriter {
 public:
  RowWriter(uint8_t* out, size_t stride, uint64_t flip) : out_(out), stride_(stride), flip_(flip) {}

  void append_word(uint64_t value) {
    put(word_ | value << (8 * filled_));
    // Two shifts, since one by 64 is undefined.
    word_ = value >> 8 >> (56 - 8 * filled_);
  }
  // `bytes` < 8
  void append(uint64_t value, unsigned bytes) {
    word_ |= value << (8 * filled_);
    filled_ += bytes;
    if (filled_ < 8) return;
    put(word_);
    filled_ -= 8;
    word_ = filled_ == 0 ? 0 : value >> (8 * (bytes - filled_));
  }
  void finish() {
    if (filled_ > 0) put(word_);
  }

 private:
  void put(uint64_t word) {
    word ^= flip_;
    std::memcpy(out_, &word, sizeof(word));
    out_ += stride_;
  }

  uint8_t* out_;
  size_t stride_;
  uint64_t flip_;
  uint64_t word_ = 0;
  unsigned filled_ = 0;
};

void pack_taps(const uint8_t* const* taps, size_t count, size_t depth, RowWriter out) {
  for (size_t t = 0; t < count; ++t) {
    size_t k = 0;
    for (; k + 8 <= depth; k += 8) out.append_word(load8(taps[t] + k));
    if (k < depth) {
      out.append(load_partial(taps[t] + k, depth - k), static_cast<unsigned>(depth - k));
    }
  }
  out.finish();
}

// The same with kDepth < 8, which an image has. Eight taps fill kDepth words exactly, so nothing in
// their loop is left to decide.
template <unsigned kDepth>
void pack_small_taps(const uint8_t* const* taps, size_t count, size_t stride, uint64_t flip,
                     uint8_t* out) {
  size_t t = 0;
  for (; t + 8 <= count; t += 8, out += kDepth * stride) {
    RowWriter writer(out, stride, flip);
    HONE_UNROLL
    for (size_t i = 0; i < 8; ++i) writer.append(load_partial(taps[t + i], kDepth), kDepth);
  }
  pack_taps(taps + t, count - t, kDepth, RowWriter(out, stride, flip));
}

void pack_row(const uint8_t* const* taps, size_t count, size_t depth, size_t stride, uint64_t flip,
              uint8_t* out) {
  switch (depth) {
    case 1:
      return pack_small_taps<1>(taps, count, stride, flip, out);
    case 2:
      return pack_small_taps<2>(taps, count, stride, flip, out);
    case 3:
      return pack_small_taps<3>(taps, count, stride, flip, out);
    case 4:
      return pack_small_taps<4>(taps, count, stride, flip, out);
    default:
      return pack_taps(taps, count, depth, RowWriter(out, stride, flip));
  }
}

// At least 8 bytes, by chunks of which the last overlaps the one before it.
[[gnu::always_inline]] inline void copy_tap(const uint8_t* from, size_t depth, uint8_t* to) {
  if (depth < 16) {
    std::memcpy(to, from, 8);
    std::memcpy(to + depth - 8, from + depth - 8, 8);
    return;
  }
  for (size_t k = 0; k + 16 <= depth; k += 16) std::memcpy(to + k, from + k, 16);
  std::memcpy(to + depth - 16, from + depth - 16, 16);
}

// A tile's rows, their taps side by side: whole words lie in them whatever the taps' depth is.
class JoinedRows {
 public:
  // Shorter taps are written word by word: what was stored in so small pieces is slow to load. So
  // are longer rows, which are rare.
  static constexpr size_t kLeastDepth = 8;
  static constexpr size_t kMostBytes = 1024;

  // Sets row `r` to the `count` taps.
  void join(size_t r, const uint8_t* const* taps, size_t count, size_t depth) {
    uint8_t* to = rows_[r];
    for (size_t t = 0; t < count; ++t, to += depth) copy_tap(taps[t], depth, to);
    std::memset(to, 0, 8);
  }
  const uint8_t* row(size_t r) const { return rows_[r]; }

 private:
  uint8_t rows_[kMostRowsOfTile][kMostBytes + 16];
};

// Two rows of 16 bytes each, to out and, the second halves, to out + distance.
void pack_pair(const uint8_t* first, const uint8_t* second, uint64_t flip, size_t distance,
               uint8_t* out) {
#if defined(__aarch64__)
  const uint64x2_t a = veorq_u64(vreinterpretq_u64_u8(vld1q_u8(first)), vdupq_n_u64(flip));
  const uint64x2_t b = veorq_u64(vreinterpretq_u64_u8(vld1q_u8(second)), vdupq_n_u64(flip));
  vst1q_u8(out, vreinterpretq_u8_u64(vzip1q_u64(a, b)));
  vst1q_u8(out + distance, vreinterpretq_u8_u64(vzip2q_u64(a, b)));
#elif defined(__x86_64__)
  const __m128i mask = _mm_set1_epi64x(static_cast<int64_t>(flip));
  const auto load = [&](const uint8_t* from) {
    return _mm_xor_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)), mask);
  };
  const __m128i a = load(first), b = load(second);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm_unpacklo_epi64(a, b));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out + distance), _mm_unpackhi_epi64(a, b));
#else
  for (size_t half = 0; half < 16; half += 8, out += distance) {
    const uint64_t words[2] = {load8(first + half) ^ flip, load8(second + half) ^ flip};
    std::memcpy(out, words, sizeof(words));
  }
#endif
}

// One tap of kRows rows, a multiple of 8 deep.
template <size_t kRows>
void pack_words(const uint8_t* const* rows, size_t depth, uint64_t flip, uint8_t* out) {
  const uint8_t* from[kRows];
  HONE_UNROLL
  for (size_t r = 0; r < kRows; ++r) from[r] = rows[r];
  size_t k = 0;
  if constexpr (kRows % 2 == 0) {
    for (; k + 16 <= depth; k += 16, out += 16 * kRows) {
      HONE_UNROLL
      for (size_t r = 0; r < kRows; r += 2) {
        pack_pair(from[r] + k, from[r + 1] + k, flip, 8 * kRows, out + 8 * r);
      }
    }
  }
  for (; k < depth; k += 8, out += 8 * kRows) {
    HONE_UNROLL
    for (size_t r = 0; r < kRows; ++r) {
      const uint64_t word = load8(from[r] + k) ^ flip;
      std::memcpy(out + 8 * r, &word, sizeof(word));
    }
  }
}

// One tap of a tile, a multiple of 8 deep.
void pack_tap(size_t rows, const uint8_t* const* from, size_t depth, uint64_t flip, uint8_t* out) {
  switch (rows) {
    case 1:
      return pack_words<1>(from, depth, flip, out);
    case 2:
      return pack_words<2>(from, depth, flip, out);
    case 4:
      return pack_words<4>(from, depth, flip, out);
    case 6:
      return pack_words<6>(from, depth, flip, out);
    case 8:
      return pack_words<8>(from, depth, flip, out);
    default:
      return pack_words<12>(from, depth, flip, out);
  }
}

size_t round_up(size_t value, size_t to) {
  return (value + to - 1) / to * to;
}

// gemm_i8_rows for one block of rows.
template <class A, class Y>
class Block {
 public:
  Block(const GemmI8Args<A, Y>& args, size_t begin, size_t end)
      : args_(args), kernel_(*args.kernel), begin_(begin), end_(end) {}

  void run(size_t panel_begin, size_t panel_end) const {
    if (kernel_.copy_rows == nullptr) return run_panels(panel_begin, panel_end, tiles(), {});
    const Operand in_place = rows_in_place(panel_end - panel_begin);
    const Operand copied =
        in_place.end < end_ ? copied_rows(std::max(begin_, in_place.end)) : Operand{};
    run_panels(panel_begin, panel_end, in_place, copied);
  }

 private:
  // Activations of the rows begin .. end - 1, as GemmI8Strip has them; none where both are 0.
  struct Operand {
    size_t begin = 0;
    size_t end = 0;
    const A* a = nullptr;
    size_t pitch = 0;
  };

  void run_panels(size_t panel_begin, size_t panel_end, const Operand& first,
                  const Operand& second) const {
    for (size_t panel = panel_begin; panel < panel_end; ++panel) {
      if (first.end > 0) run_panel(panel, first);
      if (second.end > 0) run_panel(panel, second);
    }
  }

  void run_panel(size_t panel, const Operand& operand) const {
    const size_t k = args_.taps * args_.depth;
    const size_t column = panel * kernel_.nr;
    const GemmI8Strip<A, Y> strip{
        .rows = operand.end - operand.begin,
        .cols = std::min(kernel_.nr, args_.n - column),
        .k = k,
        .a = operand.a,
        .a_pitch = operand.pitch,
        .panel = static_cast<const std::byte*>(args_.panels) + panel * kernel_.panel_bytes(k),
        .y = args_.y + operand.begin * args_.y_stride + column,
        .y_stride = args_.y_stride,
    };
    if constexpr (std::is_same_v<Y, A>) {
      kernel_.run(strip);
    } else {
      kernel_.run_sums(strip);
    }
  }

  Operand tiles() const {
    const size_t k = kernel_.padded(args_.taps * args_.depth);
    auto* out = static_cast<uint8_t*>(args_.scratch);
    for (size_t row = begin_; row < end_; row += kernel_.mr) {
      const size_t rows = round_up(std::min(kernel_.mr, end_ - row), kernel_.row_step);
      pack_tile(row, rows, out);
      out += rows * k;
    }
    return {begin_, end_, static_cast<const A*>(args_.scratch), 0};
  }

  // Plain rows that need no copy: of one tap and evenly spaced. What is read beyond a row's end is
  // that of the next one, multiplied by zeros; the last rows, which have none, are left out.
  Operand rows_in_place(size_t panels) const {
    // Rows that begin anywhere take twice the reads, for every panel.
    constexpr size_t kMostPanels = 4;
    const size_t beyond = kernel_.padded(args_.depth) - args_.depth;
    if (args_.taps != 1 || (beyond > 0 && panels > kMostPanels)) return {};
    const std::optional<size_t> even = args_.rows == nullptr ? args_.a_stride : even_pitch();
    if (!even) return {};
    size_t rows = end_ - begin_;
    if (beyond > 0) {
      const bool near = *even > 0 && *even <= kernel_.padded(args_.depth);
      if (!near || rows < 2 * kernel_.mr) return {};
      rows = (rows - (beyond + *even - 1) / *even) / kernel_.mr * kernel_.mr;
    }
    const A* first = args_.rows == nullptr ? args_.a + begin_ * args_.a_stride : args_.rows[begin_];
    return {begin_, begin_ + rows, first, *even};
  }

  // Those from `begin` on.
  Operand copied_rows(size_t begin) const {
    const size_t pitch = kernel_.padded(args_.taps * args_.depth);
    const GemmI8PlainRows shape{
        .rows = end_ - begin, .taps = args_.taps, .depth = args_.depth, .pitch = pitch};
    auto* out = static_cast<uint8_t*>(args_.scratch);
    if (args_.rows != nullptr) {
      kernel_.copy_rows(reinterpret_cast<const uint8_t* const*>(args_.rows + begin * args_.taps),
                        shape, out);
    } else {
      copy_dense_rows(begin, shape, out);
    }
    return {begin, end_, static_cast<const A*>(args_.scratch), pitch};
  }

  // How far apart rows of one tap are, where they all are equally far.
  std::optional<size_t> even_pitch() const {
    const A* const* rows = args_.rows + begin_;
    if (end_ - begin_ == 1) return 0;
    if (rows[1] < rows[0]) return std::nullopt;
    const auto pitch = static_cast<size_t>(rows[1] - rows[0]);
    for (size_t row = 1; row < end_ - begin_; ++row) {
      if (rows[row] != rows[row - 1] + pitch) return std::nullopt;
    }
    return pitch;
  }

  void copy_dense_rows(size_t begin, GemmI8PlainRows shape, uint8_t* out) const {
    const size_t rows = shape.rows;
    shape.rows = 1;
    for (size_t row = 0; row < rows; ++row, out += shape.pitch) {
      const auto* from = reinterpret_cast<const uint8_t*>(args_.a + (begin + row) * args_.a_stride);
      kernel_.copy_rows(&from, shape, out);
    }
  }

  // Where the values of `rows` rows under a tap start. Rows beyond the last repeat it.
  void find_tap(size_t row, size_t rows, size_t tap, const uint8_t** from) const {
    const size_t there = std::min(rows, end_ - row);
    const A* dense = args_.a + row * args_.a_stride;
    const A* const* pointers = args_.rows + row * args_.taps + tap;
    for (size_t r = 0; r < there; ++r) {
      from[r] = reinterpret_cast<const uint8_t*>(args_.rows == nullptr ? dense : *pointers);
      dense += args_.a_stride;
      pointers += args_.taps;
    }
    for (size_t r = there; r < rows; ++r) from[r] = from[there - 1];
  }

  void pack_tile(size_t row, size_t rows, uint8_t* out) const {
    const uint64_t flip = kernel_.flip * 0x0101010101010101u;
    if (args_.depth % 8 == 0) {
      for (size_t t = 0; t < args_.taps; ++t, out += rows * args_.depth) {
        const uint8_t* from[kMostRowsOfTile];
        find_tap(row, rows, t, from);
        pack_tap(rows, from, args_.depth, flip, out);
      }
      return;
    }
    const size_t k = args_.taps * args_.depth;
    if (args_.depth >= JoinedRows::kLeastDepth && k <= JoinedRows::kMostBytes) {
      return pack_joined(row, rows, flip, out);
    }
    for (size_t r = 0; r < rows; ++r) {
      const uint8_t* dense = nullptr;
      pack_row(taps_of(row + r, dense), args_.taps, args_.depth, 8 * rows, flip, out + 8 * r);
    }
  }

  void pack_joined(size_t row, size_t rows, uint64_t flip, uint8_t* out) const {
    JoinedRows joined;
    const uint8_t* from[kMostRowsOfTile];
    const size_t there = std::min(rows, end_ - row);
    for (size_t r = 0; r < rows; ++r) {
      const uint8_t* dense = nullptr;
      if (r < there) joined.join(r, taps_of(row + r, dense), args_.taps, args_.depth);
      from[r] = joined.row(std::min(r, there - 1));
    }
    pack_tap(rows, from, round_up(args_.taps * args_.depth, 8), flip, out);
  }

  // The pointers of a row, beyond the last those of the last; `dense` holds the one of a plain row.
  const uint8_t* const* taps_of(size_t row, const uint8_t*& dense) const {
    const size_t source = std::min(row, end_ - 1);
    if (args_.rows != nullptr) {
      return reinterpret_cast<const uint8_t* const*>(args_.rows + source * args_.taps);
    }
    dense = reinterpret_cast<const uint8_t*>(args_.a + source * args_.a_stride);
    return &dense;
  }

  const GemmI8Args<A, Y>& args_;
  const GemmI8Kernel<A>& kernel_;
  size_t begin_;
  size_t end_;
};

}  // namespace

template <class A>
size_t gemm_i8_block_rows(const GemmI8Kernel<A>& kernel, size_t n, size_t k) {
  if (kernel.copy_rows != nullptr) {
    return std::max<size_t>(kLeastPlainRows, kPlainBytes / (k + n)) / kernel.mr * kernel.mr;
  }
  const size_t near = kNearBytes / (k + n);
  const size_t far = kFarBytes / k;
  const size_t rows = std::max(near, std::min(kLeastRows, far));
  return std::max<size_t>(1, rows / kernel.mr) * kernel.mr;
}

template <class A>
size_t gemm_i8_scratch_bytes(const GemmI8Kernel<A>& kernel, size_t n, size_t k, size_t rows) {
  const size_t at_once = std::min(gemm_i8_block_rows(kernel, n, k), round_up(rows, kernel.mr));
  return round_up(at_once * kernel.padded(k), 64);
}

template <class A, class Y>
void gemm_i8_rows(const GemmI8Args<A, Y>& args, size_t row_begin, size_t row_end,
                  size_t panel_begin, size_t panel_end) {
  if (row_begin >= row_end) return;
  // Blocks of about the same size, so that none is left with a handful of rows.
  const size_t most = gemm_i8_block_rows(*args.kernel, args.n, args.taps * args.depth);
  const size_t blocks = (row_end - row_begin + most - 1) / most;
  const size_t rows = round_up((row_end - row_begin + blocks - 1) / blocks, args.kernel->mr);
  for (size_t row = row_begin; row < row_end; row += rows) {
    Block<A, Y>(args, row, std::min(row + rows, row_end)).run(panel_begin, panel_end);
  }
}

#define HONE_INSTANTIATE(A)                                                              \
  template size_t gemm_i8_block_rows(const GemmI8Kernel<A>&, size_t, size_t);            \
  template size_t gemm_i8_scratch_bytes(const GemmI8Kernel<A>&, size_t, size_t, size_t); \
  template void gemm_i8_rows(const GemmI8Args<A>&, size_t, size_t, size_t, size_t);      \
  template void gemm_i8_rows(const GemmI8Args<A, int32_t>&, size_t, size_t, size_t, size_t);
HONE_INSTANTIATE(int8_t)
HONE_INSTANTIATE(uint8_t)
#undef HONE_INSTANTIATE

}  // namespace hone
