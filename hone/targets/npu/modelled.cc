// The cycle model's account of a run as metrics.

#include "hone/base/text.h"
#include "hone/sim/vector_op.h"
#include "hone/targets/common/modelled_metrics.h"
#include "hone/targets/npu/npu_program.h"

namespace hone::npu {
namespace {

Metric simulated(std::string name, double value, std::string unit, std::string note = "") {
  return {.name = std::move(name),
          .value = value,
          .unit = std::move(unit),
          .mode = Mode::Simulated,
          .note = std::move(note)};
}

std::string what(const sim::Command& command) {
  if (const auto* move = std::get_if<sim::Transfer>(&command.work)) {
    const char* role = move->role == sim::Role::Weights ? "weights"
                       : move->role == sim::Role::Input ? "input"
                                                        : "output";
    return str(role, " ", human_bytes(static_cast<uint64_t>(move->bytes())));
  }
  if (const auto* product = std::get_if<sim::Product>(&command.work)) {
    return str(product->output.height, "x", product->output.width, "x", product->output.channels);
  }
  if (const auto* vector = std::get_if<sim::VectorCommand>(&command.work)) {
    return std::string(vector->op->name);
  }
  return "host";
}

NetworkWork work_of(const std::vector<NodeCost>& costs) {
  NetworkWork work;
  for (const NodeCost& cost : costs) {
    work.macs += static_cast<double>(cost.macs);
    work.bytes += static_cast<double>(cost.bytes());
  }
  return work;
}

void add_memory(const NpuPlan& plan, ModelledRun& run) {
  const Schedule& schedule = plan.schedule;
  const auto exact = [](std::string name, double value, std::string note) {
    return Metric{.name = std::move(name),
                  .value = value,
                  .unit = "B",
                  .mode = Mode::Exact,
                  .note = std::move(note)};
  };
  run.memory = {
      exact("sram_activations", static_cast<double>(schedule.sram.bytes), "largest at any time"),
      exact("sram_weights_kept", static_cast<double>(schedule.kept_bytes), "from run to run"),
      exact("sram_weight_slots", static_cast<double>(2 * schedule.weight_slot), "two slots"),
      exact("weights", static_cast<double>(schedule.weight_bytes), "with biases, scales, tables"),
  };
  uint64_t spilled = 0, cascaded = 0;
  for (size_t i = 0; i < schedule.sram.resident.size(); ++i) {
    const Storage& storage = plan.program.storages.all[i];
    if (!storage.npu || schedule.sram.resident[i]) continue;
    (schedule.sram.linked[i] ? cascaded : spilled) += storage.bytes;
  }
  run.memory.push_back(exact("cascaded", static_cast<double>(cascaded),
                             "activations made and used stripe by stripe, never whole"));
  run.memory.push_back(exact("spilled", static_cast<double>(spilled),
                             "activations that do not fit and pass through in tiles"));
}

// The storage outside of the SRAM that is largest, by the layer that writes it.
LayerBytes largest_outside(const NpuPlan& plan) {
  LayerBytes largest;
  for (size_t i = 0; i < plan.schedule.sram.resident.size(); ++i) {
    const Storage& storage = plan.program.storages.all[i];
    if (plan.schedule.sram.resident[i] || storage.bytes <= largest.bytes) continue;
    largest = {storage.value->name, storage.bytes};
  }
  return largest;
}

std::vector<MemoryDemand> demands(const NpuPlan& plan) {
  const NpuSpec& npu = plan.npu();
  const auto weight_memory = static_cast<size_t>(npu.weight_memory);
  std::vector<MemoryDemand> list = {weight_demand(plan, plan.schedule.weight_bytes)};
  for (size_t m = 0; m < npu.memories.size(); ++m) {
    if (m > 0 && m == weight_memory) continue;
    list.push_back({.what = "activations",
                    .asked = plan.schedule.stream.space_bytes[1 + m],
                    .where = npu.memories[m].name,
                    .there = static_cast<uint64_t>(npu.memories[m].bytes),
                    .most = m == 0 ? largest_outside(plan) : LayerBytes()});
    if (m == 0 && npu.sram.is_first_memory) {
      list.back().asked += 2 * plan.schedule.weight_slot + plan.schedule.sram.bytes;
    }
    // What lies there besides are the weights.
    if (m == weight_memory) list.back().what = "weights and activations";
  }
  return list;
}

}  // namespace

std::vector<StepInfo> step_infos(const NpuPlan& plan) {
  std::vector<StepInfo> infos;
  for (size_t s = 0; s < plan.costs.size(); ++s) {
    infos.push_back({.node = plan.program.steps[s].node, .cost = plan.costs[s]});
  }
  return infos;
}

MemoryDemand weight_demand(const NpuPlan& plan, uint64_t npu_weight_bytes) {
  const NpuSpec& npu = plan.npu();
  const NpuMemory& memory = npu.memories[static_cast<size_t>(npu.weight_memory)];
  const double stored = npu.matrix.weight_compression * static_cast<double>(npu_weight_bytes);
  MemoryDemand demand{.what = "weights",
                      .asked = static_cast<uint64_t>(stored),
                      .where = memory.name,
                      .there = static_cast<uint64_t>(memory.bytes),
                      .most = most_weights(step_infos(plan))};
  for (size_t s = 0; s < plan.costs.size(); ++s) {
    if (!plan.program.steps[s].on_npu) demand.asked += plan.costs[s].stored_bytes;
  }
  return demand;
}

ModelledRun modelled_run(const NpuPlan& plan) {
  const NpuSpec& npu = plan.npu();
  const sim::Simulation& simulation = plan.simulation;
  ModelledRun run;
  run.device = plan.device.name;
  run.latency = simulated("latency", npu.us(simulation.cycles) / 1e3, "ms");
  if (plan.device.fit) {
    set_interval(run.latency, plan.device.fit, 1);
    run.uncovered = run.notes = coverage_notes(plan.device.fit, work_of(plan.costs));
    if (plan.device.fit) run.notes.push_back(fit_text(plan.device));
  } else {
    if (plan.device.checked) set_interval(run.latency, *plan.device.checked);
    for (const DeviceSource& source : plan.device.sources) {
      if (source.figure == "latency") run.notes.push_back("latency: " + source.text);
    }
  }
  sim::EngineCounters& engines = run.engines.emplace();
  for (const sim::StepTime& step : simulation.steps) {
    run.steps.push_back(
        {.start_us = npu.us(step.start), .us = npu.us(step.cycles), .engines = step});
    sim::add(step, engines);
  }
  run.tracks = sim::track_names(npu);
  for (size_t c = 0; c < simulation.commands.size(); ++c) {
    const sim::Command& command = plan.schedule.stream.commands[c];
    const sim::CommandTime& time = simulation.commands[c];
    run.events.push_back({command.step, static_cast<int>(sim::track_of(npu, command)),
                          npu.us(time.start), npu.us(time.end - time.start), what(command)});
  }
  const double mj = simulation.energy_uj / 1e3;
  Metric energy = simulated("energy", mj, "mJ", npu.energy.source);
  energy.mode = Mode::Predicted;
  energy.low = mj / npu.energy.factor;
  energy.high = mj * npu.energy.factor;
  run.energy = {energy};
  add_memory(plan, run);
  run.misfit = misfit_of(plan.device.name, demands(plan));
  withhold_times(step_infos(plan), run);
  return run;
}

}  // namespace hone::npu
