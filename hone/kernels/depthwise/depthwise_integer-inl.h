// Depthwise convolution of int8 and uint8, written once over instructions that add up products of
// neighbours, such as SDOT (4 products) and VPMADDWD (2). Meant to be included inside a namespace,
// once per instruction set, after <algorithm>, <cstdlib>, <cstring>, depthwise.h and unroll.h.
//
// The neighbours are input rows of one channel and column. So 16 channels of 4 (or 2) rows are
// interleaved into vectors, the rows of a channel side by side, first for a whole strip of the
// image: the rows that a block of output rows needs, one column after the other, padding included.
// Output row r of the block sees its kernel column in them r * stride rows further down; the
// weights are packed once for every r, shifted by that, with zeros above and below. A 3x3 kernel at
// stride 1 takes blocks of two rows, which need 4 rows of input; 5x5 takes blocks of four, which
// need 8.
//
//   struct Ops {
//     using Weight = ...;            // What the vectors below consist of: int8_t; int16_t, which
//                                    // holds the sum of all copies.
//     static constexpr size_t kTaps; // Neighbours that are added up.
//     static constexpr size_t kSums; // Lanes of a vector of sums, so channels of a vector.
//     using Vec, Sum;                // kTaps * kSums weights or pixels; kSums sums.
//     template <class T> static constexpr int32_t kOffset;  // What load takes off x.
//     static constexpr size_t kOrder[16];  // Channel of the group at the i-th place in vectors.
//     static constexpr size_t kMaxCols;    // Of a tile: 4 or 2.
//     interleave<kSome>(rows, channels, to, plane): 16 (kSome: fewer) channels of kTaps rows to
//         16 / kSums vectors, `plane` bytes apart
//     load(p), load_sums(p), dot(sum, x, w)
//     requantize<kScaling>(sum, header, k): sums -> outputs with the zero point added, before the
//         clamp; k points into Constants::bias
//     Limits<T>(header), store<kScaling, kClamp>(low, high, limits, to): 2 * kSums outputs
//   };

#define HONE_INLINE [[gnu::always_inline]] inline
// Keeps the compiler from moving loads from `pointer` and what is computed of it across this place.
#define HONE_FENCE(pointer) asm volatile("" : "+r"(pointer))

// Instrumented and unrolled tiles would take g++ minutes to compile.
#if defined(__SANITIZE_ADDRESS__)
#undef HONE_UNROLL
#define HONE_UNROLL
#endif

constexpr size_t kGroup = 16;  // Channels.

struct alignas(64) Header {
  Rounding rounding;
  int32_t x_zero_point, zero_point, low, high;
  bool narrow;  // Whether the short way of requantizing gives the right bits.
  bool upward;  // And also if ties are rounded upward; of rules that round twice.
  bool clamps;  // Whether [low, high] is less than the range of T.
};

// Follows the header once per group, then the weights of the group:
// [16 / kSums vectors][copies][kernel_w][quads][rows of a block]. Channels in the order of the
// vectors. The arrays after the first one are found from it by these distances, which takes one
// pointer less.
constexpr size_t kMultipliers = kGroup, kShifts = 2 * kGroup, kOffsets = 3 * kGroup;
struct alignas(64) Constants {
  int32_t bias[kGroup];  // Less the sum of the weights times the zero point of x.
  int32_t multipliers[kGroup];
  int32_t shifts[kGroup];
  int32_t
      offsets[kGroup];  // Zero point and 1/2, shifted to the left as the sums will be to the right.
};

enum class Scaling {
  Any,
  Away,    // Narrow, ties away from zero.
  Upward,  // Narrow, ties upward.
  Once,    // Narrow, rounded once, ties upward.
};

// Whether every output of channel c, before it is clamped, fits into 16 bits, nothing on the way
// there exceeds 32, and there is a shift to the right.
inline bool is_narrow(const DepthwiseShape& s, const int8_t* weights, const int32_t* bias,
                      const Requantization& q, size_t c) {
  if (q.shifts[c] > -1 || q.shifts[c] < -22) return false;
  int64_t largest = bias != nullptr ? std::abs(int64_t{bias[c]}) : 0;
  for (size_t tap = 0; tap < s.copies * s.kernel_h * s.kernel_w; ++tap) {
    largest += 255 * std::abs(int{weights[tap * s.channels + c]});
  }
  return largest < (int64_t{1} << 29) && (largest >> -q.shifts[c]) < 30000;
}

