// The CUDA driver, loaded at run time: where there is none, that is one line, and nothing else of
// Hone changes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hone/base/result.h"

namespace hone::cuda {

// CUlaunchAttribute: an identifier and 64 bytes of value.
struct LaunchAttribute {
  int id = 0;
  alignas(8) unsigned value[16] = {};
};
inline constexpr int kClusterAttribute = 4;       // value: x, y, z.
inline constexpr int kProgrammaticAttribute = 6;  // value: whether it may begin early.

// CUlaunchConfig.
struct LaunchConfig {
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  void* stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
};

// CUtensorMap: what a driver makes of it is its own.
struct alignas(64) TensorMap {
  uint64_t words[16] = {};
};

// CUdevice_attribute and CUfunction_attribute, those that are asked for.
inline constexpr int kClockKhz = 13;
inline constexpr int kMultiprocessors = 16;
inline constexpr int kMemoryClockKhz = 36;
inline constexpr int kMemoryBusBits = 37;
inline constexpr int kL2Bytes = 38;
inline constexpr int kMostThreads = 39;  // Of a multiprocessor.
inline constexpr int kCapabilityMajor = 75;
inline constexpr int kCapabilityMinor = 76;
inline constexpr int kSharedBytesOfAll = 81;  // Of a multiprocessor, as the next two.
inline constexpr int kRegistersOfAll = 82;
inline constexpr int kMostSharedBytes = 97;
inline constexpr int kMostBlocks = 106;
inline constexpr int kFunctionOwnSharedBytes = 1;
inline constexpr int kFunctionLocalBytes = 3;
inline constexpr int kFunctionRegisters = 4;
inline constexpr int kFunctionSharedBytes = 8;
inline constexpr int kNonPortableCluster = 14;

// All functions give 0, or an error that `check` tells.
struct Driver {
#define HONE_CUDA(symbol, ...) int (*symbol)(__VA_ARGS__) = nullptr;
#include "hone/cuda/driver_functions.inc"
#undef HONE_CUDA
};

// Loaded and started once. Resource: no driver, one that lacks functions, or one that sees no GPU.
Result<const Driver*> load_driver();

// Resource with the driver's own words when `error` is one: "launching conv_3: out of memory".
Status check(int error, std::string_view doing);

}  // namespace hone::cuda
