#include "hone/kernels/depthwise/depthwise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "hone/kernels/kernel_testing.h"

namespace hone {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Bytes aligned to 64, with nothing readable behind them for the address
// sanitizer.
class AlignedBytes {
 public:
  explicit AlignedBytes(size_t size) : bytes_(static_cast<char*>(::operator new(size, kAlign))) {}
  ~AlignedBytes() { ::operator delete(bytes_, kAlign); }
  AlignedBytes(const AlignedBytes&) = delete;
  AlignedBytes& operator=(const AlignedBytes&) = delete;
  char* data() { return bytes_; }

 private:
  static constexpr std::align_val_t kAlign{64};
  char* bytes_;
};

std::string text(const DepthwiseShape& s) {
  std::string result;
  for (const size_t v :
       {s.in_h, s.in_w, s.out_h, s.out_w, s.channels, s.kernel_h, s.kernel_w, s.stride_h,
        s.stride_w, s.dilation_h, s.dilation_w, s.pad_top, s.pad_left}) {
    result += std::to_string(v) + ' ';
  }
  return result;
}

size_t taps(const DepthwiseShape& s) {
  return s.kernel_h * s.kernel_w;
}
size_t x_size(const DepthwiseShape& s) {
  return s.in_h * s.in_w * s.channels;
}
size_t y_size(const DepthwiseShape& s) {
  return s.out_h * s.out_w * s.channels;
}

DepthwiseShape square(size_t kernel, size_t stride, size_t channels, size_t out_h, size_t out_w,
                      size_t pad) {
  const auto in = [&](size_t out) {
    const size_t covered = (out - 1) * stride + kernel;
    return covered > 2 * pad ? covered - 2 * pad : 1;
  };
  return {in(out_h), in(out_w), out_h, out_w, channels, kernel, kernel,
          stride,    stride,    1,     1,     pad,      pad};
}

// Kernels, strides and paddings of all sorts, also such as leave a row or
// column without any input.
DepthwiseShape random_shape(std::mt19937& rng) {
  const auto pick = [&rng](size_t low, size_t high) {
    return std::uniform_int_distribution<size_t>(low, high)(rng);
  };
  DepthwiseShape s{};
  s.in_h = pick(1, 13);
  s.in_w = pick(1, 13);
  s.channels = pick(1, 40);
  s.out_h = pick(1, 11);
  s.out_w = pick(1, 13);
  const bool fast = pick(0, 2) > 0;
  s.kernel_h = fast ? 3 + 2 * pick(0, 1) : pick(1, 7);
  s.kernel_w = fast ? s.kernel_h : pick(1, 7);
  s.stride_h = pick(1, fast ? 2 : 3);
  s.stride_w = fast ? s.stride_h : pick(1, 3);
  s.dilation_h = fast ? 1 : pick(1, 3);
  s.dilation_w = fast ? 1 : pick(1, 3);
  s.pad_top = pick(0, 8);
  s.pad_left = pick(0, 8);
  return s;
}

// Shapes that every kind of kernel is tested with; check(shape, with_bias) runs one.
template <class Check>
void check_every_tile_size(Check check) {
  for (const size_t kernel : {size_t{3}, size_t{5}}) {
    for (const size_t stride : {size_t{1}, size_t{2}}) {
      for (size_t out_h = 1; out_h <= 6; ++out_h) {
        for (size_t out_w = 1; out_w <= 10; ++out_w) {
          check(square(kernel, stride, 19, out_h, out_w, kernel / 2), true);
        }
      }
    }
  }
}

template <class Check>
void check_every_channel_count(Check check) {
  for (size_t channels = 1; channels <= 67; ++channels) {
    check(square(3, 1, channels, 3, 5, 1), true);
    check(square(4, 3, channels, 2, 9, 1), false);
  }
}

// More than fits into a cache of the first or second level, and more of one row.
template <class Check>
void check_large_shapes(Check check) {
  check(square(3, 1, 701, 9, 9, 1), true);
  check(square(3, 1, 150, 50, 21, 1), true);
  check(square(3, 2, 301, 18, 15, 1), true);
  check(square(5, 1, 1030, 3, 70, 2), true);
  check(square(5, 2, 144, 19, 22, 2), false);
}

template <class Check>
void check_random_shapes(int count, std::mt19937& rng, Check check) {
  for (int i = 0; i < count; ++i) check(random_shape(rng), i % 2 == 0);
}

// The sums in double, and what they may be off by.
template <class T>
struct Exact {
  std::vector<double> sums, tolerance;

