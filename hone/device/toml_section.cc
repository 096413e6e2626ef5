#include "hone/device/toml_section.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "hone/base/text.h"

namespace hone {
namespace {

std::string_view type_name(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "a text";
    case toml::node_type::integer:
    case toml::node_type::floating_point:
      return "a number";
    case toml::node_type::boolean:
      return "a truth value";
    default:
      return "a date or time";
  }
}

std::string found(const toml::node& node) {
  std::ostringstream out;
  out << type_name(node);
  if (node.is_value()) out << ", " << toml::node_view(&node);
  return out.str();
}

constexpr std::string_view kUnits[] = {
    "hz",
    "khz",
    "mhz",
    "ghz",
    "ns",
    "us",
    "ms",
    "s",
    "seconds",
    "cycles",
    "b",
    "kb",
    "mb",
    "gb",
    "bytes",
    "kib",
    "mib",
    "gib",
    "bits",
    "bytes_per_second",
    "kb_per_second",
    "mb_per_second",
    "gb_per_second",
    "gib_per_second",
    "mib_per_second",
    "gbit_per_second",
    "mbit_per_second",
    "bytes_per_cycle",
    "bits_per_cycle",
    "ops",
    "mops",
    "gops",
    "tops",
    "gflops",
    "tflops",
    "macs_per_second",
    "mmacs_per_second",
    "gmacs_per_second",
    "tmacs_per_second",
    "flops_per_second",
    "mflops_per_second",
    "gflops_per_second",
    "tflops_per_second",
    "w",
    "mw",
    "watts",
    "milliwatts",
    "usd",
    "eur",
};

// No figure of a machine lies outside, in whatever unit, and what is computed from two or three of
// those inside is still a finite number.
constexpr double kSmallest = 1e-6;
constexpr double kLargest = 1e18;

struct SizeUnit {
  std::string_view name;
  int shift;  // One is 2^shift bytes.
};
constexpr SizeUnit kSizes[] = {{"bytes", 0}, {"kib", 10}, {"mib", 20}, {"gib", 30}};

}  // namespace

std::string_view without_unit(std::string_view key) {
  std::string_view shortest = key;
  for (const std::string_view unit : kUnits) {
    if (key == unit) return "";
    if (key.size() <= unit.size() + 1 || !key.ends_with(unit)) continue;
    const size_t end = key.size() - unit.size() - 1;
    if (key[end] == '_' && end < shortest.size()) shortest = key.substr(0, end);
  }
  return shortest;
}

const toml::node* TomlSection::find(std::string_view key) const {
  asked_.emplace(key);
  return table_->get(key);
}

std::string TomlSection::place(const toml::node& at, std::string_view key) const {
  const auto line = std::max<toml::source_index>(at.source().begin.line, 1);
  return str(*file_, ": line ", line, ": ", way_, key);
}

std::string TomlSection::place(std::string_view key) const {
  const toml::node* node = find(key);
  return place(node == nullptr ? *table_ : *node, key);
}

Error TomlSection::error(const toml::node& at, std::string_view key, std::string_view why) const {
  return bad_input(place(at, key), ": ", why);
}

Error TomlSection::expected(std::string_view key, std::string_view what) const {
  if (const toml::node* node = find(key); node != nullptr) {
    return error(*node, key, str("expected ", what, ", found ", found(*node)));
  }
  for (const auto& [name, node] : *table_) {
    const std::string_view other = name.str();
    const bool has_unit = without_unit(other) != other && without_unit(key) != key;
    if (has_unit && without_unit(other) == without_unit(key)) {
      return error(node, other, str("expected ", key, " instead, ", what));
    }
  }
  return error(*table_, key, str("missing, expected ", what, misspelt(key)));
}

// A key that nobody has asked for and that is nearly this one.
std::string TomlSection::misspelt(std::string_view key) const {
  for (const auto& [name, node] : *table_) {
    const std::string other(name.str());
    const bool near = !did_you_mean(other, {std::string(key)}).empty();
    if (near && !asked_.contains(other)) return str(" (did you mean it by '", other, "'?)");
  }
  return "";
}

