#include "hone/kernels/pool/pool.h"

#include <gtest/gtest.h>

#include <limits>
#include <type_traits>

#include "hone/kernels/kernel_testing.h"

namespace hone {
namespace {

template <class T>
constexpr bool kInteger = std::is_integral_v<T>;

template <class T>
std::vector<T> random_image(size_t n, std::mt19937& rng) {
  if constexpr (kInteger<T>) {
    return random_integers<T>(n, rng);
  } else {
    return random_values<T>(n, -4, 4, rng);
  }
}

size_t out_extent(const PoolAxis& axis) {
  const size_t window = (axis.kernel - 1) * axis.dilation + 1;
  return (axis.in + axis.pad_begin + axis.pad_end - window) / axis.stride + 1;
}

PoolAxis random_axis(std::mt19937& rng) {
  PoolAxis axis;
  axis.kernel = 1 + rng() % 4;
  axis.stride = 1 + rng() % 3;
  axis.dilation = 1 + rng() % 2;
  axis.pad_begin = rng() % 3;
  axis.pad_end = rng() % 3;
  axis.in = (axis.kernel - 1) * axis.dilation + 1 + rng() % 7;
  axis.out = out_extent(axis) + rng() % 2;  // One window beyond the padding, as with ceil mode.
  return axis;
}

template <class T>
void check(Pool<T> kernel, Pool<T> reference, PoolArgs<T> args, size_t images, std::mt19937& rng) {
  std::vector<T> x = random_image<T>(images * args.height.in * args.width.in * args.channels, rng);
  if constexpr (!kInteger<T>) {
    if (rng() % 3 == 0) plant_nans(x, rng);
  }
  const size_t rows = images * args.height.out;
  std::vector<T> expected(rows * args.width.out * args.channels), actual(expected.size());
  args.x = x.data();
  args.y = expected.data();
  reference(args, 0, rows);
  args.y = actual.data();
  const size_t middle = rows / 3;
  kernel(args, 0, middle);
  kernel(args, middle, rows);
  const auto taps = static_cast<float>(args.height.kernel * args.width.kernel);
  const float relative = kInteger<T> ? 0 : sizeof(T) == 2 ? 0x1p-10f : 0;
  const float absolute = kInteger<T> || !args.average ? 0 : 4 * taps * 0x1p-24f;
  for (size_t i = 0; i < expected.size(); ++i) {
    const auto a = static_cast<float>(actual[i]), e = static_cast<float>(expected[i]);
    ASSERT_TRUE(close(a, e, args.average ? relative : 0, absolute))
        << "element " << i << ": " << a << ", expected " << e << ", average " << args.average
        << ", channels " << args.channels;
  }
}

template <class T>
PoolArgs<T> args_of(bool average) {
  PoolArgs<T> args{};
  args.average = average;
  args.low = kInteger<T> ? static_cast<float>(std::numeric_limits<T>::min()) : -100.0f;
  args.high = kInteger<T> ? static_cast<float>(std::numeric_limits<T>::max()) : 100.0f;
  return args;
}

template <class T>
void check_windows(Pool<T> kernel) {
  const Pool<T> reference = pool_variants<T>().back().run;
  std::mt19937 rng(1);
  for (size_t channels = 1; channels <= 75; ++channels) {
    for (const bool average : {false, true}) {
      for (int i = 0; i < 3; ++i) {
        PoolArgs<T> args = args_of<T>(average);
        args.channels = channels;
        args.height = random_axis(rng);
        args.width = random_axis(rng);
        args.count_pad = average && rng() % 2 == 0;
        if constexpr (kInteger<T>) args.zero = static_cast<T>(rng());
        if (rng() % 2 == 0) args.low = 0, args.high = 3;
        check(kernel, reference, args, 1 + rng() % 2, rng);
      }
    }
  }
}

// Rows that are long enough for vectors of neighbours.
template <class T>
void check_few_channels(Pool<T> kernel) {
  std::mt19937 rng(3);
  for (int i = 0; i < 200; ++i) {
    PoolArgs<T> args = args_of<T>(rng() % 2 == 0);
    args.channels = 1 + rng() % 5;
    args.height = random_axis(rng);
    args.width = random_axis(rng);
    args.width.stride = 1 + rng() % 5;
    args.width.in += rng() % 400;
    args.width.out = out_extent(args.width) + rng() % 2;
    args.count_pad = args.average && rng() % 2 == 0;
    if constexpr (kInteger<T>) args.zero = static_cast<T>(rng());
    if (rng() % 2 == 0) args.low = 0, args.high = 3;
    check(kernel, pool_variants<T>().back().run, args, 1 + rng() % 2, rng);
  }
}

template <class T>
void check_global(Pool<T> kernel) {
  std::mt19937 rng(2);
  for (const size_t extent : {size_t{7}, size_t{13}, size_t{40}, size_t{280}}) {
    PoolArgs<T> args = args_of<T>(true);
    args.height.in = args.height.kernel = args.width.in = args.width.kernel = extent;
    args.channels = 19;
    check(kernel, pool_variants<T>().back().run, args, 1, rng);
  }
}

HONE_VARIANT_TEST(PoolF32Test, Pool<float>, pool_variants<float>);
HONE_VARIANT_TEST(PoolF16Test, Pool<Half>, pool_variants<Half>);
HONE_VARIANT_TEST(PoolI8Test, Pool<int8_t>, pool_variants<int8_t>);
HONE_VARIANT_TEST(PoolU8Test, Pool<uint8_t>, pool_variants<uint8_t>);

TEST_P(PoolF32Test, Windows) {
  check_windows(GetParam().run);
}
TEST_P(PoolF16Test, Windows) {
  check_windows(GetParam().run);
}
TEST_P(PoolI8Test, Windows) {
  check_windows(GetParam().run);
}
TEST_P(PoolU8Test, Windows) {
  check_windows(GetParam().run);
}
TEST_P(PoolF32Test, FewChannels) {
  check_few_channels(GetParam().run);
}
TEST_P(PoolF32Test, Global) {
  check_global(GetParam().run);
}
TEST_P(PoolF16Test, FewChannels) {
  check_few_channels(GetParam().run);
}
TEST_P(PoolF16Test, Global) {
  check_global(GetParam().run);
}
TEST_P(PoolI8Test, FewChannels) {
  check_few_channels(GetParam().run);
}
TEST_P(PoolI8Test, Global) {
  check_global(GetParam().run);
}
TEST_P(PoolU8Test, FewChannels) {
  check_few_channels(GetParam().run);
}
TEST_P(PoolU8Test, Global) {
  check_global(GetParam().run);
}

}  // namespace
}  // namespace hone
