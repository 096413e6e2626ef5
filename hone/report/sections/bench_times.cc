#include <algorithm>

#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/bench_verdict.h"
#include "hone/report/results/bench_run.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

// By runs on this machine; otherwise the device's model gives one time, perhaps with an interval.
bool is_timed(const BenchRun& run) {
  return run.mode == Mode::Measured;
}

std::string about(const BenchRun& run) {
  return str("target ", run.target, is_timed(run) ? str(", threads ", run.threads) : "",
             ", batch 1, ", mode_name(run.mode), run.machine.empty() ? "" : " on " + run.machine,
             "; GOP/s counts two operations per multiply-accumulate",
             is_timed(run) ? ", in the median run" : "");
}

std::string ms(const std::optional<double>& value) {
  return value ? millis(*value) : "-";
}

// A page has room for the bounds of the median.
std::vector<Column> columns_of(const BenchRun& run, bool page) {
  std::vector<Column> columns = {{"network"}, {"type"}};
  if (is_timed(run)) {
    columns.insert(columns.end(),
                   {{"min ms", true}, {"median ms", true}, {"max ms", true}, {"runs", true}});
    if (page) columns.insert(columns.end(), {{"95 % from", true}, {"to", true}});
  } else {
    columns.insert(columns.end(), {{"ms", true}, {"from", true}, {"to", true}});
  }
  columns.insert(columns.end(), {{"GOP/s", true}, {"arena", true}});
  return columns;
}

TableRow row_of(const BenchedNetwork& network, bool timed, bool page) {
  const BenchResult& result = *network.result;
  const Metric& latency = result.latency;
  const std::string& whole = network.whole.empty() ? network.model : network.whole;
  TableRow row = {Cell::short_for(network.model, whole), result.precision};
  if (timed) {
    row.insert(row.end(), {ms(latency.low), ms(latency.value), ms(latency.high), str(latency.n)});
    if (page) row.insert(row.end(), {ms(result.median_low), ms(result.median_high)});
  } else {
    row.insert(row.end(), {ms(latency.value), ms(latency.low), ms(latency.high)});
  }
  row.insert(row.end(), {fixed(result.rate(), 1), human_bytes(result.arena_bytes)});
  return row;
}

void add_references(const BenchedNetwork& network, Sentences& sentences) {
  const std::vector<std::string>& ops = network.result->reference_ops;
  const std::vector<std::string>& plain = network.result->plain_kernels;
  if (!ops.empty()) {
    sentences.lines.push_back(
        str("references: no kernel takes ", join(ops), " of ", network.model));
  }
  if (!plain.empty()) {
    sentences.lines.push_back(str("plain kernels: the CPU has, or is left, no features for faster ",
                                  join(plain), " of ", network.model));
  }
}

// As where other work takes the processor away for half of the runs.
void add_unsteady(const BenchedNetwork& network, Sentences& sentences) {
  constexpr double kSteady = 1.3;
  const Metric& latency = network.result->latency;
  if (!latency.value || !latency.low || *latency.value <= kSteady * *latency.low) return;
  sentences.lines.push_back(str("unsteady: the median of ", network.model, " is ",
                                fixed(*latency.value / *latency.low, 1),
                                " times its shortest run"));
}

// A logarithmic axis where one network takes much longer than another.
BarChart times_chart(const BenchRun& run) {
  constexpr double kFarApart = 20;
  BarChart chart{.title = "Time of a run",
                 .caption = is_timed(run)
                                ? "Medians; the line across a bar is where the median lies "
                                  "at 95 %."
                                : "The line across a bar is the interval of the model."};
  double least = 0, most = 0;
  for (const BenchedNetwork& network : run.networks) {
    if (!network.result || !network.result->latency.value) continue;
    const double value = *network.result->latency.value;
    Bar bar{.name = label_of(network),
            .value = value,
            .text = human_duration(value * 1e-3),
            .mode = network.result->latency.mode};
    if (const auto range = certain_range(*network.result)) {
      bar.low = range->low_ms;
      bar.high = range->high_ms;
    }
    chart.bars.push_back(std::move(bar));
    least = least == 0 ? value : std::min(least, value);
    most = std::max(most, value);
  }
  chart.logarithmic = least > 0 && most > kFarApart * least;
  return chart;
}

Blocks bench_times_blocks(const BenchRun& run, const ShowOptions& show) {
  DataTable table{.columns = columns_of(run, show.page)};
  Sentences references, unsteady, failures;
  for (const BenchedNetwork& network : run.networks) {
    if (network.result) {
      table.rows.push_back(row_of(network, is_timed(run), show.page));
      add_references(network, references);
      if (is_timed(run)) add_unsteady(network, unsteady);
    } else {
      failures.lines.push_back("failed: " + failure_of(network) +
                               in_brackets(network.error->hint, show.words));
    }
  }
  return {Paragraph{about(run)}, times_chart(run), table, references, unsteady, failures};
}

}  // namespace

extern const SectionDef section_bench_times = {.title = "Networks", .of_bench = bench_times_blocks};

}  // namespace hone
