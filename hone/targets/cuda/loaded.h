// A plan on a GPU: constants uploaded, kernels compiled and chosen.
#pragma once

#include <memory>
#include <vector>

#include "hone/targets/cuda/plan.h"

namespace hone::cuda {

struct Loaded {
  const Gpu* gpu = nullptr;
  std::shared_ptr<Plan> plan;
  DeviceMemory constants;
  std::vector<std::vector<Kernel>> kernels;  // By step: of the launches of its chosen variant.
  Launch mark;                               // Tells when what is in front of it has ended.
  Kernel mark_kernel;
};

// Measures the variants of every step that has several, dearest first, until the seconds are used
// up; what was measured before on such a GPU is taken from the cache. Then loads what was chosen.
Result<std::shared_ptr<const Loaded>> load_plan(const Gpu& gpu, std::unique_ptr<Plan> plan);

// Where every slot is; 0 for those that are not on the GPU.
std::vector<uint64_t> addresses_of(const Plan& plan, uint64_t arena, uint64_t constants);

// Ready to be launched; of a library's, the launch then says how. Unsupported where the library has
// no such kernel.
Result<Kernel> kernel_of(const Gpu& gpu, Launch& launch);

// Puts a launch into a stream. `early`: it may begin before what is in front of it has ended.
// `began`: where it writes when its turn came; 0: nowhere.
Status put(const Gpu& gpu, const Stream& stream, const Launch& launch, const Kernel& kernel,
           std::span<const uint64_t> addresses, bool early, uint64_t began = 0);

}  // namespace hone::cuda
