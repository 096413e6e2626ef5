#include "hone/validate/limits.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "hone/base/text.h"

namespace hone {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

struct Quantity {
  double number = 0;
  std::string_view unit;
};

// A number that is not negative, and what stands behind it.
Result<Quantity> split(std::string_view text, std::string_view expected) {
  Quantity quantity;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), quantity.number);
  if (error != std::errc() || !std::isfinite(quantity.number) || quantity.number < 0) {
    return bad_input("'", text, "' is no limit, expected ", expected);
  }
  quantity.unit = text.substr(static_cast<size_t>(end - text.data()));
  while (quantity.unit.starts_with(' ')) quantity.unit.remove_prefix(1);
  return quantity;
}

Result<double> parse(const std::string& text, std::initializer_list<Unit> units,
                     std::string_view example) {
  std::vector<std::string_view> names;
  for (const Unit& unit : units) names.push_back(unit.name);
  const std::string expected = str("a number and one of ", join(names), ", such as ", example);
  HONE_TRY(const Quantity quantity, split(text, expected));
  for (const Unit& unit : units) {
    if (unit.name == quantity.unit) return quantity.number * unit.factor;
  }
  return bad_input("'", text, "' is no limit, expected ", expected);
}

}  // namespace

Result<DropLimit> parse_drop(const std::string& text) {
  constexpr std::string_view kExpected =
      "a part of the reference's value (1%), percentage points (0.5pt) or the metric's own unit "
      "(0.01)";
  HONE_TRY(const Quantity quantity, split(text, kExpected));
  if (quantity.unit == "%") return DropLimit{quantity.number / 100, true, text};
  if (quantity.unit == "pt") return DropLimit{quantity.number / 100, false, text};
  if (quantity.unit.empty()) return DropLimit{quantity.number, false, text};
  return bad_input("'", text, "' is no limit, expected ", kExpected);
}

Status check_can_fail(const DropLimit& limit, const std::string& metric, double reference,
                      bool more_is_better) {
  const double most = limit.relative ? 1 : std::max(1.0, reference);
  if (!more_is_better || !std::isfinite(reference) || reference < 0 || limit.value < most) {
    return Done{};
  }
  const std::string falls =
      str("'", limit.text, "' lets ", metric, " fall from ", fixed(reference, 4), " to nothing");
  if (limit.relative) return bad_input(falls, ", expected less than 100%");
  if (limit.text.ends_with("pt")) return bad_input(falls, ", expected less");
  return bad_input(falls, "; ", limit.text, "% is a part of that, ", limit.text,
                   "pt percentage points");
}

Result<double> parse_part(const std::string& text) {
  constexpr std::string_view kExpected = "a part such as 5% or 0.05";
  HONE_TRY(const Quantity quantity, split(text, kExpected));
  if (quantity.unit == "%") return quantity.number / 100;
  if (quantity.unit.empty()) return quantity.number;
  return bad_input("'", text, "' is no limit, expected ", kExpected);
}

Result<double> parse_seconds(const std::string& text) {
  return parse(text, {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}, "5ms");
}

Result<double> parse_bytes(const std::string& text) {
  return parse(text,
               {{"B", 1},
                {"KB", 1e3},
                {"KiB", 1024},
                {"MB", 1e6},
                {"MiB", 1048576},
                {"GB", 1e9},
                {"GiB", 1073741824}},
               "200KB");
}

Result<double> parse_size(const std::string& text) {
  constexpr double kMost = 1e18;
  HONE_TRY(const double bytes, parse_bytes(text));
  if (bytes > kMost) return bad_input("'", text, "' is no limit, expected less than 1e9 GB");
  return bytes;
}

Result<double> parse_joules(const std::string& text) {
  return parse(text, {{"J", 1}, {"mJ", 1e-3}, {"uJ", 1e-6}}, "5mJ");
}

}  // namespace hone
