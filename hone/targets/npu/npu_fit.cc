#include "hone/targets/npu/npu_fit.h"

#include <algorithm>
#include <cmath>

#include "hone/targets/common/fit_bounds.h"
#include "hone/targets/npu/npu_program.h"

namespace hone {
namespace {

double one(const Device&) {
  return 1;
}

double scale_memories(Device& device, const Device& start, double value) {
  const double factor = factor_in_bounds(value);
  for (size_t m = 0; m < device.npu()->memories.size(); ++m) {
    const NpuMemory& from = start.npu()->memories[m];
    NpuMemory& to = device.npu()->memories[m];
    to.read_bytes_per_second = from.read_bytes_per_second * factor;
    to.write_bytes_per_second = from.write_bytes_per_second * factor;
  }
  return factor;
}

double scale_sram(Device& device, const Device& start, double value) {
  const double factor = factor_in_bounds(value);
  device.npu()->sram.bank_bytes_per_cycle = start.npu()->sram.bank_bytes_per_cycle * factor;
  return factor;
}

double start_us(const Device& device) {
  return us_to_start_from(device.npu()->queue.start_us);
}
double set_start_us(Device& device, const Device&, double value) {
  return device.npu()->queue.start_us = us_in_bounds(value);
}

double issue_cycles(const Device& device) {
  return std::max(1.0, static_cast<double>(device.npu()->queue.issue_cycles));
}
double set_issue_cycles(Device& device, const Device&, double value) {
  constexpr double kMost = 1e6;
  const auto cycles = static_cast<int>(std::lround(std::clamp(value, 0.0, kMost)));
  return device.npu()->queue.issue_cycles = cycles;
}

constexpr FitParameter kParameters[] = {
    {"queue.start_us", start_us, set_start_us},
    {"memory bandwidth, factor", one, scale_memories},
    {"queue.issue_cycles", issue_cycles, set_issue_cycles},
    {"sram bandwidth, factor", one, scale_sram},
};

// The commands stay those that were compiled for `device`: what a fit changes moves the compiler's
// choices little, and the fit compiles again with what it found.
Result<FitNetwork> compile(Graph graph, const Device& device, Precision) {
  HONE_TRY(const auto plan, npu::make_npu_plan(std::move(graph), device, {}));
  FitNetwork network;
  for (const NodeCost& cost : plan->costs) {
    network.work.macs += static_cast<double>(cost.macs);
    network.work.bytes += static_cast<double>(cost.bytes());
  }
  network.predict = [plan](const Device& at) {
    const sim::Simulation run = sim::simulate(*at.npu(), plan->schedule.stream);
    return FitPrediction{at.npu()->us(run.cycles) / 1e3, run.energy_uj / 1e3};
  };
  return network;
}

std::vector<std::string> precisions(const Device&) {
  return {"int8"};
}

void scale_energy(Device& device, double factor) {
  NpuEnergy& energy = device.npu()->energy;
  energy.pj_per_mac *= factor;
  energy.pj_per_vector_op *= factor;
  energy.pj_per_sram_byte *= factor;
  for (double& pj : energy.pj_per_memory_byte) pj *= factor;
  energy.idle_watts *= factor;
  device.npu()->host.watts *= factor;
}

void energy_fitted(Device& device, double error, const std::string& how) {
  device.npu()->energy.factor = error;
  device.npu()->energy.source += how;
}

}  // namespace

const DeviceFitDef npu_fit = {.parameters = kParameters,
                              .rounds = 2,
                              .compile = compile,
                              .precisions = precisions,
                              .scale_energy = scale_energy,
                              .energy_fitted = energy_fitted};

}  // namespace hone
