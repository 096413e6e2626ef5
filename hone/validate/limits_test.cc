#include "hone/validate/limits.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(Limits, AreReadWithTheirUnits) {
  EXPECT_DOUBLE_EQ(*parse_seconds("5ms"), 5e-3);
  EXPECT_DOUBLE_EQ(*parse_seconds("1.5 us"), 1.5e-6);
  EXPECT_DOUBLE_EQ(*parse_bytes("200KB"), 200e3);
  EXPECT_DOUBLE_EQ(*parse_bytes("1MiB"), 1048576);
  EXPECT_EQ(parse_size("1e30GB").error().message,
            "'1e30GB' is no limit, expected less than 1e9 GB");
  EXPECT_DOUBLE_EQ(*parse_joules("5mJ"), 5e-3);
  EXPECT_DOUBLE_EQ(*parse_part("5%"), 0.05);
  EXPECT_DOUBLE_EQ(*parse_part("0.05"), 0.05);
}

TEST(Limits, OfDropsAreRelativeOrAbsolute) {
  EXPECT_TRUE(parse_drop("1%")->relative);
  EXPECT_DOUBLE_EQ(parse_drop("1%")->value, 0.01);
  EXPECT_FALSE(parse_drop("0.5pt")->relative);
  EXPECT_DOUBLE_EQ(parse_drop("0.5pt")->value, 0.005);
  EXPECT_FALSE(parse_drop("0.01")->relative);
  EXPECT_DOUBLE_EQ(parse_drop("0.01")->value, 0.01);
}

// One who writes 1 may mean 1 %.
TEST(Limits, OfDropsThatNothingFailsAreRefused) {
  const auto check = [](const char* text, double reference, bool more = true) {
    const Status status = check_can_fail(*parse_drop(text), "top1", reference, more);
    return status.ok() ? "" : status.error().message;
  };
  EXPECT_EQ(
      check("1", 0.9),
      "'1' lets top1 fall from 0.9000 to nothing; 1% is a part of that, 1pt percentage points");
  EXPECT_EQ(check("101%", 0.9),
            "'101%' lets top1 fall from 0.9000 to nothing, expected less than 100%");
  EXPECT_EQ(check("100pt", 0.9), "'100pt' lets top1 fall from 0.9000 to nothing, expected less");
  EXPECT_NE(check("100%", 30), "") << "decibels";
  for (const char* text : {"1%", "99.9%", "1pt", "0.5"}) EXPECT_EQ(check(text, 0.9), "") << text;
  EXPECT_EQ(check("1", 30), "") << "decibels";
  EXPECT_EQ(check("100%", -5), "") << "there is no nothing below 0 dB";
  for (const char* text : {"1", "300%"}) {
    EXPECT_EQ(check(text, 0.9, false), "") << "errors may grow: " << text;
  }
}

TEST(Limits, ThatAreNoneAreRefusedWithAnExample) {
  EXPECT_EQ(parse_seconds("5").error().message,
            "'5' is no limit, expected a number and one of s, ms, us, ns, such as 5ms");
  for (const char* text : {"", "ms", "-1ms", "nanms", "5 m s", "5kb", "1e999ms"}) {
    EXPECT_FALSE(parse_seconds(text).ok()) << text;
    EXPECT_FALSE(parse_bytes(text).ok()) << text;
  }
  for (const char* text : {"", "%", "-1%", "1pp", "1%%"}) {
    EXPECT_FALSE(parse_drop(text).ok()) << text;
    EXPECT_FALSE(parse_part(text).ok()) << text;
  }
}

}  // namespace
}  // namespace hone
