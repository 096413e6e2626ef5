// Counters of OpenVINO's benchmark_app: `;` between columns, one table for the mean of all runs
// (average_counters) or one for each infer request (detailed_counters, sort_detailed_counters).

#include <algorithm>
#include <map>

#include "hone/base/str.h"
#include "hone/profile/import/evidence.h"
#include "hone/profile/import/importer_def.h"
#include "hone/profile/import/rows.h"

namespace hone {
namespace {

constexpr std::string_view kHeader = "layerName;execStatus;";

// Where things stand; the same in every table of a file.
struct OpenvinoColumns {
  size_t count = 0;
  Column name, status, type, kernel, real, cpu;
};

Result<OpenvinoColumns> openvino_columns(const Row& header) {
  OpenvinoColumns columns;
  columns.count = header.cells.size();
  HONE_TRY(columns.name, find_column(header, "layerName"));
  HONE_TRY(columns.status, find_column(header, "execStatus"));
  HONE_TRY(columns.type, find_column(header, "layerType"));
  HONE_TRY(columns.kernel, find_column(header, "execType"));
  HONE_TRY(columns.real, find_column(header, "realTime (ms)"));
  HONE_TRY(columns.cpu, find_column(header, "cpuTime (ms)"));
  return columns;
}

// A name may hold separators, as those of TensorFlow Lite's models do: what is too much at the
// front of a row belongs to its first cell.
Row row_of(const Line& line, size_t columns) {
  Row row{.line = line.number, .cells = split(line.text, ';')};
  const size_t extra = row.cells.size() - std::min(row.cells.size(), columns);
  for (size_t i = 0; i < extra; ++i) row.cells[0] += ";" + row.cells[i + 1];
  row.cells.erase(row.cells.begin() + 1,
                  row.cells.begin() + 1 + static_cast<std::ptrdiff_t>(extra));
  return row;
}

// OpenVINO tells it as the end of its execType: "jit_avx512_FP32".
Arithmetic precision_of_openvino(std::string_view kernel) {
  const std::string_view end = kernel.substr(kernel.rfind('_') + 1);
  if (end == "FP32" || end == "f32") return Arithmetic::Fp32;
  if (end == "FP16" || end == "f16") return Arithmetic::Fp16;
  if (end == "BF16" || end == "bf16") return Arithmetic::Bf16;
  if (end == "I8" || end == "U8" || end == "i8" || end == "u8") return Arithmetic::Int8;
  return Arithmetic::Unknown;
}

class CountersReader {
 public:
  Status take(const Line& line) {
    if (line.text.starts_with(kHeader)) {
      HONE_TRY(columns_, openvino_columns({line.number, split(line.text, ';')}));
      ++tables_;
      seen_.clear();
      return Done{};
    }
    if (tables_ == 0 || trimmed(line.text).empty()) return Done{};
    const Row row = row_of(line, columns_.count);
    const std::string_view status = cell_of(row, columns_.status);
    if (status.empty() && cell_of(row, columns_.name) == "Total") return Done{};
    if (status == "EXECUTED") return take_layer(row);
    if (status != "NOT_RUN" && status != "OPTIMIZED_OUT") {
      return bad_input("line ", row.line, ": execStatus is '", status.substr(0, 40),
                       "', expected EXECUTED, NOT_RUN or OPTIMIZED_OUT");
    }
    if (tables_ == 1) {
      add_idle_layer(row.cells[0], std::string(cell_of(row, columns_.type)),
                     status == "NOT_RUN" ? "not run" : "optimized out", profile_);
    }
    return Done{};
  }

  Result<Profile> finished() {
    if (profile_.steps.empty()) return bad_input("no layer with execStatus EXECUTED");
    std::vector<double> whole_ms(tables_);
    for (std::vector<double>& times : us_) {
      times.resize(tables_);
      for (size_t t = 0; t < tables_; ++t) whole_ms[t] += times[t] * 1e-3;
    }
    add_runs(whole_ms, us_, profile_);
    if (tables_ == 1) say_that_it_is_a_mean(whole_ms[0]);
    profile_.notes.emplace_back("latencies are sums over the layers: the file tells no other");
    finish(profile_);
    return std::move(profile_);
  }

 private:
  Status take_layer(const Row& row) {
    HONE_TRY(const double real_ms, number_of(row, columns_.real, kMostMs));
    HONE_TRY(const double cpu_ms, number_of(row, columns_.cpu, kMostMs));
    const std::string& name = row.cells[0];
    const size_t nth = seen_[name]++;
    const auto [found, is_new] = steps_.try_emplace({name, nth}, profile_.steps.size());
    if (is_new) add_layer(row, cpu_ms);
    std::vector<double>& times = us_[found->second];
    times.resize(tables_);
    times.back() = 1e3 * real_ms;
    return Done{};
  }

  void add_layer(const Row& row, double cpu_ms) {
    StepProfile step;
    step.name = row.cells[0];
    step.op = cell_of(row, columns_.type);
    step.kind.work = cell_of(row, columns_.kernel);
    step.kind.precision = precision_of_openvino(step.kind.work);
    step.counters.push_back({.name = "cpu_time", .value = 1e3 * cpu_ms, .unit = "us"});
    add_step(std::move(step), profile_);
    us_.emplace_back();
  }

  void say_that_it_is_a_mean(double ms) {
    profile_.samples_ms.clear();
    profile_.latency.clear();
    profile_.unstable.clear();
    add_latency("mean", ms, 1, "the file does not tell over how many runs", profile_);
    profile_.step_times = "mean over runs whose number the file does not tell";
    for (StepProfile& step : profile_.steps) {
      step.us_p10 = step.us_p90 = 0;
      step.us_blocks.clear();
    }
  }

  Profile profile_ = imported_profile("openvino benchmark_app", "openvino");
  OpenvinoColumns columns_;
  size_t tables_ = 0;
  std::map<std::string, size_t> seen_;  // How often, in this table.
  std::map<std::pair<std::string, size_t>, size_t> steps_;
  std::vector<std::vector<double>> us_;  // By step and table.
};

bool recognizes_openvino(std::string_view text) {
  return text.starts_with(kHeader) || text.find("\n" + std::string(kHeader)) != text.npos;
}

Result<Profile> read_openvino(std::string_view text, const ImportOptions&) {
  CountersReader reader;
  for (const Line& line : lines_of(text)) HONE_RETURN_IF_ERROR(reader.take(line));
  return reader.finished();
}

}  // namespace

extern const ImporterDef importer_openvino = {
    .name = "openvino",
    .summary =
        "OpenVINO's counters CSV (benchmark_app -report_type average_counters or "
        "detailed_counters)",
    .recognizes = recognizes_openvino,
    .read = read_openvino,
};

}  // namespace hone
