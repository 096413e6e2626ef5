#include "hone/stream/day.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

std::string day_error(const std::string& text) {
  const auto day = parse_day(text, "day.toml");
  return day.ok() ? "ok" : day.error().message;
}

TEST(Day, ReadsNumbersAndTables) {
  const auto day = parse_day(
      "silence = 0.25\nfalse_accepts_per_hour = { value = 2, low = 1, high = 4 }\nbattery_mwh = "
      "1000\n[cpu]\nwake_ms = 50\n",
      "day.toml");
  ASSERT_TRUE(day.ok()) << day.error().message;
  EXPECT_EQ(day->silence.value, 0.25);
  EXPECT_EQ(day->silence.low, 0.25);
  EXPECT_EQ(day->false_accepts_per_hour.high, 4);
  EXPECT_EQ(day->wake_ms.value, 50);
  EXPECT_EQ(day->battery_mwh, 1000);
  EXPECT_EQ(day->act_ms.value, usual_day().act_ms.value);
  EXPECT_EQ(day->act_ms.source, "assumed");
}

TEST(Day, NamesTheKeyThatIsWrong) {
  EXPECT_EQ(day_error("silence = 1.5\n"),
            "day.toml: line 1: silence: expected a number from 0 to 1, found a number, 1.5");
  EXPECT_EQ(day_error("silence = { value = 0.5, low = 0.75, high = 0.875 }\n"),
            "day.toml: line 1: silence.low: expected a number from 0 to 0.5, found a number, 0.75");
  EXPECT_EQ(day_error("silense = 0.5\n"),
            "day.toml: line 1: silense: no such key (did you mean 'silence'?)");
  EXPECT_NE(day_error("[cpu]\nact = 3\n"), "ok");
  // 1800 times 3 s, and false accepts as on any day: 1.7 times 1.8 s.
  EXPECT_EQ(day_error("keywords_per_hour = 1800\n[cpu]\nact_ms = 2200\n"),
            "day.toml: line 1: keywords_per_hour: the CPU would be awake for 5403 s of an hour, "
            "expected 3600 at most with what a wake-up takes");
  // 3600 times 1.8 s, and two keywords of 3.8 s.
  EXPECT_EQ(day_error("silence = 0.5\nfalse_accepts_per_hour = 3600\n"),
            "day.toml: line 2: false_accepts_per_hour: the CPU would be awake for 6488 s of an "
            "hour, expected 3600 at most with what a wake-up takes");
}

}  // namespace
}  // namespace hone
