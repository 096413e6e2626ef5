// What the tests of the cuda target's plans share: GPUs as their drivers tell of them, and whether all
// kernels of a plan compile.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "hone/base/parallel.h"
#include "hone/cuda/compiler.h"
#include "hone/targets/cuda/plan.h"

namespace hone::cuda {

// The oldest GPUs there are kernels for.
inline const GpuInfo kTuring = {.name = "turing",
                                .major = 7,
                                .minor = 5,
                                .multiprocessors = 40,
                                .memory_bytes = size_t{15} << 30,
                                .l2_bytes = size_t{4} << 20,
                                .most_shared_bytes = 65536,
                                .driver_version = 13000};
inline const GpuInfo kAmpere = {.name = "ampere",
                                .major = 8,
                                .minor = 0,
                                .multiprocessors = 108,
                                .memory_bytes = size_t{39} << 30,
                                .l2_bytes = size_t{40} << 20,
                                .most_shared_bytes = 166912,
                                .driver_version = 13000};
// An H200.
inline const GpuInfo kHopper = {.name = "hopper",
                                .major = 9,
                                .minor = 0,
                                .multiprocessors = 132,
                                .memory_bytes = size_t{139} << 30,
                                .l2_bytes = size_t{60} << 20,
                                .most_shared_bytes = 232448,
                                .driver_version = 13000};

inline std::vector<std::string> host_operators(const Plan& plan) {
  std::vector<std::string> operators;
  for (const Step& step : plan.steps) {
    if (step.on_host()) {
      operators.push_back(step.node->op + " " + text_of(step.node->outputs[0]->type.tensor));
    }
  }
  return operators;
}

// The variants that would run without a measurement, or all of them.
enum class Kernels { First, All };

// Each once.
inline std::vector<KernelSource> kernels_of(const Plan& plan, Kernels which) {
  std::vector<KernelSource> kernels;
  std::set<std::string> seen;
  for (const Step& step : plan.steps) {
    for (size_t v = 0; v < step.variants.size(); ++v) {
      if (which == Kernels::First && v != step.chosen) continue;
      std::vector<const KernelSource*> sources;
      add_sources(step.variants[v], sources);
      for (const KernelSource* source : sources) {
        if (seen.insert(source->text).second) kernels.push_back(*source);
      }
    }
  }
  return kernels;
}

inline void expect_to_compile(const Plan& plan, Kernels which = Kernels::First) {
  if (const Status compiler = find_compiler(); !compiler.ok()) {
    GTEST_SKIP() << compiler.error().message;
  }
  const std::vector<KernelSource> kernels = kernels_of(plan, which);
  std::vector<std::string> errors(kernels.size());
  parallel_for(kernels.size(), 0, [&](size_t i) {
    const auto code = compile_source(kernels[i].name, kernels[i].text,
                                     architecture_name(plan.gpu.major, plan.gpu.minor));
    if (!code.ok()) errors[i] = code.error().message;
  });
  for (const std::string& error : errors) EXPECT_EQ(error, "") << plan.gpu.name;
}

}  // namespace hone::cuda