  Exact(const DepthwiseShape& s, const std::vector<T>& x, const std::vector<T>& w, const T* bias)
      : sums(y_size(s)), tolerance(y_size(s)) {
    const double epsilon = sizeof(T) == 4 ? 0x1p-24 : 0x1p-11;
    for (size_t i = 0; i < sums.size(); ++i) {
      const size_t c = i % s.channels, ox = i / s.channels % s.out_w, oy = i / s.channels / s.out_w;
      double sum = bias != nullptr ? static_cast<double>(bias[c]) : 0, size = std::abs(sum);
      for (size_t tap = 0; tap < taps(s); ++tap) {
        const size_t iy = oy * s.stride_h + tap / s.kernel_w * s.dilation_h - s.pad_top;
        const size_t ix = ox * s.stride_w + tap % s.kernel_w * s.dilation_w - s.pad_left;
        if (iy >= s.in_h || ix >= s.in_w) continue;
        const double product = static_cast<double>(x[(iy * s.in_w + ix) * s.channels + c]) *
                               static_cast<double>(w[tap * s.channels + c]);
        sum += product;
        size += std::abs(product);
      }
      sums[i] = sum;
      tolerance[i] = epsilon * static_cast<double>(taps(s) + 2) * size;
    }
  }
};

template <class T>
class FloatCase {
 public:
  FloatCase(const DepthwiseShape& shape, std::mt19937& rng, bool with_bias)
      : s(shape),
        x(random_values<T>(x_size(s), -2, 2, rng)),
        w(random_values<T>(taps(s) * s.channels, -1, 1, rng)),
        bias(random_values<T>(with_bias ? s.channels : 0, -3, 3, rng)) {}

  const T* bias_or_null() const { return bias.empty() ? nullptr : bias.data(); }

  // In two calls, the second one row long where there are several.
  std::vector<T> run(const DepthwiseFloat<T>& kernel, const Activation& activation,
                     Activate<T> activate = nullptr) const {
    AlignedBytes packed(kernel.packed_bytes(s));
    kernel.pack(s, w.data(), bias_or_null(), packed.data());
    std::vector<T> y(y_size(s), T(99.0f));
    const size_t split = s.out_h > 1 ? s.out_h - 1 : 0;
    kernel.run(s, 0, split, x.data(), packed.data(), activation, activate, y.data());
    kernel.run(s, split, s.out_h, x.data(), packed.data(), activation, activate, y.data());
    return y;
  }

  void check(const DepthwiseFloat<T>& kernel, float low = -kInfinity,
             float high = kInfinity) const {
    const std::vector<T> y = run(kernel, {.low = low, .high = high});
    const Exact<T> exact(s, x, w, bias_or_null());
    for (size_t i = 0; i < y.size(); ++i) {
      const double expected = std::clamp<double>(exact.sums[i], low, high);
      ASSERT_NEAR(static_cast<double>(y[i]), expected, exact.tolerance[i])
          << "element " << i << " of " << text(s);
    }
  }

  DepthwiseShape s;
  std::vector<T> x, w, bias;
};

// The same tests for every variant of one element type.
template <class T>
class DepthwiseFloatTest : public VariantTest<DepthwiseFloat<T>> {
 protected:
  const DepthwiseFloat<T>& kernel() { return this->GetParam().run; }

