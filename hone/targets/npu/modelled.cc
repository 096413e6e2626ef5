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

std::string snake(std::string text) {
  for (char& c : text) c = c == ' ' ? '_' : c;
  return text;
}

// Of a step, or of the whole run.
std::vector<Metric> counters_of(const NpuSpec& npu, const sim::StepTime& time) {
  const auto percent = [&](double cycles) {
    return time.cycles > 0 ? 100 * cycles / time.cycles : 0;
  };
  std::vector<Metric> metrics = {
      simulated("cycles", time.cycles, ""),
      simulated("matrix_busy", percent(time.matrix_busy), "%"),
      simulated("vector_busy", percent(time.vector_busy), "%"),
      simulated("dma_busy", percent(time.dma_busy / npu.dma.channels), "%"),
      simulated("host_busy", percent(time.host_busy), "%"),
      simulated("mac_utilisation",
                percent(static_cast<double>(time.macs) /
                        static_cast<double>(npu.matrix.macs_per_cycle())),
                "%", "of the MACs the array could have done in that time"),
      simulated("commands", static_cast<double>(time.commands), ""),
      simulated("sram_bytes", time.sram_bytes, "B"),
  };
  for (size_t stall = 0; stall < sim::kStalls; ++stall) {
    const std::string name = sim::stall_name(static_cast<sim::Stall>(stall));
    metrics.push_back(simulated("stall_" + snake(name), time.stalls[stall], "cycles"));
  }
  for (size_t m = 0; m < npu.memories.size(); ++m) {
    const std::string& name = npu.memories[m].name;
    metrics.push_back(simulated(snake(name) + "_read", time.read_bytes[m], "B"));
    metrics.push_back(simulated(snake(name) + "_written", time.written_bytes[m], "B"));
  }
  metrics.push_back(simulated("energy", time.energy_uj, "uJ"));
  return metrics;
}

sim::StepTime total_of(const sim::Simulation& simulation, size_t memories) {
  sim::StepTime total;
  total.read_bytes.assign(memories, 0);
  total.written_bytes.assign(memories, 0);
  total.cycles = simulation.cycles;
  total.energy_uj = simulation.energy_uj;
  for (const sim::StepTime& step : simulation.steps) {
    total.matrix_busy += step.matrix_busy;
    total.vector_busy += step.vector_busy;
    total.host_busy += step.host_busy;
    total.dma_busy += step.dma_busy;
    total.macs += step.macs;
    total.sram_bytes += step.sram_bytes;
    total.commands += step.commands;
    for (size_t i = 0; i < sim::kStalls; ++i) total.stalls[i] += step.stalls[i];
    for (size_t m = 0; m < memories; ++m) {
      total.read_bytes[m] += step.read_bytes[m];
      total.written_bytes[m] += step.written_bytes[m];
    }
  }
  return total;
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
  } else {
    for (const DeviceSource& source : plan.device.sources) {
      if (source.figure == "latency") run.notes.push_back("latency: " + source.text);
    }
  }
  for (const sim::StepTime& step : simulation.steps) {
    run.steps.push_back({npu.us(step.start), npu.us(step.cycles), counters_of(npu, step)});
  }
  run.tracks = sim::track_names(npu);
  for (size_t c = 0; c < simulation.commands.size(); ++c) {
    const sim::Command& command = plan.schedule.stream.commands[c];
    const sim::CommandTime& time = simulation.commands[c];
    run.events.push_back({command.step, static_cast<int>(sim::track_of(npu, command)),
                          npu.us(time.start), npu.us(time.end - time.start), what(command)});
  }
  const sim::StepTime total = total_of(simulation, npu.memories.size());
  run.counters = counters_of(npu, total);
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