Error TomlSection::wrong(std::string_view key, std::string_view why) const {
  return bad_input(place(key), ": ", why);
}

Result<std::string> TomlSection::text(std::string_view key) const {
  const toml::node* node = find(key);
  if (node == nullptr || !node->is_string()) return expected(key, "a text");
  return node->as_string()->get();
}

Result<std::string> TomlSection::text_or(std::string_view key, const std::string& fallback) const {
  return has(key) ? text(key) : fallback;
}

Result<bool> TomlSection::flag_or(std::string_view key, bool fallback) const {
  return has(key) ? flag(key) : fallback;
}

Result<bool> TomlSection::flag(std::string_view key) const {
  const toml::node* node = find(key);
  if (node == nullptr || !node->is_boolean()) return expected(key, "true or false");
  return node->as_boolean()->get();
}

Result<double> TomlSection::number(std::string_view key) const {
  return number_from(key, 0);
}

Result<double> TomlSection::number_from(std::string_view key, double least) const {
  const toml::node* node = find(key);
  const auto value = node == nullptr ? std::nullopt : node->value<double>();
  if (!value || !std::isfinite(*value) || *value < least) {
    return expected(key, str("a number, ", least, " or greater"));
  }
  return number_in(key, least, kLargest);
}

Result<double> TomlSection::number_in(std::string_view key, double least, double most) const {
  const toml::node* node = find(key);
  const auto value = node == nullptr ? std::nullopt : node->value<double>();
  if (!value || !(*value >= least && *value <= most)) {
    return expected(key, str("a number from ", least, " to ", most));
  }
  return *value;
}

Result<double> TomlSection::positive(std::string_view key) const {
  const toml::node* node = find(key);
  const auto value = node == nullptr ? std::nullopt : node->value<double>();
  if (!value || !std::isfinite(*value) || *value <= 0) {
    return expected(key, "a number greater than 0");
  }
  return number_in(key, kSmallest, kLargest);
}

Result<double> TomlSection::part(std::string_view key) const {
  const toml::node* node = find(key);
  const auto value = node == nullptr ? std::nullopt : node->value<double>();
  if (!value || !(*value > 0 && *value <= 1)) {
    return expected(key, "a number greater than 0 and at most 1");
  }
  return number_in(key, kSmallest, 1);
}

Result<int64_t> TomlSection::count(std::string_view key, int64_t least, int64_t most) const {
  const toml::node* node = find(key);
  const auto* value = node == nullptr ? nullptr : node->as_integer();
  if (value == nullptr || value->get() < least || value->get() > most) {
    return expected(key, str("a whole number from ", least, " to ", most));
  }
  return value->get();
}

Result<int> TomlSection::small_count_or(std::string_view key, int fallback) const {
  if (!has(key)) return fallback;
  HONE_TRY(const int64_t value, count(key, 0, std::numeric_limits<int>::max()));
  return static_cast<int>(value);
}

Result<int64_t> TomlSection::size() const {
  std::vector<std::string> given;
  int64_t bytes = 0;
  for (const SizeUnit& unit : kSizes) {
    if (!has(unit.name)) continue;
    given.emplace_back(unit.name);
    HONE_TRY(const int64_t value, count(unit.name, 1, int64_t{1} << (50 - unit.shift)));
    bytes = value << unit.shift;
  }
  if (given.size() > 1) return wrong(given[1], str("expected one size, found ", join(given)));
  if (given.empty()) return expected("bytes", "a whole number; or kib, mib, gib");
  return bytes;
}

Result<Mode> TomlSection::mode(std::string_view key) const {
  HONE_TRY(const std::string name, text(key));
  constexpr Mode kModes[] = {Mode::Exact, Mode::Measured, Mode::Emulated, Mode::Simulated,
                             Mode::Predicted};
  for (const Mode mode : kModes) {
    if (mode_name(mode) == name) return mode;
  }
  return expected(key, "one of exact, measured, emulated, simulated, predicted");
}

