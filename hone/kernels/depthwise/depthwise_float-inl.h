// The float kernels, written once over a small set of vector operations:
//   struct Ops {
//     using Lane = float;  // Or Half: what x, y and the weights are made of.
//     using Vec = ...;     // kLanes of them.
//     static constexpr size_t kLanes, kMaxRows;  // kMaxRows: of a tile, 4 or 2.
//     load(p), store(v, p), load_some(p, n), store_some(v, p, n) with n < kLanes,
//     zero(), set(float), copy(v), multiply_add(a, b, sum), clamp(v, low, high)
//   };
// Meant to be included inside a namespace, once per instruction set, after <algorithm>,
// depthwise.h and unroll.h.
//
// Packed: for every group of kLanes channels its bias and its taps, one vector each. The last group
// starts at channels - kLanes: it overlaps the one before it, and no tail is left. With fewer
// channels than lanes there is one group, filled up with zeros.

// Instrumented and unrolled tiles would take g++ minutes to compile.
#if defined(__SANITIZE_ADDRESS__)
#undef HONE_UNROLL
#define HONE_UNROLL
#endif

// Keeps the compiler from moving loads from `pointer` and what is computed of it across this place.
#define HONE_FENCE(pointer) asm volatile("" : "+r"(pointer))

template <class Ops>
struct DepthwiseKernels {
  using T = typename Ops::Lane;
  using Vec = typename Ops::Vec;
  static constexpr size_t kLanes = Ops::kLanes;

  static size_t group_count(const DepthwiseShape& s) { return (s.channels + kLanes - 1) / kLanes; }
  static size_t group_start(const DepthwiseShape& s, size_t group) {
    return s.channels < kLanes ? 0 : std::min(group * kLanes, s.channels - kLanes);
  }
  static size_t group_size(const DepthwiseShape& s) {
    return (1 + s.kernel_h * s.kernel_w) * kLanes;
  }

  static size_t packed_bytes(const DepthwiseShape& s) {
    return group_count(s) * group_size(s) * sizeof(T);
  }

  static void pack(const DepthwiseShape& s, const T* weights, const T* bias, void* packed) {
    T* to = static_cast<T*>(packed);
    for (size_t group = 0; group < group_count(s); ++group, to += group_size(s)) {
      const size_t c = group_start(s, group);
      const size_t n = std::min(kLanes, s.channels);
      std::fill_n(to, group_size(s), T(0.0f));
      if (bias != nullptr) std::copy_n(bias + c, n, to);
      for (size_t tap = 0; tap < s.kernel_h * s.kernel_w; ++tap) {
        std::copy_n(weights + tap * s.channels + c, n, to + (1 + tap) * kLanes);
      }
    }
  }

  // What the loops below share.
  struct Job {
    const DepthwiseShape& s;
    const T* x;
    const T* packed;
    Vec low, high;
    T* y;
  };

  // The input below a tile of outputs. Bit i of `rows_in`, `cols_in` tells whether row or column i
  // lies in the image; the others are padding and `corner` may lie outside of the image with them.
  struct Patch {
    const char* corner;
    unsigned rows_in, cols_in;
  };

