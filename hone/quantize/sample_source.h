#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "hone/base/result.h"
#include "hone/tensor/tensor.h"

namespace hone {

// Samples to calibrate on, handed out one at a time, so that memory does not grow with their
// number.
struct SampleSource {
  int64_t count = 0;
  std::function<Result<std::vector<Item>>(int64_t)> sample;  // One item per graph input.
};

}  // namespace hone
