#include "hone/base/percent.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(Percent, HasAUnitAndASign) {
  EXPECT_EQ(percent(0.125), "12.5 %");
  EXPECT_EQ(percent(0.05263, 2), "5.26 %");
  EXPECT_EQ(signed_percent(0.5), "+50.0 %");
  EXPECT_EQ(signed_percent(-0.5), "-50.0 %");
  EXPECT_EQ(signed_percent(0), "0.0 %");
  EXPECT_EQ(signed_percent_figure(0.125), "+12.5");
}

}  // namespace
}  // namespace hone
