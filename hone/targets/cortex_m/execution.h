// How often the blocks of a program ran, as the plugin of QEMU tells it, and what that comes to.
#pragma once

#include <string_view>
#include <vector>

#include "hone/base/result.h"
#include "hone/targets/cortex_m/core.h"
#include "hone/targets/cortex_m/disassembly.h"

namespace hone::cortex_m {

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

struct FunctionCost {
  uint64_t instructions = 0;
  double issue = 0;     // Cycles in the pipeline,
  double branches = 0;  // of branches that were not expected,
  double flash = 0;     // and waiting for flash.

  double cycles() const { return issue + branches + flash; }
};

// Of every function, with what it calls. `line_cycles` is what a line of flash takes.
std::vector<FunctionCost> costs_of(const Execution& execution, const Disassembly& program,
                                   const Core& core, double line_cycles);

}  // namespace hone::cortex_m
