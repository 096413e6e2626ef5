#include "hone/kernels/gemm_i8/wide_weights.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(WideWeights, AddUpToEveryWeightOfTheUint8Scheme) {
  std::vector<int16_t> weights;
  for (int w = -255; w <= 255; ++w) weights.push_back(static_cast<int16_t>(w));
  constexpr size_t kDepth = 7;  // 511 is 73 columns of 7.
  const size_t copies = weight_copies(weights);
  EXPECT_EQ(copies, 3u);
  const std::vector<int8_t> split = split_weights(weights, kDepth, copies);
  for (size_t i = 0; i < weights.size(); ++i) {
    int sum = 0;
    for (size_t copy = 0; copy < copies; ++copy) {
      sum += split[(i / kDepth * copies + copy) * kDepth + i % kDepth];
    }
    EXPECT_EQ(sum, weights[i]);
  }
}

TEST(WideWeights, TakeAsFewSetsAsHoldThem) {
  EXPECT_EQ(weight_copies({}), 1u);
  EXPECT_EQ(weight_copies({-128, 127}), 1u);
  EXPECT_EQ(weight_copies({0, 128}), 2u);
  EXPECT_EQ(weight_copies({-255, 254}), 2u);
  EXPECT_EQ(weight_copies({0, 255}), 3u);
}

}  // namespace
}  // namespace hone
