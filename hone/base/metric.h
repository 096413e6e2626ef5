#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace hone {

// Where a number comes from. It is shown beside the number wherever that is shown.
enum class Mode {
  Exact,      // Counted, not timed: parameters, MACs, bytes in a file.
  Measured,   // On the real device.
  Emulated,   // Code ran on an instruction-set emulator; counts are exact, time is modelled.
  Simulated,  // A cycle model or RTL ran.
  Predicted,  // An analytic or learned model; low and high hold its interval.
  Given,      // Told by the user: nothing here looked at it.
};

// "measured" and so on, as in result files.
std::string_view mode_name(Mode mode);

// A number with its unit and provenance.
struct Metric {
  std::string name = {};             // "latency_p90", snake_case.
  std::optional<double> value = {};  // Empty: not available, and `note` says why.
  std::string unit = {};             // "us", "MiB", "" for a ratio or a count.
  Mode mode = Mode::Measured;
  int64_t n = 1;  // Samples behind the value.
  std::optional<double> low = {};
  std::optional<double> high = {};
  std::string note = {};
};

// A metric that could not be had. `reason` reads as "no permission to read energy counters".
Metric unavailable(std::string name, std::string unit, std::string reason);

// "12.3 ms (measured, n 50, 11.9 to 13.1)", or "unavailable: <reason>".
std::string describe(const Metric& metric);

// All eight keys, always. An absent or non-finite number is null, and then `note` is never empty.
void to_json(nlohmann::json& json, const Metric& metric);
void to_json(nlohmann::ordered_json& json, const Metric& metric);

}  // namespace hone
