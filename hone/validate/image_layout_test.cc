#include "hone/validate/image_layout.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(LayoutChange, MovesTheChannelsOfImagesOfAnyRank) {
  EXPECT_EQ(layout_change({1, 3, 8, 9}, {1, 8, 9, 3}), (Ints{0, 2, 3, 1}));
  EXPECT_EQ(layout_change({1, 8, 9, 3}, {1, 3, 8, 9}), (Ints{0, 3, 1, 2}));
  EXPECT_EQ(layout_change({2, 5, 7}, {2, 7, 5}), (Ints{0, 2, 1}));
  EXPECT_EQ(layout_change({1, 2, 3, 4, 5}, {1, 3, 4, 5, 2}), (Ints{0, 2, 3, 4, 1}));
  EXPECT_FALSE(layout_change({1, 3, 8, 9}, {1, 9, 8, 3}));
  EXPECT_FALSE(layout_change({3, 8}, {8, 3}));
  EXPECT_FALSE(layout_change({1, 3, 8}, {1, 3, 8, 1}));
}

TEST(Arranged, ReshapesOrTurns) {
  const Tensor image = Tensor::of<float>({1, 2, 3, 1}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(to_doubles(*arranged(image, {2, 3})), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(to_doubles(*arranged(image, {1, 3, 1, 2})), (std::vector<double>{1, 4, 2, 5, 3, 6}));
  EXPECT_FALSE(arranged(image, {1, 6}));
}

TEST(Arranged, TakesTheLayoutThatIsPreferredWhereBothFit) {
  const Tensor square = Tensor::of<float>({1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(to_doubles(*arranged(square, {1, 2, 2, 2}))[1], 2);
  EXPECT_EQ(to_doubles(*arranged(square, {1, 2, 2, 2}, true))[1], 5);
}

}  // namespace
}  // namespace hone
