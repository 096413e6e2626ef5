// An instruction of a Cortex-M as its timing asks for it: what unit it takes, what it reads and writes.
#pragma once

#include <cstdint>
#include <string_view>

namespace hone::cortex_m {

enum class Unit : uint8_t {
  Alu,         // Sums, logic, moves of words.
  ShiftedAlu,  // The same of a shifted operand.
  Shift,       // Shifts, and fields of bits.
  Simd,        // Widenings, packing, saturation: of halves and bytes.
  Multiply,    // With sums or without, of 32 bits or of two times 16.
  Divide,
  Load,        // Of a word,
  NarrowLoad,  // of a half or a byte,
  LoadMany,    // of several registers.
  Store,
  StoreMany,
  Branch,
  LoopEnd,  // Of Armv8.1-M, whose loops end at no cost once they run.
  Float,
  VectorLoad,  // Of 16 bytes: Helium.
  VectorStore,
  VectorAlu,
  VectorMultiply,
};
inline constexpr int kUnits = static_cast<int>(Unit::VectorMultiply) + 1;

struct Instruction {
  uint32_t address = 0;
  uint8_t bytes = 2;
  Unit unit = Unit::Alu;
  uint8_t registers = 1;  // That are loaded or stored.
  // By bit: r0 to r15, then s0 to s31, of which four are a vector, then the flags.
  uint64_t reads = 0;
  uint64_t writes = 0;
};

// As objdump writes it: "ldr.w", "r0, [r1, #4]". The address is the caller's.
Instruction decode(std::string_view name, std::string_view operands);

}  // namespace hone::cortex_m
