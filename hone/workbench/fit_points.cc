#include "hone/workbench/fit_points.h"

#include <algorithm>

#include "hone/base/peek_file.h"
#include "hone/profile/import/rows.h"

namespace hone {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kColumns[] = {"model", "latency_ms", "energy_mj"};

Status check_header(const Row& header) {
  for (const std::string& cell : header.cells) {
    if (std::ranges::find(kColumns, trimmed(cell)) == std::end(kColumns)) {
      return bad_input("line ", header.line, ": unknown column '", trimmed(cell),
                       "'; expected model,latency_ms[,energy_mj]");
    }
  }
  return Done{};
}

Result<double> positive_of(const Row& row, const Column& column) {
  HONE_TRY(const double value, number_of(row, column, kMostMs));
  if (value > 0) return value;
  return bad_input("line ", row.line, ": ", column.name, " is 0, expected more");
}

Result<std::string> model_of(const Row& row, const Column& column, const fs::path& folder) {
  std::string model(trimmed(cell_of(row, column)));
  if (model.empty()) {
    return bad_input("line ", row.line, ": model is empty, expected zoo:NAME or a file");
  }
  if (model.starts_with("zoo:") || fs::path(model).is_absolute()) return model;
  return (folder / model).string();
}

Result<std::vector<FitPoint>> parse(std::string_view text, const fs::path& folder) {
  HONE_TRY(const std::vector<Row> rows, read_csv(text));
  if (rows.empty()) return bad_input("is empty; expected the columns model,latency_ms[,energy_mj]");
  HONE_RETURN_IF_ERROR(check_header(rows[0]));
  HONE_TRY(const Column model, find_column(rows[0], "model"));
  HONE_TRY(const Column latency, find_column(rows[0], "latency_ms"));
  const Result<Column> energy = find_column(rows[0], "energy_mj");
  std::vector<FitPoint> points;
  for (size_t r = 1; r < rows.size(); ++r) {
    if (rows[r].cells.size() > rows[0].cells.size()) {
      return bad_input("line ", rows[r].line, ": ", rows[r].cells.size(), " columns, expected ",
                       rows[0].cells.size());
    }
    FitPoint point;
    HONE_TRY(point.model, model_of(rows[r], model, folder));
    HONE_TRY(point.latency_ms, positive_of(rows[r], latency));
    if (energy.ok() && !trimmed(cell_of(rows[r], *energy)).empty()) {
      HONE_TRY(point.energy_mj, positive_of(rows[r], *energy));
    }
    points.push_back(std::move(point));
  }
  if (points.empty()) return bad_input("has a header and no points");
  return points;
}

}  // namespace

Result<std::vector<FitPoint>> read_fit_points(const fs::path& path) {
  HONE_TRY(const std::string text, read_text(path));
  return parse(text, path.parent_path()).in(path.string());
}

}  // namespace hone