  // A tile of outputs, all channels. kEdge: some columns may be padding.
  //
  // Measured on a Neoverse V1: a 3x3 tile of 4 x 4 in the L1 cache takes 61 cycles per vector of
  // channels, 52 if all four pipes were always busy; 2 x 4 takes 36 for half of it. Addresses are a
  // register per row and one per column, since a table of pointers to the pixels costs as much as
  // the arithmetic: LDP of two pointers runs once a cycle, and loads whose addresses differ by a
  // multiple of 128 bytes, as those of neighbouring pixels often do, run once a cycle, too, instead
  // of thrice.
  template <size_t kKernel, size_t kStride, size_t kRows, size_t kCols, bool kEdge>
  static void tile(const Job& job, const Patch& patch, T* y_corner) {
    constexpr size_t kInRows = (kRows - 1) * kStride + kKernel;
    constexpr size_t kInCols = (kCols - 1) * kStride + kKernel;
    constexpr unsigned kAllCols = (1u << kInCols) - 1;
    const size_t pixel = job.s.channels * sizeof(T);
    const char* x[kInRows];
    HONE_UNROLL
    for (size_t iy = 0; iy < kInRows; ++iy) x[iy] = patch.corner + iy * job.s.in_w * pixel;
    char* y[kRows];
    HONE_UNROLL
    for (size_t oy = 0; oy < kRows; ++oy) {
      y[oy] = reinterpret_cast<char*>(y_corner) + oy * job.s.out_w * pixel;
    }
    size_t offsets[kInCols];
    HONE_UNROLL
    for (size_t ix = 0; ix < kInCols; ++ix) {
      size_t offset = ix * pixel;
      asm("" : "+r"(offset));  // To be kept rather than computed again from its neighbour.
      offsets[ix] = offset;
    }
    const T* w = job.packed;
    const Vec low = job.low, high = job.high;
    const unsigned rows_in = patch.rows_in, cols_in = kEdge ? patch.cols_in : kAllCols;
    for (size_t c = 0;;) {
      Vec sums[kRows][kCols];
      const Vec bias = Ops::load(w);
      HONE_UNROLL
      for (size_t o = 0; o < kRows * kCols; ++o) sums[o / kCols][o % kCols] = Ops::copy(bias);
      HONE_UNROLL
      for (size_t iy = 0; iy < kInRows; ++iy) {
        if ((rows_in >> iy & 1) == 0) [[unlikely]]
          continue;
        const char* row = x[iy];
        HONE_FENCE(row);
        Vec pixels[kInCols];
        HONE_UNROLL
        for (size_t ix = 0; ix < kInCols; ++ix) {
          pixels[ix] = (cols_in >> ix & 1) != 0
                           ? Ops::load(reinterpret_cast<const T*>(row + offsets[ix]))
                           : Ops::zero();
        }
        HONE_UNROLL
        for (size_t kx = 0; kx < kKernel; ++kx) {
          HONE_UNROLL
          for (size_t oy = 0; oy < kRows; ++oy) {
            const size_t ky = iy - oy * kStride;
            if (ky >= kKernel) continue;
            const Vec tap = Ops::load(w + (1 + ky * kKernel + kx) * kLanes);
            HONE_UNROLL
            for (size_t ox = 0; ox < kCols; ++ox) {
              sums[oy][ox] = Ops::multiply_add(pixels[ox * kStride + kx], tap, sums[oy][ox]);
            }
          }
          HONE_FENCE(w);
        }
      }
      HONE_UNROLL
      for (size_t o = 0; o < kRows * kCols; ++o) {
        Ops::store(Ops::clamp(sums[o / kCols][o % kCols], low, high),
                   reinterpret_cast<T*>(y[o / kCols] + offsets[o % kCols]));
      }
      const size_t next = std::min(c + kLanes, job.s.channels - kLanes);
      if (next == c) break;
      const size_t step = (next - c) * sizeof(T);
      c = next;
      w += (1 + kKernel * kKernel) * kLanes;
      HONE_UNROLL
      for (size_t iy = 0; iy < kInRows; ++iy) x[iy] += step;
      HONE_UNROLL
      for (size_t oy = 0; oy < kRows; ++oy) y[oy] += step;
    }
  }

  // Bit i of the result: whether first + i, which may have wrapped around below 0, is less than n.
  static unsigned inside(size_t first, size_t count, size_t n) {
    unsigned bits = 0;
    for (size_t i = 0; i < count; ++i) bits |= (first + i < n ? 1u : 0u) << i;
    return bits;
  }

