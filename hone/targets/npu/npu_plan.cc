#include "hone/targets/common/prepare_graph.h"
#include "hone/targets/npu/layer_cost.h"
#include "hone/targets/npu/npu_program.h"

namespace hone::npu {
namespace {

// Partitions, and takes back what does not fit.
Status place_and_schedule(const Device& device, PartitionOptions options, NpuPlan& plan) {
  for (;;) {
    plan.placed = partition(plan.graph, device, options);
    plan.program = outline(plan.graph, plan.placed);
    auto outcome = make_schedule(*device.npu(), plan.program);
    if (auto* schedule = std::get_if<Schedule>(&outcome)) {
      plan.schedule = std::move(*schedule);
      plan.simulation = sim::simulate(*device.npu(), plan.schedule.stream);
      return Done{};
    }
    const DoesNotFit& misfit = std::get<DoesNotFit>(outcome);
    if (misfit.node == nullptr || !options.too_large.insert(misfit.node).second) {
      return misfit.error;
    }
  }
}

// By the prices that hold for slow and for fast memories, or all on the NPU that runs there:
// whichever simulates fastest. The choices do not depend on the device's own bandwidth, so that
// more of it cannot lead to a worse one.
Status choose_partition(const Device& device, NpuPlan& plan) {
  Status status = Done{};
  std::set<std::set<const Node*>> seen;
  std::optional<double> best;
  for (PartitionOptions options :
       {PartitionOptions{.bytes_per_cycle = 1}, PartitionOptions{.bytes_per_cycle = 16},
        PartitionOptions{.all_that_runs = true}}) {
    options.eval = plan.options.eval;
    std::set<const Node*> on_npu;
    for (const auto& [node, index] : partition(plan.graph, device, options).npu_nodes) {
      on_npu.insert(node);
    }
    if (!seen.insert(std::move(on_npu)).second) continue;
    NpuPlan trial;
    std::swap(trial.graph, plan.graph);
    const Status placed = place_and_schedule(device, options, trial);
    std::swap(trial.graph, plan.graph);
    if (!placed.ok()) status = placed;
    if (!placed.ok() || (best && trial.simulation.cycles >= *best)) continue;
    best = trial.simulation.cycles;
    plan.placed = std::move(trial.placed);
    plan.program = std::move(trial.program);
    plan.schedule = std::move(trial.schedule);
    plan.simulation = std::move(trial.simulation);
  }
  return best ? Done{} : status;
}

}  // namespace

Result<std::shared_ptr<const NpuPlan>> make_npu_plan(Graph graph, const Device& device,
                                                     const CompileOptions& options) {
  HONE_RETURN_IF_ERROR(check_host(*device.npu()).in(device.name));
  auto plan = std::make_shared<NpuPlan>();
  plan->device = device;
  plan->graph = std::move(graph);
  HONE_TRY(plan->options, prepare_graph(plan->graph, options));
  if (options.estimate_only) {
    plan->placed = partition(plan->graph, device, {.eval = plan->options.eval});
    plan->program = outline(plan->graph, plan->placed);
  } else {
    HONE_RETURN_IF_ERROR(choose_partition(plan->device, *plan));
  }
  for (const ProgramStep& step : plan->program.steps) {
    plan->costs.push_back(node_cost(*step.node));
    plan->host.emplace_back();
    if (step.on_npu || options.estimate_only) continue;
    HONE_TRY(plan->host.back(), HostProgram::make(*step.node, plan->options));
  }
  return std::shared_ptr<const NpuPlan>(std::move(plan));
}

}  // namespace hone::npu
