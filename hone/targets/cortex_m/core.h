// Cores and what instructions cost on them. Blocks of code go through an in-order pipeline: an instruction begins
// when what it reads is there and a unit for it is free, so many of them in a cycle.
#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hone/targets/c_code/plan.h"
#include "hone/targets/cortex_m/instruction.h"

namespace hone::cortex_m {

// Cycles of one kind of instruction.
struct Timing {
  uint8_t latency = 1;  // Until what reads the result may begin.
  uint8_t takes = 1;    // Of its unit; of a core that begins one at a time, all of it.
};

struct Core {
  std::string_view name;  // "cortex-m7", as compilers name it.
  // Another that has the same instructions, where compilers of today may not know it.
  std::string_view built_as = name;
  // Emulated by a board of QEMU whose core has all its instructions.
  std::string_view machine;
  std::string_view script;                  // Of the linker.
  std::vector<std::string> flags = {};      // Of the compiler, besides the core's name.
  std::vector<std::string> listing = {};    // Of the disassembler.
  int width = 1;                            // Instructions that begin in a cycle.
  bool fours = false;                       // Fastest with c_code's kernels of that name,
  bool channels = false;                    // and of that.
  bool loads_block = false;                 // Only loads and stores begin behind a load at once.
  int words_in_cycle = 1;                   // Of loads and stores of many registers.
  int taken = 1;                            // Cycles lost when a branch is taken as expected,
  int surprised = 0;                        // and when it is not.
  std::array<Timing, kUnits> timings = {};  // By Unit.
  double factor = 1.5;                      // Runs are expected within it: docs/accuracy.md.
  std::string_view source;                  // Where they are from.

  const Timing& timing(Unit unit) const { return timings[static_cast<size_t>(unit)]; }
};

// Those that took the fewest cycles: docs/howto/firmware.md. Of others than these cores, what all have.
c_code::CoreKernels kernels_for(std::string_view core);

// Null where there is none of that name.
const Core* find_core(std::string_view name);
std::vector<std::string> core_names();

// Cycles from the end of `before` to the end of `block`, reached by a branch or not.
double cycles_behind(const Core& core, std::span<const Instruction> before,
                     std::span<const Instruction> block, bool taken);

}  // namespace hone::cortex_m
