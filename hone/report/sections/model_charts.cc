#include "hone/base/str.h"
#include "hone/report/document/svg.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

const ModelFront* front_against_latency(const ModelRanking& ranking) {
  for (const ModelFront& front : ranking.fronts) {
    if (front.against == "latency" && front.left_out.empty()) return &front;
  }
  return nullptr;
}

ScatterChart accuracy_chart(const ModelComparison& comparison, size_t device) {
  const ModelRanking& ranking = comparison.devices[device];
  const bool more = comparison.more_accuracy_is_better();
  ScatterChart chart{.title = str("Accuracy against latency on ", ranking.device),
                     .caption =
                         "Green: measured, blue: simulated, orange: predicted latency; thin "
                         "lines are intervals. Filled points and the "
                         "dashed line: the front, which no other model beats in both.",
                     .x_axis = "latency, ms",
                     .more_y_is_better = more,
                     .linear_y = true,
                     .limit = comparison.max_latency_ms};
  const ModelFront* front = front_against_latency(ranking);
  for (size_t m = 0; front != nullptr && m < comparison.models.size(); ++m) {
    const DeviceFigures& figures = comparison.models[m].devices[device];
    if (!figures.failed.empty() || !figures.accuracy.value) continue;
    const Metric& accuracy = figures.accuracy;
    chart.y_axis = str(accuracy.name, accuracy.unit.empty() ? "" : ", ", accuracy.unit, ", ",
                       mode_name(accuracy.mode));
    chart.points.push_back({.name = comparison.models[m].model,
                            .x = *figures.typical(),
                            .y = accuracy,
                            .filled = front->places[m].on_front});
  }
  if (chart.limit) chart.caption += " The upright line is the limit.";
  return chart;
}

BarChart latency_chart(const ModelComparison& comparison, size_t device) {
  BarChart chart{.title = str("Latency on ", comparison.devices[device].device, ", ms"),
                 .caption = comparison.max_latency_ms ? "The dashed line is the limit." : "",
                 .logarithmic = true,
                 .limit = comparison.max_latency_ms};
  for (const DeviceComparison& model : comparison.models) {
    const Metric* latency = model.devices[device].typical();
    if (latency == nullptr || latency->value.value_or(0) <= 0) continue;
    chart.bars.push_back(
        {.name = model.model,
         .value = *latency->value,
         .text = str(svg_number(*latency->value), " ms, ", mode_name(latency->mode)),
         .low = latency->low,
         .high = latency->high,
         .mode = latency->mode});
  }
  return chart;
}

Blocks model_charts_blocks(const ModelComparison& comparison, const ShowOptions&) {
  Blocks blocks;
  for (size_t d = 0; d < comparison.devices.size(); ++d) {
    ScatterChart accuracy = accuracy_chart(comparison, d);
    if (!accuracy.points.empty()) blocks.push_back(std::move(accuracy));
    blocks.push_back(latency_chart(comparison, d));
  }
  return blocks;
}

}  // namespace

extern const SectionDef section_model_charts = {.title = "Charts",
                                                .of_models = model_charts_blocks};

}  // namespace hone
