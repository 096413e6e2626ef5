// How often the blocks of a program ran, as the plugin of QEMU tells it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "hone/base/result.h"

namespace hone::emulation {

// A block was entered behind another, on account of a function.
struct Edge {
  int function = -1;  // -1: none that was asked for.
  uint32_t from = 0, from_end = 0;
  uint32_t to = 0, to_end = 0;
  uint64_t count = 0;
};

// Lines of flash that were in no cache.
struct Misses {
  uint64_t code = 0;
  uint64_t data = 0;
};

struct Execution {
  std::vector<Edge> edges = {};
  std::vector<Misses> misses = {};  // By function.
  size_t stack_bytes = 0;           // That were in use at most.
};

// The plugin's file. BadInput names the line that is not one of its.
Result<Execution> parse_execution(std::string_view text, size_t functions);

}  // namespace hone::emulation