  void every_tile_size() { check_every_tile_size(unclamped()); }
  void every_channel_count() { check_every_channel_count(unclamped()); }
  void large_shapes() { check_large_shapes(unclamped()); }
  void random_shapes() {
    check_random_shapes(400, rng, [&](const DepthwiseShape& s, bool with_bias) {
      FloatCase<T>(s, rng, with_bias).check(kernel(), -2.5f, 3.0f);
    });
  }

  // As by a call of its own for all that the kernel has written, bit for bit.
  void activates(Activate<T> activate) {
    const auto check = [&](const DepthwiseShape& s, bool with_bias) {
      const FloatCase<T> test(s, rng, with_bias);
      for (const auto kind : {Activation::Kind::HardSwish, Activation::Kind::Silu}) {
        const Activation activation{.kind = kind};
        std::vector<T> expected = test.run(kernel(), {});
        activate(activation, 1, expected.size(), expected.data(), expected.size(), expected.data(),
                 expected.size());
        const std::vector<T> y = test.run(kernel(), activation, activate);
        for (size_t i = 0; i < y.size(); ++i) {
          ASSERT_EQ(static_cast<float>(y[i]), static_cast<float>(expected[i]))
              << "element " << i << " of " << text(s);
        }
      }
    };
    check_every_tile_size(check);
    check_every_channel_count(check);
    check_large_shapes(check);
    check_random_shapes(100, rng, check);
  }

  // A padded pixel is 0, but 0 times an infinite weight would not be.
  void infinite_input_stays_where_it_is() {
    FloatCase<T> test(square(3, 1, 8, 4, 4, 1), rng, true);
    test.x.assign(test.x.size(), T(1.0f));
    test.x[0] = T(kInfinity);
    const std::vector<T> y = test.run(kernel(), {.low = -100, .high = 100});
    for (size_t i = 0; i < y.size(); ++i) {
      const size_t c = i % 8, ox = i / 8 % 4, oy = i / 32;
      const bool reached = c == 0 && ox < 2 && oy < 2;
      EXPECT_EQ(std::abs(static_cast<float>(y[i])) == 100.0f, reached) << i;
    }
  }

  // Wherever a tap reads one, whatever the clamp.
  void nans_reach_what_reads_them() {
    check_random_shapes(100, rng, [&](const DepthwiseShape& s, bool with_bias) {
      FloatCase<T> test(s, rng, with_bias);
      for (size_t i = 0; i <= test.x.size() / 60; ++i) {
        test.x[rng() % test.x.size()] = T(std::numeric_limits<float>::quiet_NaN());
      }
      const std::vector<T> y = test.run(kernel(), {.low = 0, .high = 6});
      const Exact<T> exact(s, test.x, test.w, test.bias_or_null());
      for (size_t i = 0; i < y.size(); ++i) {
        ASSERT_EQ(std::isnan(static_cast<float>(y[i])), std::isnan(exact.sums[i]))
            << "element " << i << " of " << text(s);
      }
    });
  }

  auto unclamped() {
    return [&](const DepthwiseShape& s, bool with_bias) {
      FloatCase<T>(s, rng, with_bias).check(kernel());
    };
  }

  std::mt19937 rng{7};
};

// Multipliers, shifts and what else belongs to a requantization.
struct Scales {
  std::vector<int32_t> multipliers, shifts;
  Requantization q;

  template <class T>
  static Scales random(std::mt19937& rng, size_t channels, Rounding rounding, int min_shift,
                       int max_shift, T) {
    const auto pick = [&rng](int low, int high) {
      return std::uniform_int_distribution<int>(low, high)(rng);
    };
    Scales scales;
    for (size_t c = 0; c < channels; ++c) {
      const bool zero = pick(0, 30) == 0;
      scales.multipliers.push_back(zero ? 0 : pick(1 << 30, std::numeric_limits<int>::max()));
      scales.shifts.push_back(pick(min_shift, max_shift));
    }
    constexpr int kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
    scales.q.rounding = rounding;
    scales.q.zero_point = pick(kLow, kHigh);
    scales.q.low = pick(0, 1) == 0 ? kLow : scales.q.zero_point;
    scales.q.high = pick(0, 1) == 0 ? kHigh : pick(scales.q.low, kHigh);
    return scales;
  }

