// Tables in text: lines, rows of cells, columns found by name, numbers that are checked.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/result.h"

namespace hone {

// Times beyond this are taken for a mistake: eleven days.
inline constexpr double kMostUs = 1e12;
inline constexpr double kMostMs = kMostUs / 1e3;
// Counts beyond this are taken for a mistake. They fit into an int64_t, and twice them too.
inline constexpr double kMostCount = 1e18;

struct Line {
  size_t number = 0;  // From 1.
  std::string_view text;
};

// Without their ends, which may be "\n" or "\r\n".
std::vector<Line> lines_of(std::string_view text);

// Where the first line begins that starts so; npos where none does.
size_t find_line(std::string_view text, std::string_view start);

std::string_view trimmed(std::string_view text);

inline bool holds(std::string_view text, std::string_view what) {
  return text.find(what) != std::string_view::npos;
}

// Cells of one line between separators; the last of `most` cells holds the rest of the line.
std::vector<std::string> split(std::string_view text, char separator, size_t most = ~size_t{0});

struct Row {
  size_t line = 0;  // In which it begins.
  std::vector<std::string> cells;
};

// Rows of a CSV file: a cell in double quotes may hold separators, line ends and doubled quotes.
// Empty lines are left out. BadInput when a quote does not end, or a row has more cells than the
// first, which names the columns.
Result<std::vector<Row>> read_csv(std::string_view text, size_t first_line = 1);

struct Column {
  std::string name;
  size_t index = 0;
};

// BadInput when two columns have the same name.
Status check_columns_differ(const Row& header);

// The first column of that name. BadInput when there is none.
Result<Column> find_column(const Row& header, std::string_view name);
std::optional<Column> column_if_any(const Row& header, std::string_view name);

// "" where the row is shorter.
std::string_view cell_of(const Row& row, const Column& column);

// BadInput, which names the line, when the cell is not a number from 0 to `most`.
Result<double> number_of(const Row& row, const Column& column, double most);

// A whole text that is a number from 0 to `most`; '%' may follow. `what` is named in the error.
Result<double> parse_number(std::string_view text, std::string_view what, double most);

// Microseconds in a unit of time; 0 when it is none. Tools spell them differently.
double us_in(std::string_view unit);

}  // namespace hone
