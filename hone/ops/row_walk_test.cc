#include "hone/ops/row_walk.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

std::vector<int64_t> visited(const Shape& shape, const std::vector<int64_t>& strides) {
  std::vector<int64_t> places;
  for (RowWalk walk(shape, {strides}); !walk.done(); walk.next()) {
    for (int64_t i = 0; i < walk.n(); ++i) places.push_back(walk.at(0, i));
  }
  return places;
}

TEST(RowWalk, VisitsTheElementsOfATransposedMatrixInOrder) {
  EXPECT_EQ(visited({3, 2}, {1, 3}), (std::vector<int64_t>{0, 3, 1, 4, 2, 5}));
}

TEST(RowWalk, MergesWhatIsContiguousIntoOneRow) {
  const RowWalk walk(Shape{2, 1, 3, 4}, {{12, 99, 4, 1}});
  EXPECT_EQ(walk.n(), 24);
  EXPECT_EQ(walk.step(0), 1);
}

TEST(RowWalk, KeepsAxesApartWhereOneOperandIsBroadcast) {
  const RowWalk walk(Shape{2, 3}, {{3, 1}, {0, 1}});
  EXPECT_EQ(walk.n(), 3);
}

TEST(RowWalk, WalksBackwards) {
  EXPECT_EQ(visited({3}, {-1}), (std::vector<int64_t>{0, -1, -2}));
}

TEST(RowWalk, VisitsAScalarOnceAndAnEmptyShapeNever) {
  EXPECT_EQ(visited({}, {}), (std::vector<int64_t>{0}));
  EXPECT_TRUE(visited({int64_t{1} << 36, 0}, {0, 1}).empty());
}

}  // namespace
}  // namespace hone