template <class Ops>
struct IntegerKernels {
  using Vec = typename Ops::Vec;
  using Sum = typename Ops::Sum;
  static constexpr size_t kTaps = Ops::kTaps;
  static constexpr size_t kSums = Ops::kSums;
  static constexpr size_t kVecBytes = sizeof(Vec);
  static constexpr size_t kUnit = 2 * kSums;  // Channels stored at a time.

  // How a shape is cut up.
  struct Plan {
    size_t rows;     // Of output in a block.
    size_t in_rows;  // Of input below them,
    size_t quads;    // and how many times kTaps that is.
    size_t in_cols;  // Of a strip.
    size_t copies;   // Of the weights, in vectors of their own.
    size_t groups;
    size_t group_bytes;
  };

  static Plan plan_of(const DepthwiseShape& s) {
    Plan plan{};
    plan.rows = 1;
    if (s.dilation_h == 1 && s.kernel_h == 3 && s.stride_h == 1) plan.rows = 2;
    if (s.dilation_h == 1 && s.kernel_h == 5 && s.stride_h == 1) plan.rows = 4;
    if (s.dilation_h == 1 && s.kernel_h == 5 && s.stride_h == 2) plan.rows = 2;
    plan.in_rows = (plan.rows - 1) * s.stride_h + s.kernel_h;
    plan.quads = (plan.in_rows + kTaps - 1) / kTaps;
    plan.in_cols = (s.out_w - 1) * s.stride_w + (s.kernel_w - 1) * s.dilation_w + 1;
    plan.groups = (s.channels + kGroup - 1) / kGroup;
    plan.copies = sizeof(typename Ops::Weight) == 1 ? s.copies : 1;
    const size_t vectors = kGroup / kSums * plan.copies * s.kernel_w * plan.quads * plan.rows;
    plan.group_bytes = sizeof(Constants) + (vectors * kVecBytes + 63) / 64 * 64;
    return plan;
  }

  static size_t group_start(const DepthwiseShape& s, size_t group) {
    return s.channels < kGroup ? 0 : std::min(group * kGroup, s.channels - kGroup);
  }

  static size_t packed_bytes(const DepthwiseShape& s) {
    const Plan plan = plan_of(s);
    return sizeof(Header) + plan.groups * plan.group_bytes;
  }

  static size_t scratch_bytes(const DepthwiseShape& s) {
    const Plan plan = plan_of(s);
    return plan.in_cols * plan.quads * kGroup / kSums * kVecBytes;
  }

  // `x_offset`: the zero point of x as the kernel sees it.
  static void pack_group(const DepthwiseShape& s, const Plan& plan, const int8_t* weights,
                         const int32_t* bias, int32_t x_offset, const Requantization& q,
                         size_t start, Constants* constants) {
    using Weight = typename Ops::Weight;
    std::memset(static_cast<void*>(constants), 0, plan.group_bytes);
    Weight* to = reinterpret_cast<Weight*>(constants + 1);
    for (size_t i = 0; i < kGroup; ++i) {
      if (Ops::kOrder[i] >= s.channels) continue;
      const size_t c = start + Ops::kOrder[i];
      uint32_t sum = 0;
      const size_t taps = s.kernel_h * s.kernel_w;
      for (size_t n = 0; n < s.copies * taps; ++n) {
        const int8_t w = weights[n * s.channels + c];
        const size_t copy = n / taps % plan.copies, tap = n % taps;
        sum += static_cast<uint32_t>(int32_t{w});
        for (size_t r = 0; r < plan.rows; ++r) {
          const size_t row = tap / s.kernel_w + r * s.stride_h;
          const size_t column = (i / kSums * plan.copies + copy) * s.kernel_w + tap % s.kernel_w;
          const size_t vector = (column * plan.quads + row / kTaps) * plan.rows + r;
          Weight& at = to[(vector * kSums + i % kSums) * kTaps + row % kTaps];
          at = static_cast<Weight>(at + w);
        }
      }
      const uint32_t b = bias != nullptr ? static_cast<uint32_t>(bias[c]) : 0;
      constants->bias[i] = static_cast<int32_t>(b - static_cast<uint32_t>(x_offset) * sum);
      constants->multipliers[i] = q.multipliers[c];
      constants->shifts[i] = q.shifts[c];
      const int right = std::clamp(-q.shifts[c], 1, 22);
      constants->offsets[i] = q.zero_point * (1 << right) + (1 << (right - 1));
    }
  }

