// Times as the tools of the field print them. A tool is a file here and a line in
// printed_times.inc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/result.h"

namespace hone {

struct PrintedTime {
  size_t line = 0;
  std::string network = {};    // A file where it was measured, or a name; empty: no line tells.
  std::string built_in = {};   // What the tool's name means here; empty: the network of that name.
  std::string precision = {};  // As that of a FitPoint.
  int64_t batch = 0;           // Likewise.
  int64_t at_once = 1;         // Runs that were under way together.
  int64_t threads = 0;         // That ran it; 0: not told.
  bool on_gpu = false;
  double ms = 0;
};

struct PrintedTimesDef {
  std::string_view tool;      // "benchncnn"
  std::string_view taken;     // Which of its figures, by which clock.
  std::string_view expected;  // A line with a time, for messages.
  // Looks for a few words, which a file that was cut off has too.
  bool (*recognizes)(std::string_view text);
  // None where no line has one. Messages of errors begin with "line N: ".
  Result<std::vector<PrintedTime>> (*read)(std::string_view text);
};

// In the order of printed_times.inc.
const std::vector<const PrintedTimesDef*>& all_printed_times();

// The text behind `key`; none where it is not there.
std::optional<std::string_view> text_after(std::string_view text, std::string_view key);

// The number that a text begins with: nothing where it is no whole one from 1 to a million.
std::optional<int64_t> leading_count(std::string_view text);

// The word behind `key`, a time in parts of a millisecond. BadInput when it is none, or not above 0.
Result<double> printed_ms(std::string_view line, size_t number, std::string_view key,
                          double parts_of_ms = 1);

}  // namespace hone
