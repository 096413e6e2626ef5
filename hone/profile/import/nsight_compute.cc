// Kernels as Nsight Compute measures them: `ncu --csv`, one line per launch and metric. Lines in
// front of the table are the profiler's and the program's own.

#include <algorithm>
#include <map>
#include <optional>

#include "hone/base/str.h"
#include "hone/profile/import/evidence.h"
#include "hone/profile/import/gpu_kernel.h"
#include "hone/profile/import/importer_def.h"
#include "hone/profile/import/rows.h"

namespace hone {
namespace {

constexpr std::string_view kNsightComputeFirstColumn = "\"ID\",";

struct NsightComputeColumns {
  Column id, kernel, metric, unit, value;
  std::optional<Column> grid, block, device, capability;
};

std::optional<Column> optional_column(const Row& header, std::string_view name) {
  const Result<Column> column = find_column(header, name);
  return column.ok() ? std::optional(*column) : std::nullopt;
}

Result<NsightComputeColumns> nsight_columns_of(const Row& header) {
  NsightComputeColumns columns;
  HONE_TRY(columns.id, find_column(header, "ID"));
  HONE_TRY(columns.kernel, find_column(header, "Kernel Name"));
  HONE_TRY(columns.metric, find_column(header, "Metric Name"));
  HONE_TRY(columns.unit, find_column(header, "Metric Unit"));
  HONE_TRY(columns.value, find_column(header, "Metric Value"));
  columns.grid = optional_column(header, "Grid Size");
  columns.block = optional_column(header, "Block Size");
  columns.device = optional_column(header, "Device");
  columns.capability = optional_column(header, "CC");
  return columns;
}

std::string text_of(const Row& row, const std::optional<Column>& column) {
  return column ? std::string(cell_of(row, *column)) : "";
}

bool is_duration(std::string_view metric) {
  return metric == "gpu__time_duration.sum" || metric == "Duration";
}

// Thousands are separated by commas. Elsewhere a comma is decimal, as some languages have it.
Result<std::string> without_thousands(std::string_view text) {
  if (text.find_first_not_of("0123456789.,-+eE% ") != std::string_view::npos) {
    return std::string(text);
  }
  std::string digits;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ',') {
      digits += text[i];
      continue;
    }
    const size_t end = std::min(text.find_first_not_of("0123456789", i + 1), text.size());
    if (end != i + 4) {
      return bad_input("'", text.substr(0, 40),
                       "', expected a decimal point and commas between thousands: let ncu run with "
                       "LC_ALL=C");
    }
  }
  return digits;
}

class KernelReader {
 public:
  explicit KernelReader(NsightComputeColumns columns) : columns_(std::move(columns)) {
    profile_.gpu.emplace();
  }

  Status take(const Row& row) {
    const std::string_view metric = cell_of(row, columns_.metric);
    if (metric.empty()) return Done{};  // A line of advice.
    const std::string id(cell_of(row, columns_.id));
    const auto [found, is_new] = steps_.try_emplace(id, profile_.steps.size());
    if (is_new) HONE_RETURN_IF_ERROR(add_kernel(row));
    HONE_TRY(const std::string digits,
             without_thousands(cell_of(row, columns_.value)).in(str("line ", row.line)));
    const std::string unit(cell_of(row, columns_.unit));
    StepProfile& step = profile_.steps[found->second];
    if (!is_duration(metric)) {
      add_counter(std::string(metric), digits, unit, step);
      return Done{};
    }
    if (us_in(unit) == 0) {
      return bad_input("line ", row.line, ": ", metric, " is in '", unit.substr(0, 40),
                       "', expected ns, us, ms or s");
    }
    HONE_TRY(const double value,
             parse_number(digits, metric, kMostUs / us_in(unit)).in(str("line ", row.line)));
    if (timed_by_[found->second] == metric) {
      return bad_input("line ", row.line, ": launch ", id,
                       " has its time twice, expected the table of one run of ncu");
    }
    step.us = value * us_in(unit);
    timed_by_[found->second] = metric;
    return Done{};
  }

