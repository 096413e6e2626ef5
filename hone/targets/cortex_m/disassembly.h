// A linked program as objdump shows it.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/result.h"
#include "hone/targets/cortex_m/instruction.h"
#include "hone/targets/emulation/code_range.h"

namespace hone::cortex_m {

struct Section {
  size_t bytes = 0;
  uint32_t address = 0;
};

struct Disassembly {
  std::vector<emulation::CodeRange> functions = {};           // By address.
  std::vector<Instruction> instructions = {};                 // By address.
  std::map<std::string, Section, std::less<>> sections = {};  // By name: ".text".

  // Those at addresses from `begin` up to `end`.
  std::span<const Instruction> between(uint32_t begin, uint32_t end) const;
};

// The text of `objdump -h -d`.
Disassembly parse_disassembly(std::string_view text);

}  // namespace hone::cortex_m
