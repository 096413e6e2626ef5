#pragma once

#include <string>

namespace hone {

// What a machine can do, as the few numbers that cost models start from.
struct DeviceInfo {
  std::string name = {};
  double peak_flops = 0;        // Floating-point operations per second, a multiply-add being two.
  double bytes_per_second = 0;  // Sustained, between the compute units and main memory.
};

}  // namespace hone