  Result<Profile> finished() {
    if (profile_.steps.empty()) return bad_input("no kernels below the names of the columns");
    double us = 0;
    for (size_t s = 0; s < profile_.steps.size(); ++s) {
      const StepProfile& step = profile_.steps[s];
      if (timed_by_[s].empty()) {
        return bad_input("kernel '", step.name, "' has no time: collect gpu__time_duration.sum or ",
                         "the section SpeedOfLight");
      }
      us += step.us;
    }
    const Metric* processors = find_metric(profile_.steps[0].counters, "# SMs");
    if (processors != nullptr && processors->value) {
      profile_.gpu->processors = static_cast<int64_t>(*processors->value);
    }
    profile_.step_times = "one launch, alone on the GPU";
    profile_.step_runs = 1;
    add_latency("median", us * 1e-3, 1, "sum of the kernels, which ncu runs one by one", profile_);
    finish(profile_);
    return std::move(profile_);
  }

 private:
  Status add_kernel(const Row& row) {
    const std::string kernel(cell_of(row, columns_.kernel));
    if (kernel.empty()) return bad_input("line ", row.line, ": no 'Kernel Name'");
    StepProfile step;
    step.name = name_of_launch(kernel);
    const std::string grid = text_of(row, columns_.grid);
    const std::string block = text_of(row, columns_.block);
    step.kind = kind_of_gpu_kernel(kernel);
    step.op = step.kind.work;
    // The variant stays: it says which cores multiply.
    if (!grid.empty()) step.kind.work = str("grid ", grid, ", block ", block);
    const std::string device = text_of(row, columns_.device);
    if (profile_.device.empty() && !device.empty()) {
      profile_.gpu->capability = text_of(row, columns_.capability);
      profile_.device = str("GPU ", device, ", compute capability ", profile_.gpu->capability);
    }
    add_step(std::move(step), profile_, {kernel});
    timed_by_.emplace_back();
    return Done{};
  }

  // "relu", "relu 2", and so on: all of a name, with its arguments, is in the sources.
  std::string name_of_launch(const std::string& kernel) {
    const std::string name = short_kernel_name(kernel);
    const size_t launch = ++launches_[name];
    return launch == 1 ? name : str(name, " ", launch);
  }

  static void add_counter(std::string name, const std::string& digits, const std::string& unit,
                          StepProfile& step) {
    const Result<double> value = parse_number(digits, name, kMostCount);
    if (value.ok()) {
      step.counters.push_back({.name = std::move(name), .value = *value, .unit = unit});
    } else {
      step.counters.push_back(
          unavailable(std::move(name), unit, str("the file says '", digits, "'")));
    }
  }

  NsightComputeColumns columns_;
  Profile profile_ = imported_profile("nsight compute", "cuda");
  std::map<std::string, size_t> steps_;     // By launch.
  std::map<std::string, size_t> launches_;  // Of kernels of that short name.
  std::vector<std::string> timed_by_;       // The metric that told the time of a step.
};

bool recognizes_nsight_compute(std::string_view text) {
  return find_line(text, kNsightComputeFirstColumn) != std::string_view::npos &&
         text.find("\"Kernel Name\"") != std::string_view::npos;
}

Result<Profile> read_nsight_compute(std::string_view text, const ImportOptions&) {
  const size_t header = std::min(find_line(text, kNsightComputeFirstColumn), text.size());
  HONE_TRY(const std::vector<Row> rows,
           read_csv(text.substr(header), lines_of(text.substr(0, header)).size() + 1));
  if (rows.empty())
    return bad_input("no table, expected one that begins with ", kNsightComputeFirstColumn);
  HONE_TRY(NsightComputeColumns columns, nsight_columns_of(rows[0]));
  const size_t value = columns.value.index;  // Columns of advice behind it may be left out.
  KernelReader reader(std::move(columns));
  for (size_t r = 1; r < rows.size(); ++r) {
    const Row& row = rows[r];
    if (row.cells[0].starts_with("==")) continue;  // "==PROF== Disconnected from process 42".
    if (row.cells.size() <= value) {
      return bad_input("line ", row.line, ": ", row.cells.size(),
                       " columns, expected 'Metric Value' as column ", value + 1);
    }
    HONE_RETURN_IF_ERROR(reader.take(row));
  }
  return reader.finished();
}

}  // namespace

extern const ImporterDef importer_nsight_compute = {
    .name = "nsight_compute",
    .summary = "kernels of Nsight Compute (ncu --csv --page details)",
    .recognizes = recognizes_nsight_compute,
    .read = read_nsight_compute,
};

}  // namespace hone
