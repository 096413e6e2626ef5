// A day of a machine that listens: what it hears, how often it wakes, how long it takes. A TOML file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "hone/base/result.h"
#include "hone/device/system_power.h"

namespace hone {

// Every figure is a number, or a table with value, low and high.
struct Day {
  // Part of the day in which the gate is closed; in the rest there is speech or noise.
  PowerFigure silence;
  PowerFigure keywords_per_hour;       // That are said, and heard,
  PowerFigure false_accepts_per_hour;  // and those that nobody said.
  PowerFigure wake_ms;                 // From a detection until the CPU runs.
  PowerFigure act_ms;                  // What it then does for a keyword,
  PowerFigure false_act_ms;            // and until it knows that there was none.
  PowerFigure sleep_ms;                // From there until it sleeps.
  double battery_mwh = 0;
};

// The source of a figure that a file gives.
inline constexpr const char* kSourceOfDay = "the day's file";

// What is used where the file has no other: that of examples/kws/day.toml.
Day usual_day();

// BadInput names the file, the line and the key.
Result<Day> parse_day(std::string_view text, const std::string& file);
Result<Day> read_day(const std::filesystem::path& path);

}  // namespace hone
