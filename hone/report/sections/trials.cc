#include <algorithm>

#include "hone/base/text.h"
#include "hone/report/section_def.h"
#include "hone/report/sections/sqnr_text.h"

namespace hone {
namespace {

BarChart chart_of_trials(const QuantizationResult& result) {
  BarChart chart{.title = str(result.metric, " of each way that was tried"),
                 .caption = str("Dashed: the float network. The last one was kept."),
                 .limit = result.reference};
  for (const QuantizationTrial& trial : result.trials) {
    chart.bars.push_back({.name = trial.tried,
                          .value = std::max(trial.metric, 0.0),
                          .text = fixed(trial.metric, 4)});
  }
  if (!chart.bars.empty()) chart.bars.back().tone = result.holds ? Tone::Good : Tone::Bad;
  return chart;
}

Blocks trials_blocks(const QuantizationResult& result, const ShowOptions&) {
  if (result.trials.empty()) return {};
  // Of scores of classes; fidelity is the metric where there are none.
  const bool agreement = result.metric != "agreement" && result.metric != "fidelity";
  DataTable table{
      .columns = {
          {"tried"}, {result.metric, true}, {"drop", true}, {"SQNR dB", true}, {"s", true}}};
  if (agreement) table.columns.insert(table.columns.begin() + 3, {"agreement", true});
  for (const QuantizationTrial& trial : result.trials) {
    TableRow row = {trial.tried, fixed(trial.metric, 4), fixed(trial.drop, 4),
                    sqnr_text(trial.sqnr_db), fixed(trial.seconds, 1)};
    if (agreement) {
      row.insert(row.begin() + 3, trial.agreement ? fixed(*trial.agreement, 4) : "-");
    }
    table.rows.push_back(std::move(row));
  }
  return {chart_of_trials(result), table};
}

}  // namespace

extern const SectionDef section_trials = {.title = "What was tried",
                                          .of_quantization = trials_blocks};

}  // namespace hone
