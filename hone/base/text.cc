#include "hone/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <span>

#include "hone/base/check.h"
#include "hone/base/printable.h"

namespace hone {
namespace {

// Columns on a terminal, counting a UTF-8 sequence as one.
size_t columns(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

// Room for any sentence of Hone's; names that a file brings in are cut.
constexpr size_t kLongestCell = 400;

void make_printable(std::vector<std::string>& row) {
  for (std::string& cell : row) cell = printable(cell, kLongestCell);
}

bool has_digit(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// "-1.5e3", "12 %", "3.54 M", "1.2 GB/s"; not "3x3" nor "2 of 5".
bool is_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double ignored = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ignored);
  if (error == std::errc::invalid_argument) return false;
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  return unit.empty() || unit == "%" || (unit.starts_with(' ') && !has_digit(unit));
}

bool is_blank(std::string_view cell) {
  return cell.empty() || cell == "-";
}

std::string line_of(const std::vector<std::string>& cells, const std::vector<size_t>& widths,
                    const std::vector<bool>& right) {
  std::string line;
  for (size_t c = 0; c < cells.size(); ++c) {
    if (c > 0) line += "  ";
    const std::string padding(widths[c] - columns(cells[c]), ' ');
    line += right[c] ? padding + cells[c] : cells[c] + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string three_digits(double value) {
  // The limits are where rounding would add a digit: 9.996 is "10.0", not "10.00".
  if (value < 9.995) return fixed(value, 2);
  if (value < 99.95) return fixed(value, 1);
  return fixed(value, 0);
}

// `value` in the largest unit of `units` in which it is at least 1; each is `step` times the last.
// `whole`: the value has no fraction in the first unit.
std::string scaled(double value, double step, std::span<const std::string_view> units, bool whole) {
  size_t unit = 0;
  while (unit + 1 < units.size() && value >= step - 0.5) {
    value /= step;
    ++unit;
  }
  std::string number = whole && unit == 0 ? fixed(value, 0) : three_digits(value);
  return units[unit].empty() ? number : number + " " + std::string(units[unit]);
}

std::string lower_text(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

}  // namespace

Table::Table(std::vector<std::string> header) : header_(std::move(header)) {
  make_printable(header_);
}

void Table::add(std::vector<std::string> row) {
  HONE_CHECK(row.size() == header_.size(), row.size(), " cells for ", header_.size(), " columns");
  make_printable(row);
  rows_.push_back(std::move(row));
}

bool Table::is_numeric(size_t column) const {
  bool any = false;
  for (const auto& row : rows_) {
    if (is_blank(row[column])) continue;
    if (!is_number(row[column])) return false;
    any = true;
  }
  return any;
}

size_t Table::width(size_t column) const {
  size_t width = columns(header_[column]);
  for (const auto& row : rows_) width = std::max(width, columns(row[column]));
  return width;
}

std::string Table::to_string() const {
  std::vector<size_t> widths;
  std::vector<bool> right;
  std::vector<std::string> rule;
  for (size_t c = 0; c < header_.size(); ++c) {
    widths.push_back(width(c));
    right.push_back(is_numeric(c));
    rule.emplace_back(widths[c], '-');
  }
  std::string text = line_of(header_, widths, right) + line_of(rule, widths, right);
  for (const auto& row : rows_) text += line_of(row, widths, right);
  return text;
}

std::string fixed(double value, int digits) {
  return fmt::format("{:.{}f}", value, digits);
}

std::string millis(double ms) {
  const double size = std::abs(ms);
  return fixed(ms, size == 0 || size >= 1 ? 3 : size >= 0.1 ? 4 : 5);
}

std::string human_count(int64_t count) {
  static constexpr std::string_view kUnits[] = {"", "k", "M", "G", "T", "P", "E"};
  const std::string text = scaled(std::abs(static_cast<double>(count)), 1000, kUnits, true);
  return count < 0 ? fmt::format("-{}", text) : text;
}

std::string human_bytes(uint64_t bytes) {
  static constexpr std::string_view kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  return scaled(static_cast<double>(bytes), 1024, kUnits, true);
}

std::string human_duration(double seconds) {
  static constexpr std::string_view kUnits[] = {"ns", "us", "ms", "s"};
  if (seconds < 0) return fmt::format("-{}", human_duration(-seconds));
  if (!(seconds >= 59.95)) return scaled(seconds * 1e9, 1000, kUnits, false);
  const auto whole = std::llround(seconds);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

size_t edit_distance(std::string_view a, std::string_view b) {
  // Rows i-2, i-1 and i of the table of distances between the prefixes of a and of b.
  std::vector<size_t> before(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, last);
    std::swap(last, row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

namespace {

// Another letter in a word of three is another word: "gpu" is no slip for "cpu".
bool may_be_a_slip(const std::string& word, const std::string& candidate) {
  if (word.size() > 3 || word.size() != candidate.size()) return true;
  return std::is_permutation(word.begin(), word.end(), candidate.begin());
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  // One slip in three letters is a typing error; more is another word.
  const size_t limit = std::max<size_t>(1, word.size() / 3);
  size_t best = limit + 1;
  std::string_view nearest;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > word.size() + limit || word.size() > candidate.size() + limit) continue;
    const size_t distance = edit_distance(lower_text(word), lower_text(candidate));
    if (distance < best && may_be_a_slip(lower_text(word), lower_text(candidate))) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest);
}

}  // namespace hone
