#include "hone/workbench/points/csv_points.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "hone/base/text.h"
#include "hone/profile/import/rows.h"

namespace hone {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kColumns[] = {"model", "latency_ms", "energy_mj", "precision", "batch"};
constexpr std::string_view kExpected = "model,latency_ms[,energy_mj][,precision][,batch]";
constexpr std::string_view kPrecisions[] = {"fp32", "fp16", "bf16", "int8"};
constexpr double kMostPointBatch = 1 << 16;

Status check_header(const Row& header) {
  for (const std::string& cell : header.cells) {
    if (std::ranges::find(kColumns, trimmed(cell)) == std::end(kColumns)) {
      return bad_input("line ", header.line, ": unknown column '", trimmed(cell), "'; expected ",
                       kExpected);
    }
  }
  return check_columns_differ(header);
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

// Empty where the cell is, or where there is none.
Result<std::string> point_precision(const Row& row, const std::optional<Column>& column) {
  const std::string_view cell = column ? trimmed(cell_of(row, *column)) : "";
  if (cell.empty() || std::ranges::find(kPrecisions, cell) != std::end(kPrecisions)) {
    return std::string(cell);
  }
  return bad_input("line ", row.line, ": precision is '", cell, "', expected ",
                   join(std::span(kPrecisions)), " or nothing");
}

// 0 likewise.
Result<int64_t> point_batch(const Row& row, const std::optional<Column>& column) {
  const std::string_view cell = column ? trimmed(cell_of(row, *column)) : "";
  if (cell.empty()) return 0;
  const Result<double> batch = parse_number(cell, "batch", kMostPointBatch);
  if (batch.ok() && *batch >= 1 && *batch == std::floor(*batch) && !cell.ends_with('%')) {
    return static_cast<int64_t>(*batch);
  }
  return bad_input("line ", row.line, ": batch is '", cell, "', expected a whole number from 1 to ",
                   kMostPointBatch, ", or nothing");
}

struct PointColumns {
  Column model, latency;
  std::optional<Column> energy, precision, batch;
};

Result<PointColumns> point_columns(const Row& header) {
  HONE_RETURN_IF_ERROR(check_header(header));
  PointColumns columns;
  HONE_TRY(columns.model, find_column(header, "model"));
  HONE_TRY(columns.latency, find_column(header, "latency_ms"));
  columns.energy = column_if_any(header, "energy_mj");
  columns.precision = column_if_any(header, "precision");
  columns.batch = column_if_any(header, "batch");
  return columns;
}

Result<FitPoint> point_of(const Row& row, const PointColumns& columns, const fs::path& file) {
  FitPoint point{.from = str(file.string(), ": line ", row.line)};
  HONE_TRY(point.model, model_of(row, columns.model, file.parent_path()));
  HONE_TRY(point.latency_ms, positive_of(row, columns.latency));
  if (columns.energy && !trimmed(cell_of(row, *columns.energy)).empty()) {
    HONE_TRY(point.energy_mj, positive_of(row, *columns.energy));
  }
  HONE_TRY(point.precision, point_precision(row, columns.precision));
  HONE_TRY(point.batch, point_batch(row, columns.batch));
  return point;
}

}  // namespace

bool looks_like_csv_points(std::string_view text) {
  return text.substr(0, text.find('\n')).find("latency_ms") != std::string_view::npos;
}

Result<std::vector<FitPoint>> read_csv_points(std::string_view text, const fs::path& file) {
  HONE_TRY(const std::vector<Row> rows, read_csv(text));
  if (rows.empty()) return bad_input("is empty; expected the columns ", kExpected);
  HONE_TRY(const PointColumns columns, point_columns(rows[0]));
  std::vector<FitPoint> points;
  for (size_t r = 1; r < rows.size(); ++r) {
    HONE_TRY(FitPoint point, point_of(rows[r], columns, file));
    points.push_back(std::move(point));
  }
  if (points.empty()) return bad_input("has a header and no points");
  return points;
}

}  // namespace hone