  const Requantization& requantization() {
    q.multipliers = multipliers.data();
    q.shifts = shifts.data();
    return q;
  }
};

template <class T>
class IntegerCase {
 public:
  IntegerCase(const DepthwiseShape& shape, std::mt19937& rng, bool with_bias)
      : s(shape),
        x_zero_point(std::uniform_int_distribution<int>(kLow, kHigh)(rng)),
        x(random_integers<T>(x_size(s), rng)),
        w(random_integers<int8_t>(s.copies * taps(s) * s.channels, rng)) {
    std::uniform_int_distribution<int32_t> next(-40000, 40000);
    for (size_t c = 0; with_bias && c < s.channels; ++c) bias.push_back(next(rng));
  }

  std::vector<T> run(const DepthwiseInteger<T>& kernel, Scales& scales) const {
    AlignedBytes packed(kernel.packed_bytes(s)), scratch(kernel.scratch_bytes(s));
    kernel.pack(s, w.data(), bias.empty() ? nullptr : bias.data(), x_zero_point,
                scales.requantization(), packed.data());
    std::vector<T> y(y_size(s), T(99));
    const size_t split = s.out_h > 1 ? s.out_h - 1 : 0;
    kernel.run(s, 0, split, x.data(), packed.data(), y.data(), scratch.data());
    kernel.run(s, split, s.out_h, x.data(), packed.data(), y.data(), scratch.data());
    return y;
  }

  static constexpr int kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
  DepthwiseShape s;
  int32_t x_zero_point;
  std::vector<T> x;
  std::vector<int8_t> w;
  std::vector<int32_t> bias;
};

constexpr Rounding kRoundings[] = {Rounding::Double, Rounding::Single, Rounding::DoubleUpward};

template <class T>
class DepthwiseIntegerTest : public VariantTest<DepthwiseInteger<T>> {
 protected:
  void check(const IntegerCase<T>& test, Scales scales) {
    const std::vector<T> actual = test.run(this->GetParam().run, scales);
    const std::vector<T> expected = test.run(*reference, scales);
    for (size_t i = 0; i < actual.size(); ++i) {
      ASSERT_EQ(int{actual[i]}, int{expected[i]})
          << "element " << i << " of " << text(test.s) << ", rounding "
          << static_cast<int>(scales.q.rounding) << ", zero points " << test.x_zero_point << ' '
          << scales.q.zero_point << ", range " << scales.q.low << ' ' << scales.q.high;
    }
  }

  // With shifts that give outputs over the whole range.
  auto usual() {
    return [&](const DepthwiseShape& s, bool with_bias) {
      for (const Rounding rounding : kRoundings) {
        check(IntegerCase<T>(s, rng, with_bias),
              Scales::random(rng, s.channels, rounding, -9, -5, T()));
      }
    };
  }

  void every_tile_size() { check_every_tile_size(usual()); }
  void every_channel_count() { check_every_channel_count(usual()); }
  void random_shapes() { check_random_shapes(200, rng, usual()); }

  void every_shift() {
    const DepthwiseShape s = square(3, 1, 24, 4, 4, 1);
    for (const Rounding rounding : kRoundings) {
      for (int shift = -31; shift <= 31; ++shift) {
        check(IntegerCase<T>(s, rng, true), Scales::random(rng, 24, rounding, shift, shift, T()));
      }
      for (int i = 0; i < 20; ++i) {
        check(IntegerCase<T>(s, rng, true), Scales::random(rng, 24, rounding, -12, 2, T()));
      }
    }
  }

  // Weights of more than 8 bits.
  void several_copies() {
    check_random_shapes(100, rng, [&](DepthwiseShape s, bool with_bias) {
      s.copies = with_bias ? 2 : 3;
      usual()(s, with_bias);
    });
  }

