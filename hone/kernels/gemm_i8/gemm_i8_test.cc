#include "hone/kernels/gemm_i8/gemm_i8.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace hone {
namespace {

struct FreeBuffer {
  void operator()(std::byte* p) const { std::free(p); }
};

std::unique_ptr<std::byte, FreeBuffer> aligned_buffer(size_t bytes) {
  return std::unique_ptr<std::byte, FreeBuffer>(
      static_cast<std::byte*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64)));
}

// A copy that ends where memory does: reading beyond it ends the program.
template <class A>
class EndOfMemory {
 public:
  explicit EndOfMemory(const std::vector<A>& values) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t there = (values.size() * sizeof(A) + page - 1) / page * page;
    bytes_ = there + page;
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::byte* end = static_cast<std::byte*>(memory_) + there;
    mprotect(end, page, PROT_NONE);
    data_ = reinterpret_cast<A*>(end) - values.size();
    std::copy(values.begin(), values.end(), data_);
  }
  ~EndOfMemory() { munmap(memory_, bytes_); }
  EndOfMemory(const EndOfMemory&) = delete;
  EndOfMemory& operator=(const EndOfMemory&) = delete;

  const A* data() const { return data_; }

 private:
  size_t bytes_;
  void* memory_;
  A* data_;
};

struct Shape {
  size_t m;
  size_t n;
  size_t taps;
  size_t depth;
};

// A layer with random contents. Every tap of a row is a buffer of its own, so that a sanitizer sees
// reads beyond its `depth` values.
template <class A>
struct Layer {
  Shape shape;
  std::vector<std::unique_ptr<A[]>> taps;
  std::vector<const A*> rows;
  std::vector<int8_t> w;
  std::vector<int32_t> bias, multipliers, shifts;
  int32_t a_zero, zero_point, low, high;
  Rounding rounding = Rounding::Double;

  Layer(const Shape& s, std::mt19937& rng) : shape(s) {
    const int first = std::numeric_limits<A>::min(), last = std::numeric_limits<A>::max();
    const auto next = [&](int64_t from, int64_t to) {
      return static_cast<int32_t>(std::uniform_int_distribution<int64_t>(from, to)(rng));
    };
    for (size_t i = 0; i < s.m * s.taps; ++i) {
      taps.emplace_back(new A[s.depth]);
      for (size_t k = 0; k < s.depth; ++k) taps.back()[k] = static_cast<A>(next(first, last));
      rows.push_back(taps.back().get());
    }
    for (size_t i = 0; i < s.n * s.taps * s.depth; ++i) {
      w.push_back(static_cast<int8_t>(next(-128, 127)));
    }
    a_zero = next(first, last);
    zero_point = next(first, last);
    low = first;
    high = last;
    // Outputs of a few times the type's range, so that both ends saturate now and then.
    const double scale = 1 / (75.0 * std::sqrt(static_cast<double>(s.taps * s.depth)));
    for (size_t o = 0; o < s.n; ++o) {
      bias.push_back(next(-10000, 10000));
      const FixedPoint factor = fixed_point(scale * std::uniform_real_distribution(0.3, 2.0)(rng));
      multipliers.push_back(factor.multiplier);
      shifts.push_back(factor.shift);
    }
  }

  Requantization requantization() const {
    return {multipliers.data(), shifts.data(), rounding, zero_point, low, high};
  }

  // Straight from the definition.
  std::vector<int32_t> sums() const {
    std::vector<int32_t> y;
    for (size_t r = 0; r < shape.m; ++r) {
      for (size_t o = 0; o < shape.n; ++o) {
        int64_t sum = bias[o];
        for (size_t t = 0; t < shape.taps; ++t) {
          for (size_t k = 0; k < shape.depth; ++k) {
            sum +=
                (rows[r * shape.taps + t][k] - a_zero) * w[(o * shape.taps + t) * shape.depth + k];
          }
        }
        y.push_back(static_cast<int32_t>(sum));
      }
    }
    return y;
  }

  template <class Y>
  std::vector<Y> expected() const {
    const std::vector<int32_t> all = sums();
    if constexpr (std::is_same_v<Y, int32_t>) return all;
    std::vector<Y> y;
    for (size_t i = 0; i < all.size(); ++i) {
      const size_t o = i % shape.n;
      const int32_t scaled = scale_by(all[i], {multipliers[o], shifts[o]}, rounding);
      y.push_back(static_cast<Y>(std::clamp<int64_t>(int64_t{scaled} + zero_point, low, high)));
    }
    return y;
  }
};

