#include <algorithm>

#include "hone/base/str.h"
#include "hone/report/section_def.h"
#include "hone/report/sections/sqnr_text.h"

namespace hone {
namespace {

constexpr size_t kRows = 40;
constexpr size_t kBars = 20;

BarChart chart_of_sensitivity(const std::vector<SensitiveLayer>& layers) {
  BarChart chart{.title =
                     "SQNR of the outputs with one layer quantized, the most harmful first, dB"};
  for (const SensitiveLayer& layer : layers) {
    if (chart.bars.size() == kBars) break;
    if (!layer.sqnr_db) continue;
    chart.bars.push_back({.name = layer.layer,
                          .value = std::max(*layer.sqnr_db, 0.0),
                          .text = str(sqnr_text(layer.sqnr_db), " dB")});
  }
  return chart;
}

Blocks sensitivity_blocks(const QuantizationResult& result, const ShowOptions& show) {
  const std::vector<SensitiveLayer>& layers = result.sensitivity;
  // Where ways were tried, layers were measured only to choose among them.
  if (layers.empty() || (!show.page && !result.trials.empty())) return {};
  DataTable table{.columns = {{"layer quantized alone"}, {"operator"}, {"SQNR dB", true}}};
  for (size_t i = 0; i < layers.size() && i < kRows; ++i) {
    table.rows.push_back({layers[i].layer, layers[i].op, sqnr_text(layers[i].sqnr_db)});
  }
  Sentences rest;
  if (layers.size() > kRows) {
    rest.lines.push_back(str("and ", layers.size() - kRows, " more, which harm less"));
  }
  return {chart_of_sensitivity(layers), table, rest};
}

}  // namespace

extern const SectionDef section_sensitivity = {.title = "What each layer costs",
                                               .of_quantization = sensitivity_blocks};

}  // namespace hone