  template <class T>
  static void pack(const DepthwiseShape& s, const int8_t* weights, const int32_t* bias,
                   int32_t x_zero_point, const Requantization& q, void* packed) {
    const Plan plan = plan_of(s);
    Header* header = static_cast<Header*>(packed);
    *header = {};
    header->rounding = q.rounding;
    header->x_zero_point = x_zero_point;
    header->zero_point = q.zero_point;
    header->low = q.low;
    header->high = q.high;
    header->clamps =
        q.low > std::numeric_limits<T>::min() || q.high < std::numeric_limits<T>::max();
    // The two rules that round twice differ in negative values only, and not even there if those
    // are clamped to the zero point, as by a ReLU.
    header->upward = q.rounding == Rounding::DoubleUpward || q.low >= q.zero_point;
    header->narrow = true;
    for (size_t c = 0; c < s.channels && header->narrow; ++c) {
      header->narrow = is_narrow(s, weights, bias, q, c);
    }
    char* to = reinterpret_cast<char*>(header + 1);
    for (size_t group = 0; group < plan.groups; ++group, to += plan.group_bytes) {
      pack_group(s, plan, weights, bias, x_zero_point - Ops::template kOffset<T>, q,
                 group_start(s, group), reinterpret_cast<Constants*>(to));
    }
  }

  // kTaps rows of the strip, which is [16 / kSums vectors][columns][quads]. A null row is padding.
  template <bool kSome, class T>
  static void fill_strip(const DepthwiseShape& s, const Plan& plan, const T* const* rows,
                         int32_t x_zero_point, char* strip) {
    // A padded row is read from here again and again.
    T padding[kGroup];
    std::fill_n(padding, kGroup, static_cast<T>(x_zero_point));
    const T* const all_padding[4] = {padding, padding, padding, padding};
    const T* x[kTaps];
    size_t step[kTaps];
    for (size_t r = 0; r < kTaps; ++r) {
      x[r] = rows[r] != nullptr ? rows[r] : padding;
      step[r] = rows[r] != nullptr ? s.channels : 0;
    }
    const size_t channels = s.channels, pitch = plan.quads * kVecBytes;
    const size_t plane = plan.in_cols * pitch;
    const size_t begin = std::min(s.pad_left, plan.in_cols);
    const size_t end = std::max(begin, std::min(s.pad_left + s.in_w, plan.in_cols));
    for (size_t j = 0; j < begin; ++j, strip += pitch) {
      Ops::template interleave<false>(all_padding, kGroup, strip, plane);
    }
    for (size_t j = begin; j < end; ++j, strip += pitch) {
      Ops::template interleave<kSome>(x, channels, strip, plane);
      HONE_UNROLL
      for (size_t r = 0; r < kTaps; ++r) {
        const T* next = x[r] + step[r];
        asm("" : "+r"(next));  // Or g++ would add to the pointers in vectors, through memory.
        x[r] = next;
      }
    }
    for (size_t j = end; j < plan.in_cols; ++j, strip += pitch) {
      Ops::template interleave<false>(all_padding, kGroup, strip, plane);
    }
  }

  // kUnit channels of a block of rows.
  template <class T>
  struct Unit {
    const Header& header;
    size_t plane;  // Bytes from a vector of channels of the strip to the next.
    size_t copies, quads, kernel_w, stride_w, dilation_w;
    size_t out_w, y_row, y_col;

    const Constants* constants;  // Of the group.
    size_t channel;              // The first, within the group.
    size_t channels;             // kUnit, or less if there are no more.
    size_t rows;                 // That are there to be stored.
    const char* x;               // Of the strip.
    T* y;                        // The first.
  };