Result<std::string> TomlSection::one_of(std::string_view key,
                                        std::span<const std::string_view> words) const {
  const toml::node* node = find(key);
  if (node != nullptr && node->is_string()) {
    const std::string& word = node->as_string()->get();
    if (std::ranges::find(words, word) != words.end()) return word;
  }
  return expected(key, str("one of ", join(words)));
}

Result<std::vector<std::string>> TomlSection::texts(std::string_view key) const {
  const toml::node* node = find(key);
  if (node == nullptr || !node->is_array()) return expected(key, "an array of texts");
  std::vector<std::string> list;
  for (const toml::node& element : *node->as_array()) {
    if (!element.is_string()) {
      return error(element, key, str("expected texts, found ", found(element)));
    }
    list.push_back(element.as_string()->get());
  }
  return list;
}

Result<std::vector<double>> TomlSection::list(std::string_view key, double least,
                                              double most) const {
  const toml::node* node = find(key);
  if (node == nullptr || !node->is_array()) return expected(key, "an array of numbers");
  std::vector<double> values;
  for (const toml::node& element : *node->as_array()) {
    const std::optional<double> value = element.value<double>();
    if (!element.is_number() || !(*value >= least && *value <= most)) {
      return error(element, key,
                   str("expected numbers from ", least, " to ", most, ", found ", found(element)));
    }
    values.push_back(*value);
  }
  return values;
}

Result<std::set<std::string, std::less<>>> TomlSection::words_of(
    std::string_view key, std::span<const std::string_view> words, std::string_view what) const {
  HONE_TRY(const std::vector<std::string> list, texts(key));
  for (size_t i = 0; i < list.size(); ++i) {
    if (std::ranges::find(words, list[i]) != words.end()) continue;
    const std::vector<std::string> known(words.begin(), words.end());
    return error(*find(key)->as_array()->get(i), key,
                 str("no ", what, " '", list[i], "'", did_you_mean(list[i], known),
                     "; there are: ", join(known)));
  }
  return std::set<std::string, std::less<>>(list.begin(), list.end());
}

Result<TomlSection> TomlSection::section(std::string_view key) const {
  const toml::node* node = find(key);
  if (node == nullptr || !node->is_table()) return expected(key, "a table");
  return TomlSection(*node->as_table(), *file_, str(way_, key, "."));
}

Result<std::vector<TomlSection>> TomlSection::sections(std::string_view key) const {
  const toml::node* node = find(key);
  const auto* array = node == nullptr ? nullptr : node->as_array();
  if (array == nullptr) return expected(key, "an array of tables");
  std::vector<TomlSection> list;
  for (const toml::node& element : *array) {
    if (!element.is_table()) return expected(key, "an array of tables");
    list.emplace_back(*element.as_table(), *file_, str(way_, key, "[", list.size(), "]."));
  }
  return list;
}

Result<std::map<std::string, double>> TomlSection::numbers(std::string_view key) const {
  HONE_TRY(const TomlSection inner, section(key));
  std::map<std::string, double> values;
  for (const auto& [name, node] : *inner.table_) {
    HONE_TRY(values[std::string(name.str())], inner.number(name.str()));
  }
  return values;
}

Status TomlSection::no_other_keys() const {
  const toml::node* first = nullptr;
  std::string key;
  for (const auto& [name, node] : *table_) {
    const bool known = asked_.contains(name.str());
    const bool earlier = first == nullptr || node.source().begin.line < first->source().begin.line;
    if (known || !earlier) continue;
    first = &node;
    key = name.str();
  }
  if (first == nullptr) return Done{};
  for (const std::string& asked : asked_) {
    if (without_unit(key) != key && without_unit(asked) == without_unit(key) && asked != key &&
        without_unit(asked) != asked) {
      return error(*first, key, str("expected ", asked, " instead"));
    }
  }
  const std::vector<std::string> candidates(asked_.begin(), asked_.end());
  return error(*first, key, str("no such key", did_you_mean(key, candidates)));
}

}  // namespace hone