// The layer by gemm_i8_rows, in two ranges of rows and two of panels, with guards around y.
template <class Y, class A>
std::vector<Y> actual(const GemmI8Kernel<A>& kernel, const Layer<A>& layer, bool dense = false) {
  const Shape& s = layer.shape;
  const size_t k = s.taps * s.depth;
  const size_t panels = kernel.panels(s.n);
  const auto packed = aligned_buffer(panels * kernel.panel_bytes(k));
  const bool sums = std::is_same_v<Y, int32_t>;
  const GemmI8Weights weights{layer.w.data(),
                              s.n,
                              s.taps,
                              s.depth,
                              layer.bias.data(),
                              layer.a_zero,
                              sums ? Requantization{} : layer.requantization()};
  gemm_i8_pack(kernel, weights, 0, panels, packed.get());
  const auto scratch = aligned_buffer(gemm_i8_scratch_bytes(kernel, s.n, k, s.m));

  constexpr Y kGuard = 77;
  const size_t stride = s.n + 3;
  std::vector<Y> y(s.m * stride, kGuard);
  std::vector<A> values;
  if (dense) {
    for (const A* row : layer.rows) values.insert(values.end(), row, row + s.depth);
  }
  const EndOfMemory<A> a(values);
  GemmI8Args<A, Y> args{};
  args.kernel = &kernel;
  args.n = s.n;
  args.taps = s.taps;
  args.depth = s.depth;
  args.panels = packed.get();
  args.rows = layer.rows.data();
  args.y = y.data();
  args.y_stride = stride;
  args.scratch = scratch.get();
  if (dense) {
    args.rows = nullptr;
    args.a = a.data();
    args.a_stride = s.depth;
  }
  const size_t row = s.m / 3, panel = panels / 2;
  for (const auto& [r0, r1] : {std::pair(size_t{0}, row), std::pair(row, s.m)}) {
    gemm_i8_rows(args, r0, r1, 0, panel);
    gemm_i8_rows(args, r0, r1, panel, panels);
  }
  std::vector<Y> dense_y;
  for (size_t r = 0; r < s.m; ++r) {
    const auto begin = y.begin() + static_cast<std::ptrdiff_t>(r * stride);
    const auto end = begin + static_cast<std::ptrdiff_t>(s.n);
    dense_y.insert(dense_y.end(), begin, end);
    EXPECT_TRUE(std::all_of(end, end + 3, [](Y v) { return v == kGuard; })) << "row " << r;
  }
  return dense_y;
}

template <class A>
void expect_exact(const GemmI8Kernel<A>& kernel, const Layer<A>& layer) {
  const Shape& s = layer.shape;
  const std::string what = ::testing::PrintToString(std::vector{s.m, s.n, s.taps, s.depth}) +
                           ", rounding " + std::to_string(static_cast<int>(layer.rounding));
  EXPECT_EQ(actual<A>(kernel, layer), layer.template expected<A>()) << what;
  EXPECT_EQ(actual<int32_t>(kernel, layer), layer.sums()) << what << ", sums";
  if (s.taps == 1) {
    EXPECT_EQ(actual<A>(kernel, layer, true), layer.template expected<A>()) << what << ", dense";
  }
}

// Both tables side by side: the same variants for signed and unsigned activations.
class GemmI8Test : public testing::TestWithParam<size_t> {
 protected:
  void SetUp() override {
    if (!gemm_i8_variants()[GetParam()].runs_here()) {
      GTEST_SKIP() << "this CPU lacks a feature it needs";
    }
  }
  // Calls check(kernel, Layer of the same type) for both types.
  template <class Check>
  void for_both(const Shape& shape, std::mt19937& rng, const Check& check) {
    Layer<int8_t> layer_i8(shape, rng);
    check(gemm_i8_variants()[GetParam()].run, layer_i8);
    Layer<uint8_t> layer_u8(shape, rng);
    check(gemm_u8_variants()[GetParam()].run, layer_u8);
  }
};

constexpr Rounding kRoundings[] = {Rounding::Double, Rounding::Single, Rounding::DoubleUpward};
constexpr auto kExact = [](const auto& kernel, const auto& layer) { expect_exact(kernel, layer); };

TEST_P(GemmI8Test, EveryRemainderOfATile) {
  std::mt19937 rng(1);
  const auto& kernel = gemm_i8_variants()[GetParam()].run;
  for (size_t m = 1; m <= 2 * kernel.mr + 1; ++m) for_both({m, 19, 1, 16}, rng, kExact);
  for (size_t n = 1; n <= 2 * kernel.nr + 1; ++n) for_both({5, n, 1, 24}, rng, kExact);
  for (size_t depth = 1; depth <= 67; ++depth) for_both({7, 18, 1, depth}, rng, kExact);
  for (size_t depth = 1; depth <= 35; ++depth) for_both({8, 21, 3, depth}, rng, kExact);
  for (size_t taps = 1; taps <= 10; ++taps) for_both({6, 16, taps, 8}, rng, kExact);
}

