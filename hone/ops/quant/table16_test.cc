#include "hone/ops/quant/table16.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

// Entries of the table that TFLite and CMSIS-NN publish; those where it differs from a rounded
// sigmoid are the interesting ones.
TEST(Table16, SigmoidIsThePublishedTable) {
  const auto& table = sigmoid_table();
  EXPECT_EQ(table[0], 32768);
  EXPECT_EQ(table[1], 33451);
  EXPECT_EQ(table[4], 35493);
  EXPECT_EQ(table[33], 52311);
  EXPECT_EQ(table[135], 65301);
  EXPECT_EQ(table[254], 65534);
  EXPECT_EQ(table[255], 65535);
}

TEST(Table16, InterpolatesBetweenItsPieces) {
  const Table16 identity =
      make_table16([](float x) { return x; }, {1.0f / 32768, 0}, {1.0f / 32768, 0});
  for (int x = -32768; x < 32768; x += 77) {
    EXPECT_NEAR(lookup16(identity, static_cast<int16_t>(x)), x, 1);
  }
}

}  // namespace
}  // namespace hone
