#include <gtest/gtest.h>

#include "hone/profile/profile_program.h"

namespace hone {
namespace {

StepProfile step(Arithmetic precision, int64_t macs) {
  StepProfile step;
  step.kind.precision = precision;
  step.macs = macs;
  return step;
}

TEST(PrecisionLabel, IsThatOfTheProducts) {
  EXPECT_EQ(precision_label({}, "fp32"), "fp32");
  EXPECT_EQ(precision_label({step(Arithmetic::Fp32, 10), step(Arithmetic::Int8, 0)}, "fp16"),
            "fp16");
  EXPECT_EQ(precision_label({step(Arithmetic::Int8, 10), step(Arithmetic::Fp32, 0)}, "fp32"),
            "int8");
  EXPECT_EQ(precision_label({step(Arithmetic::Fp32, 1), step(Arithmetic::Int8, 10)}, "fp32"),
            "int8 + fp32");
  EXPECT_EQ(precision_label({step(Arithmetic::Int8, 1), step(Arithmetic::Int16, 1)}, "fp32"),
            "int16 + int8");
}

}  // namespace
}  // namespace hone
