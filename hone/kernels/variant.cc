#include "hone/kernels/variant.h"

#include "hone/kernels/highway.h"

namespace hone {

bool kernel_runs_here(CpuFeatures needs) {
  static const bool limited = [] {
    limit_highway();
    return true;
  }();
  return limited && cpu_has(needs);
}

}  // namespace hone
