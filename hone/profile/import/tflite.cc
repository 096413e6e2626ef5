// Operators as TensorFlow Lite's benchmark_model prints them, as CSV or for people: in its output
// or in the file of --profiling_output_csv_file. Sections have titles between rows of '='; read is
// "Run Order" of the regular runs' primary graph, in which each operator stands once.

#include <algorithm>
#include <optional>

#include "hone/base/str.h"
#include "hone/profile/import/evidence.h"
#include "hone/profile/import/importer_def.h"
#include "hone/profile/import/rows.h"

namespace hone {
namespace {

constexpr std::string_view kRegularRuns = "Regular Benchmark Runs";
constexpr std::string_view kRunOrder = "= Run Order =";

// Columns of the CSV form and of the one for people: "avg_ms" and "[avg ms]" become "avg ms".
std::string plain_title(std::string title) {
  if (title.starts_with('[') && title.ends_with(']')) title = title.substr(1, title.size() - 2);
  std::ranges::replace(title, '_', ' ');
  if (title == "Name") title = "name";
  return title;
}

struct Table {
  char separator = ',';
  size_t count = 0;
  Column type, first, mean, memory, calls, name;

  // The form for people begins with a separator.
  std::vector<std::string> cells_of(std::string_view line) const {
    if (separator == '\t' && line.starts_with('\t')) line.remove_prefix(1);
    return split(line, separator, count == 0 ? ~size_t{0} : count);
  }
};

Result<Table> table_of(const Line& line) {
  Table table;
  table.separator = holds(line.text, "\t") ? '\t' : ',';
  Row header{.line = line.number, .cells = table.cells_of(line.text)};
  for (std::string& cell : header.cells) cell = plain_title(std::move(cell));
  table.count = header.cells.size();
  HONE_TRY(table.type, find_column(header, "node type"));
  HONE_TRY(table.first, find_column(header, "first"));
  HONE_TRY(table.mean, find_column(header, "avg ms"));
  HONE_TRY(table.memory, find_column(header, "mem KB"));
  HONE_TRY(table.calls, find_column(header, "times called"));
  HONE_TRY(table.name, find_column(header, "name"));
  return table;
}

// "[sequential/conv/Relu]:3" -> "sequential/conv/Relu": what the operator makes.
std::string output_of(std::string_view name) {
  const size_t end = name.rfind(']');
  if (!name.starts_with('[') || end == std::string_view::npos) return std::string(name);
  return std::string(name.substr(1, end - 1));
}

Status add_operator(const Row& row, const Table& table, Profile& profile) {
  HONE_TRY(const double ms, number_of(row, table.mean, kMostMs));
  HONE_TRY(const double first, number_of(row, table.first, kMostMs));
  HONE_TRY(const double memory, number_of(row, table.memory, kMostCount));
  HONE_TRY(const double calls, number_of(row, table.calls, kMostCount));
  StepProfile step;
  step.name = output_of(cell_of(row, table.name));
  step.op = cell_of(row, table.type);
  step.us = 1e3 * ms * std::max(1.0, calls);  // The mean is that of a call.
  if (step.us > kMostUs) return bad_input("line ", row.line, ": ", calls, " calls of ", ms, " ms");
  step.counters.push_back({.name = "first_call", .value = 1e3 * first, .unit = "us"});
  step.counters.push_back({.name = "memory", .value = memory, .unit = "kB"});
  step.counters.push_back({.name = "calls", .value = calls, .unit = ""});
  add_step(std::move(step), profile);
  return Done{};
}

// "count=50 first=32891 curr=33978 min=32641 max=34005 avg=33209.4 std=450"; absent keys are empty.
std::optional<double> value_after(std::string_view line, std::string_view key) {
  const size_t at = line.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = line.substr(at + key.size());
  rest = rest.substr(0, rest.find_first_of(" ,]"));
  const Result<double> value = parse_number(rest, key, kMostUs);
  return value.ok() ? std::optional(*value) : std::nullopt;
}

void add_statistics(std::string_view line, const std::string& note, Profile& profile) {
  const auto n = static_cast<int64_t>(value_after(line, "count=").value_or(1));
  const auto add = [&](const char* name, std::optional<double> us) {
    if (us) add_latency(name, *us * 1e-3, n, note, profile);
  };
  const std::optional<double> mean = value_after(line, "avg=");
  const std::optional<double> deviation = value_after(line, "std=");
  add("min", value_after(line, "min="));
  add("median",
      value_after(line, "p50=") ? value_after(line, "p50=") : value_after(line, "median="));
  add("mean", mean ? mean : value_after(line, "curr="));
  add("max", value_after(line, "max="));
  if (mean && deviation && *mean > 0) {
    profile.latency.push_back({.name = "cov", .value = *deviation / *mean, .unit = "", .n = n});
  }
  profile.step_runs = n;
}

// Of the lines that tell about whole runs, the last one counts: the first is about warming up.
void add_latencies(const std::vector<Line>& lines, size_t table, Profile& profile) {
  std::string_view runs, sums;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i].text;
    if (holds(line, "Timings (microseconds)")) {
      if (i > table && sums.empty()) sums = line;
    } else if (holds(line, "count=") && !holds(line, "Memory (bytes)")) {
      runs = line;
    }
    const auto phase = [&](const char* name, std::string_view key) {
      const std::optional<double> us = value_after(line, key);
      if (!us) return;
      profile.phases.push_back({.name = name, .value = *us * 1e-3, .unit = "ms"});
    };
    if (!holds(line, "Inference timings in us")) continue;
    phase("compile", "Init: ");
    phase("first_run", "First inference: ");
  }
  if (!runs.empty()) return add_statistics(runs, "whole runs", profile);
  if (!sums.empty()) return add_statistics(sums, "sums over the operators", profile);
  double us = 0;
  for (const StepProfile& step : profile.steps) us += step.us;
  add_latency("mean", us * 1e-3, 1, "sum over the operators; the number of runs is not told",
              profile);
}

