#include "hone/validate/pictures/resize.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

// One channel's values as a picture whose green and blue are the same plus 1 and plus 2.
Picture picture_of(int64_t height, int64_t width, const std::vector<uint8_t>& values) {
  Picture picture{height, width, {}};
  for (const uint8_t value : values) {
    for (int c = 0; c < 3; ++c) picture.rgb.push_back(static_cast<uint8_t>(value + c));
  }
  return picture;
}

void expect_red(const Pixels& pixels, const std::vector<float>& wanted) {
  ASSERT_EQ(pixels.rgb.size(), 3 * wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    for (size_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(pixels.rgb[3 * i + c], wanted[i] + static_cast<float>(c), 1e-4) << i << " " << c;
    }
  }
}

TEST(Resize, SameExtentsKeepEveryPixel) {
  expect_red(resized(picture_of(2, 2, {1, 2, 3, 4}), 2, 2, true), {1, 2, 3, 4});
}

// Output centres lie at 0.25, 0.75, 1.25 and 1.75 of inputs whose centres are at 0.5 and 1.5.
TEST(Resize, TwiceAsWideIsAQuarterOfTheWayBetweenCentres) {
  expect_red(resized(picture_of(1, 2, {0, 100}), 1, 4, true), {0, 25, 75, 100});
  expect_red(resized(picture_of(2, 1, {0, 100}), 4, 1, true), {0, 25, 75, 100});
}

TEST(Resize, BothAxesMultiply) {
  expect_red(resized(picture_of(2, 2, {0, 100, 200, 40}), 4, 4, true),
             {0, 25, 75, 100,            //
              50, 58.75F, 76.25F, 85,    //
              150, 126.25F, 78.75F, 55,  //
              200, 160, 80, 40});
}

// Half as wide: the triangle around 1.0 of inputs at 0.5, 1.5 and 2.5 reaches 2 to each side: weights
// 0.75, 0.75 and 0.25 over their sum of 1.75; with what lies beyond the edge left out.
TEST(Resize, ShrinkingTakesEveryPixelInWithAntialiasing) {
  const Picture picture = picture_of(1, 4, {0, 70, 140, 210});
  expect_red(resized(picture, 1, 2, true), {(70 * 0.75F + 140 * 0.25F) / 1.75F,
                                            (70 * 0.25F + 140 * 0.75F + 210 * 0.75F) / 1.75F});
}

// Without, the two nearest alone: of 8 pixels those at 1.5 and 2.5 around 2, and at 5.5 and 6.5.
TEST(Resize, ShrinkingSkipsPixelsWithoutAntialiasing) {
  const Picture picture = picture_of(1, 8, {9, 10, 30, 9, 9, 50, 90, 9});
  expect_red(resized(picture, 1, 2, false), {20, 70});
}

TEST(Resize, CropTakesTheMiddleAndLeavesAnOddPixelBehindIt) {
  const Pixels pixels =
      resized(picture_of(3, 4, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}), 3, 4, true);
  expect_red(cropped(pixels, 1, 2), {5, 6});
  expect_red(cropped(pixels, 2, 3), {0, 1, 2, 4, 5, 6});
}

}  // namespace
}  // namespace hone
