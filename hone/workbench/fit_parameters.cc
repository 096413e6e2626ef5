#include "hone/workbench/fit_parameters.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

// A time that the catalog has as nothing can still grow.
constexpr double kLeastUs = 0.5;
constexpr double kMostUs = 1e6;
constexpr double kMostFactor = 30;
constexpr double kMostCycles = 1e6;

AnalyticSpec& analytic(Device& device) {
  return std::get<AnalyticSpec>(device.spec);
}
NpuSpec& npu(Device& device) {
  return std::get<NpuSpec>(device.spec);
}

double factor_of(double value) {
  return std::clamp(value, 1 / kMostFactor, kMostFactor);
}
double us_of(double value) {
  return std::clamp(value, 1e-3, kMostUs);
}
double one(const Device&) {
  return 1;
}

double scale_efficiency(Device& device, const Device& start, double value) {
  const double factor = factor_of(value);
  for (const auto& [kind, part] : start.analytic()->efficiency) {
    analytic(device).efficiency[kind] = std::min(1.0, part * factor);
  }
  return factor;
}

// What a data sheet states stays: only the part of it that is reached moves.
double scale_bandwidth(Device& device, const Device& start, double value) {
  const double before = start.analytic()->memory_efficiency;
  analytic(device).memory_efficiency = std::min(1.0, before * factor_of(value));
  return analytic(device).memory_efficiency / before;
}

double scale_memories(Device& device, const Device& start, double value) {
  const double factor = factor_of(value);
  for (size_t m = 0; m < npu(device).memories.size(); ++m) {
    const NpuMemory& from = start.npu()->memories[m];
    npu(device).memories[m].read_bytes_per_second = from.read_bytes_per_second * factor;
    npu(device).memories[m].write_bytes_per_second = from.write_bytes_per_second * factor;
  }
  return factor;
}

double scale_sram(Device& device, const Device& start, double value) {
  const double factor = factor_of(value);
  npu(device).sram.bank_bytes_per_cycle = start.npu()->sram.bank_bytes_per_cycle * factor;
  return factor;
}

double step_us(const Device& device) {
  return std::max(kLeastUs, device.analytic()->step_us);
}
double set_step_us(Device& device, const Device&, double value) {
  return analytic(device).step_us = us_of(value);
}

double run_us(const Device& device) {
  return std::max(kLeastUs, device.analytic()->run_us);
}
double set_run_us(Device& device, const Device&, double value) {
  return analytic(device).run_us = us_of(value);
}

double start_us(const Device& device) {
  return std::max(kLeastUs, device.npu()->queue.start_us);
}
double set_start_us(Device& device, const Device&, double value) {
  return npu(device).queue.start_us = us_of(value);
}

double issue_cycles(const Device& device) {
  return std::max(1.0, static_cast<double>(device.npu()->queue.issue_cycles));
}
double set_issue_cycles(Device& device, const Device&, double value) {
  const auto cycles = static_cast<int>(std::lround(std::clamp(value, 0.0, kMostCycles)));
  return npu(device).queue.issue_cycles = cycles;
}

const std::vector<FitParameter> kAnalytic = {
    {"efficiency, factor", one, scale_efficiency},
    {"memory bandwidth, factor", one, scale_bandwidth},
    {"overhead.step_us", step_us, set_step_us},
    {"overhead.run_us", run_us, set_run_us},
};

const std::vector<FitParameter> kNpu = {
    {"queue.start_us", start_us, set_start_us},
    {"memory bandwidth, factor", one, scale_memories},
    {"queue.issue_cycles", issue_cycles, set_issue_cycles},
    {"sram bandwidth, factor", one, scale_sram},
};

}  // namespace

const std::vector<FitParameter>& fit_parameters(const Device& device) {
  return device.npu() != nullptr ? kNpu : kAnalytic;
}

void scale_energy(Device& device, double factor) {
  if (device.analytic() != nullptr) {
    analytic(device).busy_watts *= factor;
    analytic(device).idle_watts *= factor;
    return;
  }
  NpuEnergy& energy = npu(device).energy;
  energy.pj_per_mac *= factor;
  energy.pj_per_vector_op *= factor;
  energy.pj_per_sram_byte *= factor;
  for (double& pj : energy.pj_per_memory_byte) pj *= factor;
  energy.idle_watts *= factor;
  npu(device).host.watts *= factor;
}

}  // namespace hone