  // A square kernel and stride known when compiling; kernel 0: any, as the unit says.
  template <size_t kBlockRows, size_t kKernel, size_t kStride>
  struct Sizes {
    static constexpr size_t kRows = kBlockRows;
    static constexpr bool kKnown = kKernel != 0;
    static constexpr size_t kQuads = ((kRows - 1) * kStride + kKernel + kTaps - 1) / kTaps;
    size_t copies, quads, kernel_w, stride_w, dilation_w;

    template <class T>
    explicit Sizes(const Unit<T>& unit)
        : copies(kKnown ? 1 : unit.copies),
          quads(kKnown ? kQuads : unit.quads),
          kernel_w(kKnown ? kKernel : unit.kernel_w),
          stride_w(kKnown ? kStride : unit.stride_w),
          dilation_w(kKnown ? 1 : unit.dilation_w) {}
  };

  // Adds kCols pixels, `step` bytes apart, times the taps of every row.
  template <size_t kRows, size_t kCols>
  HONE_INLINE static void add_taps(const char* x, size_t step, const char* w,
                                   Sum (&sums)[kRows][kCols]) {
    Vec pixels[kCols];
    HONE_UNROLL
    for (size_t t = 0; t < kCols; ++t) pixels[t] = Ops::load(x + t * step);
    HONE_UNROLL
    for (size_t r = 0; r < kRows; ++r) {
      const Vec tap = Ops::load(w + r * kVecBytes);
      HONE_UNROLL
      for (size_t t = 0; t < kCols; ++t) sums[r][t] = Ops::dot(sums[r][t], pixels[t], tap);
    }
  }

  // Outputs of kSums channels from `channel` on, kCols columns.
  template <class Sizes, size_t kCols, Scaling kScaling>
  HONE_INLINE static void dot(const Sizes& sizes, const Header& header, const Constants& constants,
                              size_t channel, const char* x, Sum (&sums)[Sizes::kRows][kCols]) {
    constexpr size_t kRows = Sizes::kRows;
    const size_t pitch = sizes.quads * kVecBytes;
    const size_t step = sizes.stride_w * pitch, tap_step = sizes.dilation_w * pitch;
    const char* w =
        reinterpret_cast<const char*>(&constants + 1) +
        channel / kSums * sizes.copies * sizes.kernel_w * sizes.quads * kRows * kVecBytes;
    const int32_t* k = constants.bias + channel;
    // Or g++ would compute the address of every tap before the loop over the columns and keep them
    // all on the stack; and it would load too early, and run out of registers.
    HONE_FENCE(w);
    HONE_FENCE(k);
    HONE_FENCE(x);
    HONE_UNROLL
    for (size_t i = 0; i < kRows * kCols; ++i) sums[i / kCols][i % kCols] = Ops::load_sums(k);
    if constexpr (Sizes::kKnown) {
      HONE_UNROLL
      for (size_t i = 0; i < sizes.kernel_w * sizes.quads; ++i) {
        add_taps(x + i / sizes.quads * tap_step + i % sizes.quads * kVecBytes, step,
                 w + i * kRows * kVecBytes, sums);
      }
    } else {
      for (size_t column = 0; column < sizes.copies * sizes.kernel_w; ++column) {
        const char* from = x + column % sizes.kernel_w * tap_step;
        for (size_t n = 0; n < sizes.quads; ++n, w += kRows * kVecBytes) {
          add_taps(from + n * kVecBytes, step, w, sums);
        }
      }
    }
    requantize<kScaling>(header, k, sums);
  }

  template <Scaling kScaling, size_t kRows, size_t kCols>
  HONE_INLINE static void requantize(const Header& header, const int32_t* k,
                                     Sum (&sums)[kRows][kCols]) {
    if constexpr (kScaling == Scaling::Any) {
      // Much code for each sum, so in memory and not unrolled.
      Sum buffer[kRows * kCols];
      HONE_UNROLL
      for (size_t i = 0; i < kRows * kCols; ++i) buffer[i] = sums[i / kCols][i % kCols];
      for (Sum& sum : buffer) {
        sum = Ops::template requantize<kScaling>(sum, header, k);
        asm("" : : "r"(&sum) : "memory");
      }
      HONE_UNROLL
      for (size_t i = 0; i < kRows * kCols; ++i) sums[i / kCols][i % kCols] = buffer[i];
    } else {
      HONE_UNROLL
      for (size_t i = 0; i < kRows * kCols; ++i) {
        Sum& sum = sums[i / kCols][i % kCols];
        sum = Ops::template requantize<kScaling>(sum, header, k);
      }
    }
  }

