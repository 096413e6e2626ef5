#include "hone/targets/cpu/window.h"

#include <gtest/gtest.h>

#include <numeric>

namespace hone::cpu {
namespace {

struct WindowCase {
  int64_t in_h, in_w, kernel_h, kernel_w, stride, dilation, pad, channels, groups;
};

WindowAxis axis_of(int64_t in, int64_t kernel, const WindowCase& c) {
  WindowAxis axis{.in = in,
                  .kernel = kernel,
                  .stride = c.stride,
                  .dilation = c.dilation,
                  .pad_begin = c.pad,
                  .pad_end = c.pad};
  axis.out = (in + 2 * c.pad - axis.reach()) / c.stride + 1;
  return axis;
}

ConvGeometry geometry_of(const WindowCase& c) {
  ConvGeometry conv;
  conv.batch = 2;
  conv.in_channels = c.channels;
  conv.groups = c.groups;
  conv.nhwc = true;
  conv.window.rank = 2;
  conv.window.axes[1] = axis_of(c.in_h, c.kernel_h, c);
  conv.window.axes[2] = axis_of(c.in_w, c.kernel_w, c);
  return conv;
}

constexpr int kPadding = -77;

// All that lies under an output pixel, tap by tap.
template <class T>
std::vector<T> expected_row(const ConvGeometry& conv, const std::vector<T>& x, int64_t group,
                            int64_t pixel) {
  const WindowAxis& height = conv.window.axes[1];
  const WindowAxis& width = conv.window.axes[2];
  const int64_t depth = conv.in_channels / conv.groups;
  const int64_t image = pixel / (height.out * width.out);
  std::vector<T> row;
  for (int64_t ky = 0; ky < height.kernel; ++ky) {
    for (int64_t kx = 0; kx < width.kernel; ++kx) {
      const int64_t down = height.source(pixel / width.out % height.out, ky);
      const int64_t right = width.source(pixel % width.out, kx);
      const bool inside = down >= 0 && down < height.in && right >= 0 && right < width.in;
      const int64_t start = ((image * height.in + down) * width.in + right) * conv.in_channels;
      for (int64_t c = 0; c < depth; ++c) {
        row.push_back(inside ? x[static_cast<size_t>(start + group * depth + c)] : T{kPadding});
      }
    }
  }
  return row;
}

template <class T>
std::vector<T> row_at(const T* const* pointers, size_t taps, size_t depth) {
  std::vector<T> row;
  for (size_t t = 0; t < taps; ++t) row.insert(row.end(), pointers[t], pointers[t] + depth);
  return row;
}

template <class T>
std::vector<T> stepped_row_at(const T* first, size_t taps, size_t step, size_t depth) {
  std::vector<T> row;
  for (size_t t = 0; t < taps; ++t) {
    row.insert(row.end(), first + t * step, first + t * step + depth);
  }
  return row;
}

template <class T>
void expect_steps(const WindowCase& c) {
  ConvGeometry conv = geometry_of(c);
  conv.batch = 1;
  std::vector<T> x(static_cast<size_t>(c.in_h * c.in_w * c.channels));
  std::iota(x.begin(), x.end(), T{0});
  const TapRows<T> rows(WindowRows(conv), static_cast<size_t>(c.channels), T{kPadding}, 1, true);
  ASSERT_GT(rows.tap_step(), 0u);
  ASSERT_EQ(rows.pointers_per_row(), 1u);
  for (const size_t blocks : {1u, 3u}) {
    const size_t block = (rows.rows() + blocks - 1) / blocks;
    std::vector<uint64_t> memory((rows.memory_bytes(block) + 7) / 8);
    for (size_t first = 0; first < rows.rows(); first += block) {
      const size_t count = std::min(block, rows.rows() - first);
      const T* const* pointers =
          rows.fill(x.data(), first, count, reinterpret_cast<std::byte*>(memory.data()));
      for (size_t i = 0; i < count; ++i) {
        EXPECT_EQ(stepped_row_at(pointers[i], rows.taps(), rows.tap_step(), rows.depth()),
                  expected_row(conv, x, 0, static_cast<int64_t>(first + i)))
            << "pixel " << first + i;
      }
    }
  }
}

TEST(TapRows, LieAtEqualStepsWhereTheyMay) {
  for (const WindowCase& c : {WindowCase{12, 5, 10, 4, 2, 1, 1, 1, 1},
                              {49, 10, 10, 4, 2, 1, 1, 1, 1},
                              {25, 10, 10, 4, 2, 1, 4, 1, 1},
                              {9, 6, 3, 2, 3, 1, 2, 2, 1},
                              {28, 28, 3, 3, 1, 1, 1, 1, 1},
                              {5, 7, 3, 3, 1, 1, 2, 1, 1}}) {
    SCOPED_TRACE(testing::Message() << c.in_h << "x" << c.in_w << "x" << c.channels << " kernel "
                                    << c.kernel_h << "x" << c.kernel_w);
    expect_steps<float>(c);
  }
  // Of several images each would need a copy of its own.
  const TapRows<float> two(WindowRows(geometry_of({49, 10, 10, 4, 2, 1, 1, 1, 1})), 1, 0, 1, true);
  EXPECT_EQ(two.tap_step(), 0u);
}

template <class T>
void expect_rows(const WindowCase& c, size_t copies) {
  const ConvGeometry conv = geometry_of(c);
  std::vector<T> x(static_cast<size_t>(conv.batch * c.in_h * c.in_w * c.channels));
  std::iota(x.begin(), x.end(), T{0});
  const auto depth = static_cast<size_t>(c.channels / c.groups);
  const TapRows<T> rows(WindowRows(conv), depth, T{kPadding}, copies);
  // Blocks that begin and end within a row of the image.
  const size_t block = rows.rows() / 3 + 1;
  std::vector<uint64_t> memory((rows.memory_bytes(block) + 7) / 8);
  for (int64_t group = 0; group < c.groups; ++group) {
    for (size_t first = 0; first < rows.rows(); first += block) {
      const size_t count = std::min(block, rows.rows() - first);
      const T* const* pointers = rows.fill(x.data() + static_cast<size_t>(group) * depth, first,
                                           count, reinterpret_cast<std::byte*>(memory.data()));
      for (size_t i = 0; i < count * copies; ++i) {
        const size_t taps = rows.taps() / copies;
        EXPECT_EQ(row_at(pointers + i * taps, taps, rows.depth()),
                  expected_row(conv, x, group, static_cast<int64_t>(first + i / copies)))
            << "pixel " << first + i / copies;
      }
    }
  }
}

TEST(TapRows, AreWhatLiesUnderTheTaps) {
  constexpr WindowCase kCases[] = {
      // Rows of the kernel are read where they lie, but for the edges.
      {9, 11, 3, 3, 1, 1, 1, 3, 1},
      {13, 12, 6, 6, 2, 1, 2, 3, 1},
      {12, 5, 10, 4, 2, 1, 1, 1, 1},
      {1, 20, 1, 5, 1, 1, 2, 2, 1},
      {7, 7, 7, 7, 2, 1, 3, 4, 1},
      {5, 30, 3, 3, 1, 1, 1, 40, 1},
      {8, 8, 2, 2, 2, 1, 0, 3, 1},
      {25, 10, 10, 4, 2, 1, 1, 1, 1},
      {9, 6, 3, 2, 3, 1, 2, 3, 1},
      {6, 9, 5, 7, 1, 1, 3, 1, 1},
      // Nowhere inside: wider than the image.
      {3, 3, 5, 5, 1, 1, 2, 3, 1},
      // Gathered: not side by side, or not all channels.
      {11, 9, 3, 3, 1, 2, 2, 3, 1},
      {9, 8, 3, 3, 1, 1, 1, 6, 2},
      {9, 3, 4, 1, 1, 1, 0, 3, 1},
      // Long taps.
      {6, 7, 3, 3, 1, 1, 1, 40, 1},
      {5, 6, 1, 1, 1, 1, 0, 3, 1},
  };
  for (const WindowCase& c : kCases) {
    for (const size_t copies : {1u, 2u}) {
      SCOPED_TRACE(testing::Message() << c.in_h << "x" << c.in_w << "x" << c.channels << " kernel "
                                      << c.kernel_h << "x" << c.kernel_w << " copies " << copies);
      expect_rows<int8_t>(c, copies);
      expect_rows<float>(c, copies);
    }
  }
}

TEST(TapRows, JoinRowsOfTheKernelOfFewChannels) {
  const TapRows<float> first_layer(WindowRows(geometry_of({9, 11, 3, 5, 1, 1, 1, 3, 1})), 3, 0);
  EXPECT_EQ(first_layer.taps(), 3u);
  EXPECT_EQ(first_layer.depth(), 15u);
  const TapRows<float> dilated(WindowRows(geometry_of({9, 11, 3, 3, 1, 2, 1, 3, 1})), 3, 0);
  EXPECT_EQ(dilated.taps(), 1u);
  EXPECT_EQ(dilated.depth(), 27u);
  // Copied as fast as pointed to.
  const TapRows<float> sound(WindowRows(geometry_of({49, 10, 10, 4, 2, 1, 1, 1, 1})), 1, 0);
  EXPECT_EQ(sound.taps(), 1u);
  EXPECT_EQ(sound.depth(), 40u);
}

}  // namespace
}  // namespace hone::cpu
