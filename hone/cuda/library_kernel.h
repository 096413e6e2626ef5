// Kernels of NVIDIA's libraries, which stand beside Hone's own: a library says how it would compute
// something, and what it then launches is found by recording it.
#pragma once

#include <array>
#include <functional>
#include <memory>

#include "hone/cuda/kernels.h"

namespace hone::cuda {

// Addresses; null where there is none.
struct LibraryOperands {
  uint64_t x = 0;
  uint64_t w = 0;
  uint64_t bias = 0;
  uint64_t residual = 0;
  uint64_t y = 0;
  uint64_t scratch = 0;
};

// Where blocks count who has done what: so much, and aligned so. Ways that want more are not taken.
inline constexpr size_t kLibraryScratchBytes = 4096;
inline constexpr size_t kLibraryScratchAlignment = 256;

// One of a library's ways to compute something, by one kernel.
struct LibraryKernel {
  Kernel kernel = {};
  std::array<unsigned, 3> grid = {1, 1, 1};
  unsigned block = 1;
  unsigned shared_bytes = 0;
  std::function<Status(const Stream& stream, const LibraryOperands& operands)> put;
};

// Unsupported where what `put` launches is not one kernel.
Result<std::shared_ptr<const LibraryKernel>> record_library_kernel(
    const Gpu& gpu, std::function<Status(const Stream&, const LibraryOperands&)> put);

}  // namespace hone::cuda