  template <Scaling kScaling, bool kClamp, bool kAll, size_t kRows, size_t kCols, class T>
  HONE_INLINE static void store(const Unit<T>& unit, const typename Ops::template Limits<T>& limits,
                                const Sum (&low)[kRows][kCols], const Sum (&high)[kRows][kCols],
                                T* y) {
    HONE_UNROLL
    for (size_t r = 0; r < kRows; ++r) {
      if (r >= unit.rows) continue;
      HONE_UNROLL
      for (size_t t = 0; t < kCols; ++t) {
        T* to = y + r * unit.y_row + t * unit.y_col;
        if (kAll || unit.channels >= kUnit) {
          Ops::template store<kScaling, kClamp>(low[r][t], high[r][t], limits, to);
        } else {
          T some[kUnit];
          Ops::template store<kScaling, kClamp>(low[r][t], high[r][t], limits, some);
          std::copy_n(some, unit.channels, to);
        }
      }
    }
  }

  // kCols columns of kUnit channels.
  template <class Sizes, size_t kCols, Scaling kScaling, class T>
  HONE_INLINE static void compute_cols(const Unit<T>& unit, const Sizes& sizes,
                                       const typename Ops::template Limits<T>& limits,
                                       const char* x, T* y) {
    Sum low[Sizes::kRows][kCols], high[Sizes::kRows][kCols];
    dot<Sizes, kCols, kScaling>(sizes, unit.header, *unit.constants, unit.channel, x, low);
    dot<Sizes, kCols, kScaling>(sizes, unit.header, *unit.constants, unit.channel + kSums,
                                x + unit.plane, high);
    if (unit.header.clamps) {
      store<kScaling, true, Sizes::kKnown>(unit, limits, low, high, y);
    } else {
      store<kScaling, false, Sizes::kKnown>(unit, limits, low, high, y);
    }
  }

  template <class Sizes, size_t kMaxCols, Scaling kScaling, class T>
  static void compute_unit(const Unit<T>& given) {
    const Unit<T> unit = given;  // A copy, which writing to y cannot change.
    const Sizes sizes(unit);
    const typename Ops::template Limits<T> limits(unit.header);
    const size_t step = sizes.stride_w * sizes.quads * kVecBytes;
    const char* x = unit.x;
    T* y = unit.y;
    size_t left = unit.out_w;
    while (left > 0) {
      // The last columns in two tiles of about the same size rather than a large and a small one.
      const size_t split = left > kMaxCols && left < 2 * kMaxCols ? (left + 1) / 2 : left;
      const size_t cols = std::min(split, kMaxCols);
      if (cols == kMaxCols) {
        compute_cols<Sizes, kMaxCols, kScaling>(unit, sizes, limits, x, y);
      } else if (kMaxCols > 3 && cols == 3) {
        compute_cols<Sizes, 3, kScaling>(unit, sizes, limits, x, y);
      } else if (kMaxCols > 2 && cols == 2) {
        compute_cols<Sizes, 2, kScaling>(unit, sizes, limits, x, y);
      } else {
        compute_cols<Sizes, 1, kScaling>(unit, sizes, limits, x, y);
      }
      x += cols * step;
      y += cols * unit.y_col;
      left -= cols;
    }
  }

  template <class T>
  using ComputeUnit = void (*)(const Unit<T>& unit);

  template <class Sizes, class T>
  static ComputeUnit<T> choose_scaling(const Header& header) {
    // Blocks of four rows fill the registers with two columns.
    constexpr size_t kMaxCols = Sizes::kRows == 4 ? 2 : Ops::kMaxCols;
    if (header.rounding == Rounding::Single) {
      return compute_unit<Sizes, kMaxCols, Scaling::Once, T>;
    }
    if (header.upward) return compute_unit<Sizes, kMaxCols, Scaling::Upward, T>;
    return compute_unit<Sizes, kMaxCols, Scaling::Away, T>;
  }

