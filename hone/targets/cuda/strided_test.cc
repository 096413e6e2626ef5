#include "hone/targets/cuda/strided.h"

#include <gtest/gtest.h>

#include "hone/cuda/compiler.h"

namespace hone::cuda {
namespace {

TEST(Strided, MergesExtentsThatLieSideBySide) {
  // A row of channels for each pixel, and one for all of them.
  const StridedView view = merged({{1, 7, 7, 16}, {{784, 112, 16, 1}, {0, 0, 0, 1}}});
  EXPECT_EQ(view.extents, (Ints{49, 16}));
  EXPECT_EQ(view.strides[0], (Ints{16, 1}));
  EXPECT_EQ(view.strides[1], (Ints{0, 1}));
}

TEST(Strided, LeavesOneExtentOfOneElement) {
  const StridedView view = merged({{1, 1}, {{1, 1}}});
  EXPECT_EQ(view.extents, (Ints{1}));
}

TEST(Strided, BroadcastsFromTheRight) {
  EXPECT_EQ(broadcast_strides({16}, {2, 3, 16}), (Ints{0, 0, 1}));
  EXPECT_EQ(broadcast_strides({3, 1}, {2, 3, 16}), (Ints{0, 1, 0}));
}

TEST(Strided, TakesNoMoreAtOnceThanAllOperandsHaveInOnePiece) {
  EXPECT_EQ(pack_of_view({{4, 16}, {{16, 1}, {0, 1}}}, {}, 8), 8);
  EXPECT_EQ(pack_of_view({{4, 12}, {{12, 1}}}, {}, 8), 4);
  EXPECT_EQ(pack_of_view({{4, 16}, {{1, 4}}}, {}, 8), 1);
  const int64_t odd[] = {2};
  EXPECT_EQ(pack_of_view({{4, 16}, {{16, 1}}}, odd, 8), 2);
}

TEST(Strided, WritesKernelsThatCompile) {
  if (const Status here = find_compiler(); !here.ok()) GTEST_SKIP() << here.error().message;
  for (const size_t bytes : {1, 2, 4, 8}) {
    const Launch launch = copy_launch(
        {.extents = {2, 3, 5, 7}, .x_strides = {105, 35, 7, 1}, .y_strides = {105, 1, 21, 3}},
        bytes, 0, 1);
    const auto code = compile_source("copy", launch.kernel.text, "sm_75");
    EXPECT_TRUE(code.ok()) << code.error().message;
  }
}

}  // namespace
}  // namespace hone::cuda
