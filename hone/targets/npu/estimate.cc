#include "hone/targets/common/modelled_metrics.h"
#include "hone/targets/npu/layer_cost.h"
#include "hone/targets/npu/npu_program.h"

namespace hone::npu {
namespace {

// Estimates leave out what tiles, spills and waits cost, and what overlaps.
constexpr double kFactor = 1.5;

double step_us(const NpuPlan& plan, const ProgramStep& step) {
  if (!step.on_npu) return host_us(plan.npu(), *step.node);
  double us = 0;
  for (const Layer& layer : step.layers) us += layer_us(plan.npu(), layer);
  return us;
}

}  // namespace

ModelledRun estimated_run(const NpuPlan& plan) {
  ModelledRun run;
  run.device = plan.device.name;
  double at = plan.npu().queue.start_us;
  for (const Placement& placement : plan.placed.placements) at += placement.boundary_us;
  for (const ProgramStep& step : plan.program.steps) {
    const double us = step_us(plan, step);
    run.steps.push_back({.start_us = at, .us = us});
    at += us;
  }
  run.latency = {.name = "latency", .value = at / 1e3, .unit = "ms", .mode = Mode::Predicted};
  set_interval(run.latency, std::nullopt, kFactor);
  run.notes.emplace_back(
      "layer after layer from closed forms: engines with everything in SRAM, or weights on their "
      "way, whichever takes longer; boundaries to the host and the start of a run come on top");
  uint64_t weights = 0;
  for (size_t s = 0; s < plan.costs.size(); ++s) {
    if (plan.program.steps[s].on_npu) weights += plan.costs[s].stored_bytes;
  }
  run.misfit = misfit_of(plan.device.name, {weight_demand(plan, weights)});
  withhold_times(step_infos(plan), run);
  return run;
}

}  // namespace hone::npu
