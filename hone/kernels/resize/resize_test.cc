#include "hone/kernels/resize/resize.h"

#include <gtest/gtest.h>

#include <cstring>

#include "hone/kernels/kernel_testing.h"

namespace hone {
namespace {

std::vector<ResizeTap> random_taps(size_t in, size_t out, std::mt19937& rng) {
  std::vector<ResizeTap> taps;
  for (size_t i = 0; i < out; ++i) {
    taps.push_back({static_cast<uint32_t>(rng() % in), static_cast<uint32_t>(rng() % in),
                    static_cast<float>(rng() % 5) / 4});
  }
  return taps;
}

// To the bit: behind them results may be quantized.
template <class T>
void check(ResizeBilinear<T> kernel, ResizeBilinear<T> reference) {
  std::mt19937 rng(1);
  for (size_t channels = 1; channels <= 40; ++channels) {
    const size_t images = 1 + rng() % 2, height = 1 + rng() % 6, width = 1 + rng() % 6;
    const auto rows = random_taps(height, 1 + rng() % 9, rng);
    const auto columns = random_taps(width, 1 + rng() % 9, rng);
    const auto x = random_values<T>(images * height * width * channels, -3, 3, rng);
    std::vector<T> expected(images * rows.size() * columns.size() * channels);
    std::vector<T> actual(expected.size());
    ResizeArgs<T> args{channels, height, width, rows, columns, x.data(), expected.data()};
    const size_t total = images * rows.size();
    reference(args, 0, total);
    args.y = actual.data();
    kernel(args, 0, total / 2);
    kernel(args, total / 2, total);
    ASSERT_EQ(std::memcmp(actual.data(), expected.data(), expected.size() * sizeof(T)), 0)
        << "channels " << channels;
  }
}

HONE_VARIANT_TEST(ResizeF32Test, ResizeBilinear<float>, resize_bilinear_f32_variants);
HONE_VARIANT_TEST(ResizeF16Test, ResizeBilinear<Half>, resize_bilinear_f16_variants);

TEST_P(ResizeF32Test, EveryNumberOfChannels) {
  check(GetParam().run, resize_bilinear_f32_variants().back().run);
}
TEST_P(ResizeF16Test, EveryNumberOfChannels) {
  check(GetParam().run, resize_bilinear_f16_variants().back().run);
}

TEST(ResizeNearest, TakesTheLowTap) {
  const std::vector<ResizeTap> rows{{1, 0, 0}, {0, 0, 0}}, columns{{0, 0, 0}, {1, 0, 0}, {1, 0, 0}};
  const uint16_t x[2][2][2] = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
  uint16_t y[2][3][2] = {};
  const ResizeArgs<std::byte> args{4,
                                   2,
                                   2,
                                   rows,
                                   columns,
                                   reinterpret_cast<const std::byte*>(x),
                                   reinterpret_cast<std::byte*>(y)};
  resize_nearest(args, 0, 1);
  resize_nearest(args, 1, 2);
  const uint16_t expected[2][3][2] = {{{5, 6}, {7, 8}, {7, 8}}, {{1, 2}, {3, 4}, {3, 4}}};
  EXPECT_EQ(std::memcmp(y, expected, sizeof(y)), 0);

  uint16_t apart[2][3][3] = {};
  ResizeArgs<std::byte> args_apart = args;
  args_apart.y = reinterpret_cast<std::byte*>(apart);
  args_apart.y_stride = sizeof(apart[0][0]);
  resize_nearest(args_apart, 0, 1);
  resize_nearest(args_apart, 1, 2);
  const uint16_t expected_apart[2][3][3] = {{{5, 6}, {7, 8}, {7, 8}}, {{1, 2}, {3, 4}, {3, 4}}};
  EXPECT_EQ(std::memcmp(apart, expected_apart, sizeof(apart)), 0);
}

}  // namespace
}  // namespace hone
