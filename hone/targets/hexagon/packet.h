// Code of a Hexagon DSP as a disassembler shows it: packets of instructions that begin together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hone/targets/emulation/code_range.h"

namespace hone::hexagon {

struct Packet {
  uint32_t address = 0;
  uint8_t instructions = 0;  // Without those that only lengthen a constant.
  uint8_t vectors = 0;       // Of HVX, loads and stores included,
  uint8_t multiplies = 0;    // and those of them that multiply,
  uint8_t unaligned = 0;     // or load or store a vector that may lie anywhere.
  // Vector registers by bit. What a packet asks for early has to be there a cycle before what it only adds.
  uint32_t writes = 0;
  uint32_t early = 0;
};

using SectionBytes = std::map<std::string, size_t, std::less<>>;  // By name: ".text".

struct Listing {
  std::vector<emulation::CodeRange> functions = {};  // By address.
  std::vector<Packet> packets = {};                  // By address.
  SectionBytes sections = {};

  std::span<const Packet> between(uint32_t begin, uint32_t end) const;
};

// The text of `llvm-objdump -h -d --no-show-raw-insn`.
Listing parse_listing(std::string_view text);

// What a packet waits behind another: a cycle where that makes what it asks for early.
inline int stall_behind(const Packet& before, const Packet& packet) {
  return (before.writes & packet.early) != 0 ? 1 : 0;
}

}  // namespace hone::hexagon