TEST_P(GemmI8Test, RandomShapesAndRoundings) {
  std::mt19937 rng(2);
  for (int i = 0; i < 60; ++i) {
    const Shape shape{1 + rng() % 70, 1 + rng() % 130, i % 2 == 0 ? 1 : 1 + rng() % 9,
                      i % 3 == 0 ? 8 * (1 + rng() % 12) : 1 + rng() % 90};
    for_both(shape, rng, [&](const auto& kernel, auto& layer) {
      layer.rounding = kRoundings[rng() % 3];
      if (rng() % 2 == 0) {
        layer.low += static_cast<int32_t>(rng() % 120);
        layer.high -= static_cast<int32_t>(rng() % 120);
      }
      expect_exact(kernel, layer);
    });
  }
}

TEST_P(GemmI8Test, EveryShift) {
  std::mt19937 rng(3);
  for (const Rounding rounding : kRoundings) {
    for (int32_t shift = -70; shift <= 70; ++shift) {
      for_both({5, 17, 1, 20}, rng, [&](const auto& kernel, auto& layer) {
        if (rounding == Rounding::DoubleUpward && shift < -62) return;  // Undefined in scale_by.
        layer.rounding = rounding;
        for (size_t o = 0; o < layer.shape.n; ++o) {
          layer.shifts[o] = shift;
          layer.multipliers[o] =
              static_cast<int32_t>((1u << 30) + (o % 3 == 0 ? 0 : rng() % (1u << 30)));
          // Large sums, where there is something left to see after a long shift.
          if (o % 2 == 0) layer.bias[o] = static_cast<int32_t>(rng());
        }
        layer.multipliers[1] = 0;
        layer.multipliers[2] = std::numeric_limits<int32_t>::max();
        expect_exact(kernel, layer);
      });
    }
  }
}

// A multiplier of 2^30 makes every rounding rule meet ties, of both signs, all the time.
TEST_P(GemmI8Test, Ties) {
  std::mt19937 rng(4);
  for (const Rounding rounding : kRoundings) {
    for (int32_t shift = -8; shift <= 2; ++shift) {
      for_both({12, 33, 1, 1}, rng, [&](const auto& kernel, auto& layer) {
        layer.rounding = rounding;
        for (size_t o = 0; o < layer.shape.n; ++o) {
          layer.shifts[o] = shift;
          layer.multipliers[o] = 1 << 30;
          layer.w[o] = 1;
          layer.bias[o] = static_cast<int32_t>(rng() % 4096) - 2048;
        }
        expect_exact(kernel, layer);
      });
    }
  }
}

TEST_P(GemmI8Test, Extremes) {
  std::mt19937 rng(5);
  for (const Rounding rounding : kRoundings) {
    for (const size_t depth : {size_t{16}, size_t{1000}, size_t{5003}}) {
      for (int sign = 0; sign < 4; ++sign) {
        for_both({7, 17, 1, depth}, rng, [&](const auto& kernel, auto& layer) {
          using A = std::remove_cvref_t<decltype(*layer.rows[0])>;
          const A first = std::numeric_limits<A>::min(), last = std::numeric_limits<A>::max();
          layer.rounding = rounding;
          layer.a_zero = (sign & 1) != 0 ? first : last;
          std::fill(layer.w.begin(), layer.w.end(),
                    static_cast<int8_t>((sign & 2) != 0 ? -128 : 127));
          for (auto& tap : layer.taps) {
            for (size_t k = 0; k < depth; ++k) tap[k] = rng() % 16 == 0 ? first : last;
          }
          // Sums near the ends of 32 bits; some wrap.
          for (size_t o = 0; o < layer.shape.n; ++o) {
            layer.bias[o] = static_cast<int32_t>((1u << 31) - o * 1000000u);
          }
          expect_exact(kernel, layer);
        });
      }
    }
  }
}

// Long enough for several blocks of rows.
TEST_P(GemmI8Test, ManyRows) {
  std::mt19937 rng(6);
  for_both({3000, 20, 1, 16}, rng, kExact);
  for_both({230, 70, 9, 32}, rng, kExact);
  // Rows that end within what a kernel takes of k at a time, times few columns and many.
  for_both({300, 70, 1, 72}, rng, kExact);
  for_both({300, 300, 1, 40}, rng, kExact);
}

INSTANTIATE_TEST_SUITE_P(Variants, GemmI8Test, testing::Range(size_t{0}, gemm_i8_variants().size()),
                         [](const auto& test) {
                           return std::string(gemm_i8_variants()[test.param].name);
                         });

}  // namespace
}  // namespace hone