  // Output rows [oy, oy + kRows), in tiles of 4 columns and, where that does not divide, 3.
  template <size_t kKernel, size_t kStride, size_t kRows>
  static void tile_rows(const Job& job, size_t oy) {
    constexpr size_t kInRows = (kRows - 1) * kStride + kKernel;
    constexpr size_t kMaxCols = 4;
    const DepthwiseShape& s = job.s;
    const size_t iy = oy * kStride - s.pad_top;
    const unsigned rows_in = inside(iy, kInRows, s.in_h);
    const size_t tiles = (s.out_w + kMaxCols - 1) / kMaxCols;
    size_t ox = 0;
    for (size_t i = 0; i < tiles; ++i) {
      const size_t cols = (s.out_w - ox + tiles - i - 1) / (tiles - i);
      const size_t in_cols = (cols - 1) * kStride + kKernel;
      const size_t ix = ox * kStride - s.pad_left;
      const unsigned cols_in = inside(ix, in_cols, s.in_w);
      const bool edge = cols_in != (1u << in_cols) - 1;
      const Patch patch = {
          reinterpret_cast<const char*>(job.x) + (iy * s.in_w + ix) * s.channels * sizeof(T),
          rows_in, cols_in};
      T* y = job.y + (oy * s.out_w + ox) * s.channels;
      if (cols == 4 && !edge) tile<kKernel, kStride, kRows, 4, false>(job, patch, y);
      if (cols == 4 && edge) tile<kKernel, kStride, kRows, 4, true>(job, patch, y);
      if (cols == 3 && !edge) tile<kKernel, kStride, kRows, 3, false>(job, patch, y);
      if (cols == 3 && edge) tile<kKernel, kStride, kRows, 3, true>(job, patch, y);
      if (cols == 2) tile<kKernel, kStride, kRows, 2, true>(job, patch, y);
      if (cols == 1) tile<kKernel, kStride, kRows, 1, true>(job, patch, y);
      ox += cols;
    }
  }

  template <size_t kKernel, size_t kStride>
  static void run_tiles(const Job& job, size_t row_begin, size_t row_end) {
    constexpr size_t kMaxRows = kStride == 1 ? Ops::kMaxRows : 2;
    const size_t blocks = (row_end - row_begin + kMaxRows - 1) / kMaxRows;
    size_t oy = row_begin;
    for (size_t i = 0; i < blocks; ++i) {
      const size_t rows = (row_end - oy + blocks - i - 1) / (blocks - i);
      if constexpr (kMaxRows == 4) {
        if (rows == 4) tile_rows<kKernel, kStride, 4>(job, oy);
        if (rows == 3) tile_rows<kKernel, kStride, 3>(job, oy);
      }
      if (rows == 2) tile_rows<kKernel, kStride, 2>(job, oy);
      if (rows == 1) tile_rows<kKernel, kStride, 1>(job, oy);
      oy += rows;
    }
  }

  // The taps [begin, end) of one dimension that lie in the image for output o.
  struct Taps {
    size_t begin, end;
  };
  static Taps valid_taps(size_t o, size_t stride, size_t dilation, size_t pad, size_t kernel,
                         size_t in) {
    const size_t at = o * stride;  // Of tap 0, plus the padding.
    const size_t begin = at >= pad ? 0 : (pad - at + dilation - 1) / dilation;
    const size_t end = at >= in + pad ? 0 : (in + pad - at + dilation - 1) / dilation;
    return {std::min(begin, kernel), std::max(std::min(begin, kernel), std::min(end, kernel))};
  }

