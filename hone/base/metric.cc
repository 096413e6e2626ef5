#include "hone/base/metric.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "hone/base/check.h"
#include "hone/base/str.h"

namespace hone {
namespace {

template <class Json>
Json number_or_null(std::optional<double> number) {
  if (!number || !std::isfinite(*number)) return nullptr;
  return *number;
}

bool has_value(const Metric& metric) {
  return metric.value && std::isfinite(*metric.value);
}

std::string note_of(const Metric& metric) {
  if (has_value(metric) || !metric.note.empty()) return metric.note;
  return metric.value ? "not a finite number" : "no reason recorded";
}

template <class Json>
void write(Json& json, const Metric& metric) {
  json = {
      {"name", metric.name},
      {"value", number_or_null<Json>(metric.value)},
      {"unit", metric.unit},
      {"mode", mode_name(metric.mode)},
      {"n", metric.n},
      {"low", number_or_null<Json>(metric.low)},
      {"high", number_or_null<Json>(metric.high)},
      {"note", note_of(metric)},
  };
}

}  // namespace

std::string_view mode_name(Mode mode) {
  switch (mode) {
    case Mode::Exact:
      return "exact";
    case Mode::Measured:
      return "measured";
    case Mode::Emulated:
      return "emulated";
    case Mode::Simulated:
      return "simulated";
    case Mode::Predicted:
      return "predicted";
    case Mode::Given:
      return "given";
  }
  HONE_CHECK(false, "no such mode");
}

Metric unavailable(std::string name, std::string unit, std::string reason) {
  return {.name = std::move(name), .unit = std::move(unit), .n = 0, .note = std::move(reason)};
}

std::string describe(const Metric& metric) {
  if (!has_value(metric)) return str("unavailable: ", note_of(metric));
  std::string text = fmt::format("{:.4g}", *metric.value);
  if (!metric.unit.empty()) text += " " + metric.unit;
  text += fmt::format(" ({}", mode_name(metric.mode));
  if (metric.n > 1) text += fmt::format(", n {}", metric.n);
  if (metric.low && metric.high)
    text += fmt::format(", {:.4g} to {:.4g}", *metric.low, *metric.high);
  text += ")";
  return metric.note.empty() ? text : text + "; " + metric.note;
}

void to_json(nlohmann::json& json, const Metric& metric) {
  write(json, metric);
}

void to_json(nlohmann::ordered_json& json, const Metric& metric) {
  write(json, metric);
}

}  // namespace hone