  template <class T>
  static ComputeUnit<T> choose(const DepthwiseShape& s, const Plan& plan, const Header& header) {
    const size_t k = s.kernel_h, stride = s.stride_h;
    const bool square = s.kernel_w == k && s.stride_w == stride;
    const bool dense = s.dilation_h == 1 && s.dilation_w == 1;
    if (square && dense && header.narrow && plan.copies == 1 && s.channels >= kGroup) {
      if (k == 3 && stride == 1) return choose_scaling<Sizes<2, 3, 1>, T>(header);
      if (k == 3 && stride == 2) return choose_scaling<Sizes<1, 3, 2>, T>(header);
      if (k == 5 && stride == 1) return choose_scaling<Sizes<4, 5, 1>, T>(header);
      if (k == 5 && stride == 2) return choose_scaling<Sizes<2, 5, 2>, T>(header);
    }
    if (plan.rows == 4) return compute_unit<Sizes<4, 0, 0>, 2, Scaling::Any, T>;
    if (plan.rows == 2) return compute_unit<Sizes<2, 0, 0>, Ops::kMaxCols, Scaling::Any, T>;
    return compute_unit<Sizes<1, 0, 0>, Ops::kMaxCols, Scaling::Any, T>;
  }

  // The strip below output rows [oy, oy + plan.rows), 16 channels from c on.
  template <class T>
  static void fill_strips(const DepthwiseShape& s, const Plan& plan, const Header& header,
                          const T* x, size_t oy, size_t c, char* strip) {
    for (size_t n = 0; n < plan.quads; ++n) {
      const T* rows[kTaps];
      for (size_t r = 0; r < kTaps; ++r) {
        const size_t i = n * kTaps + r;
        const size_t iy = oy * s.stride_h + i * s.dilation_h - s.pad_top;
        rows[r] = i < plan.in_rows && iy < s.in_h ? x + iy * s.in_w * s.channels + c : nullptr;
      }
      const auto fill = s.channels < kGroup ? fill_strip<true, T> : fill_strip<false, T>;
      fill(s, plan, rows, header.x_zero_point, strip + n * kVecBytes);
    }
  }

  template <class T>
  static void run(const DepthwiseShape& s, size_t row_begin, size_t row_end, const T* x,
                  const void* packed, T* y, void* scratch) {
    const Plan plan = plan_of(s);
    const Header& header = *static_cast<const Header*>(packed);
    const ComputeUnit<T> compute = choose<T>(s, plan, header);
    char* strip = static_cast<char*>(scratch);
    Unit<T> unit = {.header = header,
                    .plane = plan.in_cols * plan.quads * kVecBytes,
                    .copies = plan.copies,
                    .quads = plan.quads,
                    .kernel_w = s.kernel_w,
                    .stride_w = s.stride_w,
                    .dilation_w = s.dilation_w,
                    .out_w = s.out_w,
                    .y_row = s.out_w * s.channels,
                    .y_col = s.channels,
                    .constants = nullptr,
                    .channel = 0,
                    .channels = 0,
                    .rows = 0,
                    .x = nullptr,
                    .y = nullptr};
    for (size_t oy = row_begin; oy < row_end; oy += plan.rows) {
      const char* group_data = reinterpret_cast<const char*>(&header + 1);
      unit.rows = std::min(plan.rows, row_end - oy);
      for (size_t group = 0; group < plan.groups; ++group, group_data += plan.group_bytes) {
        unit.constants = reinterpret_cast<const Constants*>(group_data);
        const size_t c = group_start(s, group);
        fill_strips(s, plan, header, x, oy, c, strip);
        const size_t channels = std::min(kGroup, s.channels);
        // Where the group overlaps the one before it by a whole unit, that is done already.
        for (size_t i = (group * kGroup - c) / kUnit * kUnit; i < channels; i += kUnit) {
          unit.channel = i;
          unit.channels = std::min(channels - i, kUnit);
          unit.x = strip + i / kSums * unit.plane;
          unit.y = y + oy * unit.y_row + c + i;
          compute(unit);
        }
      }
    }
  }
};
