#include "hone/profile/import/rows.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

namespace hone {
namespace {

// How much of a wrong cell is shown.
constexpr size_t kShown = 40;

// Reads cells and rows, and knows in which line it is.
class CsvReader {
 public:
  CsvReader(std::string_view text, size_t line) : text_(text), line_(line) {}

  Result<std::vector<Row>> rows() {
    std::vector<Row> rows;
    while (at_ < text_.size()) {
      Row row{.line = line_, .cells = {}};
      for (bool more = true; more;) {
        HONE_TRY(std::string cell, next_cell());
        row.cells.push_back(std::move(cell));
        more = at_ < text_.size() && text_[at_] == ',';
        if (more) ++at_;
      }
      end_line();
      if (row.cells.size() == 1 && row.cells[0].empty()) continue;
      if (!rows.empty()) HONE_RETURN_IF_ERROR(check_width(row, rows[0]));
      rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  // A separator too many moves every cell behind it to another column. Empty cells say nothing.
  static Status check_width(const Row& row, const Row& header) {
    size_t cells = row.cells.size();
    while (cells > header.cells.size() && trimmed(row.cells[cells - 1]).empty()) --cells;
    if (cells <= header.cells.size()) return Done{};
    const bool semicolons =
        header.cells.size() == 1 && header.cells[0].find(';') != std::string::npos;
    return bad_input("line ", row.line, ": ", cells, " columns, expected ", header.cells.size(),
                     semicolons ? "; columns are separated by commas, decimals by points" : "");
  }

  Result<std::string> next_cell() {
    std::string cell;
    if (at_ < text_.size() && text_[at_] == '"') {
      HONE_TRY(cell, quoted());
    }
    const size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    cell += text_.substr(at_, end - at_);
    at_ = end;
    return cell;
  }

  Result<std::string> quoted() {
    const size_t began = line_;
    std::string cell;
    for (++at_; at_ < text_.size(); ++at_) {
      const bool quote = text_[at_] == '"';
      const bool doubled = quote && at_ + 1 < text_.size() && text_[at_ + 1] == '"';
      if (quote && !doubled) {
        ++at_;
        return cell;
      }
      if (doubled) ++at_;
      if (text_[at_] == '\n') ++line_;
      cell += text_[at_];
    }
    return bad_input("line ", began, ": a quote does not end; the file may be cut off");
  }

  void end_line() {
    if (at_ < text_.size() && text_[at_] == '\r') ++at_;
    if (at_ < text_.size() && text_[at_] == '\n') ++at_;
    ++line_;
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t line_;
};

}  // namespace

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back({lines.size() + 1, line});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

size_t find_line(std::string_view text, std::string_view start) {
  if (text.starts_with(start)) return 0;
  const size_t found = text.find("\n" + std::string(start));
  return found == std::string_view::npos ? found : found + 1;
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::vector<std::string> split(std::string_view text, char separator, size_t most) {
  std::vector<std::string> cells;
  while (cells.size() + 1 < most) {
    const size_t end = text.find(separator);
    if (end == std::string_view::npos) break;
    cells.emplace_back(trimmed(text.substr(0, end)));
    text.remove_prefix(end + 1);
  }
  cells.emplace_back(trimmed(text));
  return cells;
}

Result<std::vector<Row>> read_csv(std::string_view text, size_t first_line) {
  return CsvReader(text, first_line).rows();
}

Status check_columns_differ(const Row& header) {
  std::set<std::string_view> names;
  for (const std::string& cell : header.cells) {
    if (names.insert(trimmed(cell)).second) continue;
    return bad_input("line ", header.line, ": two columns '", trimmed(cell), "'");
  }
  return Done{};
}

Result<Column> find_column(const Row& header, std::string_view name) {
  for (size_t i = 0; i < header.cells.size(); ++i) {
    if (trimmed(header.cells[i]) == name) return Column{std::string(name), i};
  }
  return bad_input("line ", header.line, ": no column '", name, "'");
}

std::optional<Column> column_if_any(const Row& header, std::string_view name) {
  const Result<Column> column = find_column(header, name);
  return column.ok() ? std::optional(*column) : std::nullopt;
}

std::string_view cell_of(const Row& row, const Column& column) {
  return column.index < row.cells.size() ? std::string_view(row.cells[column.index]) : "";
}

Result<double> number_of(const Row& row, const Column& column, double most) {
  if (column.index >= row.cells.size()) {
    return bad_input("line ", row.line, ": ", row.cells.size(), " columns, expected '", column.name,
                     "' as column ", column.index + 1);
  }
  return parse_number(row.cells[column.index], column.name, most).in(str("line ", row.line));
}

Result<double> parse_number(std::string_view text, std::string_view what, double most) {
  std::string_view digits = trimmed(text);
  if (digits.ends_with('%')) digits.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  if (!whole || !std::isfinite(value) || value < 0 || value > most) {
    return bad_input(what, " is '", text.substr(0, kShown), "', expected a number from 0 to ",
                     most);
  }
  return value;
}

double us_in(std::string_view unit) {
  if (unit == "ns" || unit == "nsecond") return 1e-3;
  if (unit == "us" || unit == "usecond") return 1;
  if (unit == "ms" || unit == "msecond") return 1e3;
  return unit == "s" || unit == "second" ? 1e6 : 0;
}

}  // namespace hone
