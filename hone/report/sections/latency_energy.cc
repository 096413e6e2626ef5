#include "hone/base/str.h"
#include "hone/report/compare_cells.h"
#include "hone/report/document/svg.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

// With what its energy covers, where that is not the same everywhere.
std::string energy_name(const DeviceComparison& comparison, const DeviceFigures& device) {
  if (comparison.energy_left_out.empty() || device.energy_of.empty()) return device.device;
  return str(device.device, " (", device.energy_of, ")");
}

bool is_known(const Metric* metric) {
  return metric != nullptr && metric->value.value_or(0) > 0;
}

std::string_view latency_name(const DeviceComparison& comparison) {
  return comparison.has_copies() ? "Latency with copies" : "Latency";
}

ScatterChart scatter_of(const DeviceComparison& comparison) {
  const bool front = comparison.energy_left_out.empty();
  ScatterChart chart{
      .title = str(latency_name(comparison), " against energy"),
      .caption = str("Green: measured, blue: simulated, orange: predicted; thin lines are "
                     "intervals; ",
                     front ? "the dashed line joins devices that no other beats in these two"
                           : comparison.energy_left_out,
                     ". Filled points: ", compare_star(comparison), "."),
      .x_axis = comparison.has_copies() ? "latency with copies, ms" : "latency, ms",
      .y_axis = "energy of a run, mJ",
      .front = front};
  for (const DeviceFigures& device : comparison.devices) {
    if (!is_known(device.waited()) || !is_known(&device.energy)) continue;
    chart.points.push_back({.name = energy_name(comparison, device),
                            .x = *device.waited(),
                            .y = device.energy,
                            .filled = device.pareto});
  }
  return chart;
}

Bar bar_of(const std::string& name, const Metric& metric) {
  return {.name = name,
          .value = *metric.value,
          .text = str(svg_number(*metric.value), " ", metric.unit, ", ", mode_name(metric.mode)),
          .low = metric.low,
          .high = metric.high,
          .mode = metric.mode};
}

Blocks latency_energy_blocks(const DeviceComparison& comparison, const ShowOptions&) {
  BarChart latency{.title = str(latency_name(comparison), ", ms"), .logarithmic = true};
  BarChart energy{.title = "Energy of a run, mJ", .logarithmic = true};
  for (const DeviceFigures& device : comparison.devices) {
    if (is_known(device.waited())) {
      latency.bars.push_back(bar_of(device.device, *device.waited()));
    }
    if (is_known(&device.energy)) {
      energy.bars.push_back(bar_of(energy_name(comparison, device), device.energy));
    }
  }
  return {scatter_of(comparison), latency, energy};
}

}  // namespace

extern const SectionDef section_latency_energy = {.title = "Latency and energy",
                                                  .of_comparison = latency_energy_blocks};

}  // namespace hone