void add_setup(const std::vector<Line>& lines, Profile& profile) {
  for (const Line& line : lines) {
    const size_t graph = line.text.find("Graph: [");
    if (graph != std::string_view::npos && line.text.ends_with(']')) {
      std::string_view path = line.text.substr(graph + 8);
      path.remove_suffix(1);
      profile.model = path.substr(path.rfind('/') + 1);
    }
    const std::optional<double> threads =
        value_after(line.text, "#threads used for CPU inference: [");
    if (threads && *threads <= 4096) profile.threads = static_cast<int>(*threads);
  }
}

// Index of the line with the title of the table, or the number of lines.
size_t find_table(const std::vector<Line>& lines) {
  size_t from = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (holds(lines[i].text, kRegularRuns)) from = i;
  }
  const auto found = std::find_if(lines.begin() + static_cast<std::ptrdiff_t>(from), lines.end(),
                                  [](const Line& line) { return holds(line.text, kRunOrder); });
  return static_cast<size_t>(found - lines.begin());
}

bool recognizes_tflite(std::string_view text) {
  return holds(text, kRunOrder) && holds(text, "node type");
}

Result<Profile> read_tflite(std::string_view text, const ImportOptions&) {
  const std::vector<Line> lines = lines_of(text);
  const size_t title = find_table(lines);
  if (title + 1 >= lines.size()) return bad_input("no operators below 'Run Order'");
  HONE_TRY(const Table table, table_of(lines[title + 1]));
  Profile profile = imported_profile("tflite benchmark_model", "tflite");
  profile.step_times = "mean of all runs";
  size_t end = title + 2;
  for (; end < lines.size() && !trimmed(lines[end].text).empty(); ++end) {
    if (holds(lines[end].text, "=====")) break;
    const Row row{lines[end].number, table.cells_of(lines[end].text)};
    HONE_RETURN_IF_ERROR(add_operator(row, table, profile));
  }
  if (profile.steps.empty()) return bad_input("line ", lines[title].number, ": no operators below");
  const auto rest = lines.begin() + static_cast<std::ptrdiff_t>(end);
  if (std::any_of(rest, lines.end(),
                  [](const Line& line) { return holds(line.text, kRunOrder); })) {
    profile.notes.emplace_back(
        "the file also tells what ran inside delegates or subgraphs, which is part of the "
        "operators "
        "here and is not read");
  }
  add_latencies(lines, title, profile);
  add_setup(lines, profile);
  finish(profile);
  return profile;
}

}  // namespace

extern const ImporterDef importer_tflite = {
    .name = "tflite",
    .summary =
        "operators of TensorFlow Lite (benchmark_model --enable_op_profiling=true, as CSV or "
        "as printed)",
    .recognizes = recognizes_tflite,
    .read = read_tflite,
};

}  // namespace hone