  // The largest products, and sums that come to ties.
  void extremes() {
    for (const Rounding rounding : kRoundings) {
      for (const int weight : {-128, -1, 1, 127}) {
        for (const int x : {IntegerCase<T>::kLow, IntegerCase<T>::kHigh}) {
          IntegerCase<T> test(square(5, 1, 32, 4, 4, 2), rng, true);
          test.x.assign(test.x.size(), static_cast<T>(x));
          test.w.assign(test.w.size(), static_cast<int8_t>(weight));
          test.bias.assign(test.bias.size(), weight * 7);
          Scales scales = Scales::random(rng, 32, rounding, -9, -1, T());
          scales.multipliers.assign(32, 1 << 30);
          check(test, scales);
        }
      }
    }
  }

  std::mt19937 rng{7};
  const DepthwiseInteger<T>* reference = nullptr;
};

class DepthwiseF32Test : public DepthwiseFloatTest<float> {};
class DepthwiseF16Test : public DepthwiseFloatTest<Half> {};
class DepthwiseI8Test : public DepthwiseIntegerTest<int8_t> {
 protected:
  DepthwiseI8Test() { reference = &depthwise_i8_variants().back().run; }
};
class DepthwiseU8Test : public DepthwiseIntegerTest<uint8_t> {
 protected:
  DepthwiseU8Test() { reference = &depthwise_u8_variants().back().run; }
};

#define HONE_DEPTHWISE_TESTS(Fixture, variants)                                             \
  INSTANTIATE_TEST_SUITE_P(Variants, Fixture, testing::ValuesIn(variants()), kVariantName); \
  TEST_P(Fixture, ComputesEveryTileSize) {                                                  \
    every_tile_size();                                                                      \
  }                                                                                         \
  TEST_P(Fixture, ComputesEveryChannelCount) {                                              \
    every_channel_count();                                                                  \
  }                                                                                         \
  TEST_P(Fixture, ComputesRandomShapes) {                                                   \
    random_shapes();                                                                        \
  }
HONE_DEPTHWISE_TESTS(DepthwiseF32Test, depthwise_f32_variants)
HONE_DEPTHWISE_TESTS(DepthwiseF16Test, depthwise_f16_variants)
HONE_DEPTHWISE_TESTS(DepthwiseI8Test, depthwise_i8_variants)
HONE_DEPTHWISE_TESTS(DepthwiseU8Test, depthwise_u8_variants)

TEST_P(DepthwiseF32Test, ComputesLargeShapes) {
  large_shapes();
}
TEST_P(DepthwiseF16Test, ComputesLargeShapes) {
  large_shapes();
}
TEST_P(DepthwiseF32Test, ActivatesWhatItWrites) {
  activates(best_variant(activate_f32_variants()).run);
}
TEST_P(DepthwiseF16Test, ActivatesWhatItWrites) {
  activates(best_variant(activate_f16_variants()).run);
}
TEST_P(DepthwiseF32Test, InfiniteInputReachesOnlyItsOutputs) {
  infinite_input_stays_where_it_is();
}
TEST_P(DepthwiseF32Test, NansReachWhatReadsThem) {
  nans_reach_what_reads_them();
}
TEST_P(DepthwiseF16Test, InfiniteInputReachesOnlyItsOutputs) {
  infinite_input_stays_where_it_is();
}
TEST_P(DepthwiseF16Test, NansReachWhatReadsThem) {
  nans_reach_what_reads_them();
}
TEST_P(DepthwiseI8Test, ScalesByEveryShift) {
  every_shift();
}
TEST_P(DepthwiseU8Test, ScalesByEveryShift) {
  every_shift();
}
TEST_P(DepthwiseI8Test, AddsSetsOfWeights) {
  several_copies();
}
TEST_P(DepthwiseU8Test, AddsSetsOfWeights) {
  several_copies();
}
TEST_P(DepthwiseI8Test, ComputesExtremes) {
  extremes();
}
TEST_P(DepthwiseU8Test, ComputesExtremes) {
  extremes();
}

}  // namespace
}  // namespace hone