  // kCols outputs of one row from ox on, all channels, any kernel. All of them
  // have the same taps.
  template <size_t kCols, bool kNarrow>
  static void any_cols(const Job& job, size_t oy, size_t ox, Taps taps_y, Taps taps_x) {
    const DepthwiseShape& s = job.s;
    const size_t step = s.stride_w * s.channels;
    const T* w = job.packed;
    T* y = job.y + (oy * s.out_w + ox) * s.channels;
    for (size_t group = 0; group < group_count(s); ++group, w += group_size(s)) {
      const size_t c = group_start(s, group);
      Vec sums[kCols];
      HONE_UNROLL
      for (size_t i = 0; i < kCols; ++i) sums[i] = Ops::load(w);
      for (size_t ky = taps_y.begin; ky < taps_y.end; ++ky) {
        const size_t iy = oy * s.stride_h + ky * s.dilation_h - s.pad_top;
        for (size_t kx = taps_x.begin; kx < taps_x.end; ++kx) {
          const size_t ix = ox * s.stride_w + kx * s.dilation_w - s.pad_left;
          const T* in = job.x + (iy * s.in_w + ix) * s.channels + c;
          const Vec tap = Ops::load(w + (1 + ky * s.kernel_w + kx) * kLanes);
          HONE_UNROLL
          for (size_t i = 0; i < kCols; ++i) {
            const T* p = in + i * step;
            const Vec pixel = kNarrow ? Ops::load_some(p, s.channels) : Ops::load(p);
            sums[i] = Ops::multiply_add(pixel, tap, sums[i]);
          }
        }
      }
      HONE_UNROLL
      for (size_t i = 0; i < kCols; ++i) {
        const Vec sum = Ops::clamp(sums[i], job.low, job.high);
        T* p = y + i * s.channels + c;
        kNarrow ? Ops::store_some(sum, p, s.channels) : Ops::store(sum, p);
      }
    }
  }

  // Any kernel: 8 columns at a time where no column is padded, else one.
  template <bool kNarrow>
  static void run_any(const Job& job, size_t row_begin, size_t row_end) {
    const DepthwiseShape& s = job.s;
    constexpr size_t kCols = 8;
    const auto taps_x = [&s](size_t ox) {
      return valid_taps(ox, s.stride_w, s.dilation_w, s.pad_left, s.kernel_w, s.in_w);
    };
    const auto inside = [&](size_t ox) {
      const Taps taps = taps_x(ox);
      return taps.begin == 0 && taps.end == s.kernel_w;
    };
    for (size_t oy = row_begin; oy < row_end; ++oy) {
      const Taps taps_y = valid_taps(oy, s.stride_h, s.dilation_h, s.pad_top, s.kernel_h, s.in_h);
      for (size_t ox = 0; ox < s.out_w;) {
        if (!kNarrow && ox + kCols <= s.out_w && inside(ox) && inside(ox + kCols - 1)) {
          any_cols<kCols, false>(job, oy, ox, taps_y, {0, s.kernel_w});
          ox += kCols;
        } else {
          any_cols<1, kNarrow>(job, oy, ox, taps_y, taps_x(ox));
          ++ox;
        }
      }
    }
  }

  static void run(const DepthwiseShape& s, size_t row_begin, size_t row_end, const T* x,
                  const void* packed, float low, float high, T* y) {
    const Job job = {s, x, static_cast<const T*>(packed), Ops::set(low), Ops::set(high), y};
    if (s.channels < kLanes) return run_any<true>(job, row_begin, row_end);
    const bool square = s.kernel_h == s.kernel_w && s.stride_h == s.stride_w;
    const bool dense = s.dilation_h == 1 && s.dilation_w == 1;
    if (square && dense) {
      const size_t kernel = s.kernel_h, stride = s.stride_h;
      if (kernel == 3 && stride == 1) return run_tiles<3, 1>(job, row_begin, row_end);
      if (kernel == 3 && stride == 2) return run_tiles<3, 2>(job, row_begin, row_end);
      if (kernel == 5 && stride == 1) return run_tiles<5, 1>(job, row_begin, row_end);
      if (kernel == 5 && stride == 2) return run_tiles<5, 2>(job, row_begin, row_end);
    }
    run_any<false>(job, row_begin, row_end);
  }
};
