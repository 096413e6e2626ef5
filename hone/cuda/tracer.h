// When every kernel and copy on the GPU began and ended, as CUPTI, NVIDIA's own library for that,
// records it.
#pragma once

#include <cstdint>
#include <vector>

#include "hone/base/result.h"

namespace hone::cuda {

struct GpuEvent {
  bool kernel = false;  // Otherwise a copy.
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;
};

class Tracer {
 public:
  // One in a process. Resource: CUPTI is not here, or does not let itself be used.
  static Result<Tracer*> open();

  // Everything that is put into streams from now on is recorded.
  Status begin();
  // What was recorded since, in the order it began. Everything must have ended.
  Result<std::vector<GpuEvent>> end();

 private:
  Tracer() = default;
};

}  // namespace hone::cuda
