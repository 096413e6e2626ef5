// A machine on paper, and what programs take on it: the same on every computer, and however busy that is.
#pragma once

#include <string>

#include "hone/profile/layers.h"
#include "hone/profile/latency.h"
#include "hone/profile/profile_program.h"
#include "hone/profile/roofs.h"

namespace hone {

// About what a core of a server does.
inline DeviceFile paper_machine() {
  const auto per_second = [](double billions) { return Rate{1e9 * billions, 1e9 * billions}; };
  const auto level = [&](const char* name, uint64_t kilobytes, double billions) {
    return MemoryLevel{.name = name,
                       .bytes = kilobytes << 10,
                       .read = per_second(billions),
                       .write = per_second(billions),
                       .copy = per_second(billions)};
  };
  DeviceFile machine{.name = "paper", .kind = "cpu", .mode = Mode::Predicted};
  machine.compute = {{.precision = "fp32", .instruction = "one", .ops = per_second(150)},
                     {.precision = "fp16", .instruction = "two", .ops = per_second(300)},
                     {.precision = "bf16", .instruction = "four", .ops = per_second(600)},
                     {.precision = "int8", .instruction = "eight", .ops = per_second(1200)}};
  machine.memory = {level("L1", 48, 300), level("L2", 2 << 10, 80), level("L3", 32 << 10, 25),
                    level("DRAM", 64 << 20, 10)};
  for (const ComputeRoof& roof : machine.compute) {
    const auto reach = [&](const char* kind, double of_roof) {
      machine.kernels.push_back({.kind = kind, .precision = roof.precision, .of_roof = of_roof});
    };
    reach("product", 0.7);
    reach("depthwise", 0.3);
    reach("other", 0.5);
  }
  machine.kernels.push_back({.kind = "winograd", .precision = "fp32", .of_roof = 1.5});
  machine.kernels.push_back({.kind = "streaming", .precision = "fp32", .of_roof = 0.5});
  return machine;
}

// What `kernel_kind` of the rules calls the step.
inline const char* kernels_on_paper(const StepProfile& step) {
  if (step.macs == 0) return "other";
  if (step.kind.family == StepFamily::Winograd) return "winograd";
  return step.kind.family == StepFamily::Depthwise ? "depthwise" : "product";
}

// As if it had been measured on one thread of that machine, whose kernels always reach the same part of the roofs.
inline Profile profile_on_paper(const Program& program, const DeviceFile& machine) {
  constexpr double kStartUs = 0.3;
  constexpr double kReferenceIsSlower = 20;
  Profile profile;
  profile.target = "cpu";
  for (const StepInfo& info : program.steps()) profile.steps.push_back(describe_step(info));
  add_memory(program, profile);
  apply_roofs(machine, profile);
  double run_us = 0;
  for (StepProfile& step : profile.steps) {
    const std::string precision(name_of(step.kind.precision));
    const double of_roof = machine.kernel_reach(kernels_on_paper(step), precision).value_or(1);
    step.us = kStartUs + step.roof_us.value_or(0) / of_roof * (step.kind.reference ? kReferenceIsSlower : 1);
    run_us += step.us;
  }
  for (StepProfile& step : profile.steps) step.share = step.us / run_us;
  profile.samples_ms = {1e-3 * run_us};
  profile.latency = latency_metrics(profile.samples_ms);
  group_layers(program.graph(), profile);
  return profile;
}

}  // namespace hone
