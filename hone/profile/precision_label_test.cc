#include <gtest/gtest.h>

#include "hone/profile/profile_program.h"

namespace hone {
namespace {

StepProfile step(const char* precision, int64_t macs) {
  StepProfile step;
  step.precision = precision;
  step.macs = macs;
  return step;
}

TEST(PrecisionLabel, IsThatOfTheProducts) {
  EXPECT_EQ(precision_label({}, "fp32"), "fp32");
  EXPECT_EQ(precision_label({step("fp32", 10), step("int8", 0)}, "fp16"), "fp16");
  EXPECT_EQ(precision_label({step("int8", 10), step("fp32", 0)}, "fp32"), "int8");
  EXPECT_EQ(precision_label({step("fp32", 1), step("int8", 10)}, "fp32"), "int8 + fp32");
  EXPECT_EQ(precision_label({step("int8", 1), step("int16", 1)}, "fp32"), "int16 + int8");
}

}  // namespace
}  // namespace hone
