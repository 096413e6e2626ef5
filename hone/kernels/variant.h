// A kernel contract has several implementations: a plain reference that defines the result, and
// faster ones for CPUs that have certain features. Each contract keeps them in one table, fastest
// first, reference last; selection, tests and benchmarks all read that table.
#pragma once

#include <span>
#include <string_view>

#include "hone/device/cpu_features.h"

namespace hone {

// Whether the CPU has, and HONE_CPU_FEATURES leaves, all that a variant needs. Whoever asks may run
// the variant: what Highway chooses from is limited by then.
bool kernel_runs_here(CpuFeatures needs);

// `Kernel` is the function type of the contract, or a struct of functions and tile sizes.
template <class Kernel>
struct KernelVariant {
  std::string_view name;
  CpuFeatures needs;
  Kernel run;

  bool runs_here() const { return kernel_runs_here(needs); }
};

// The first of the table that this CPU runs. The reference, which needs nothing, is always there.
template <class Kernel>
const KernelVariant<Kernel>& best_variant(std::span<const KernelVariant<Kernel>> variants) {
  for (const KernelVariant<Kernel>& variant : variants) {
    if (variant.runs_here()) return variant;
  }
  return variants.back();
}

}  // namespace hone
