// What the coarse models of products in tiles share.
#pragma once

#include <algorithm>
#include <cstdint>

#include "hone/cuda/gpu.h"

namespace hone::cuda {

// Pieces of b that a comes to, the last one perhaps not whole.
inline int64_t parts_of(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

// Blocks that a multiprocessor has room for at a time.
inline int64_t blocks_at_once(const GpuInfo& gpu, int64_t shared_bytes, int64_t threads) {
  constexpr int64_t kThreads = 1024;  // More have too few registers left each.
  const auto shared = static_cast<int64_t>(gpu.most_shared_bytes);
  return std::clamp<int64_t>(shared / shared_bytes, 1, kThreads / threads);
}

}  // namespace hone::cuda
