// Loops that reach the roofs of one core: what an instruction can do in a second when nothing is in
// its way, and how fast each level of memory streams. A kernel's speed is judged against them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "hone/kernels/variant.h"

namespace hone {

// Multiplies and adds in registers. Sums are many enough to hide the latency of the instruction.
//
// Operands come from loads, anew in every round: on Neoverse-V1 `fmla` runs at half its rate (41.6
// instead of 83.2 GFLOP/s) when its multiplicands were made by a move or by arithmetic.
struct ComputeLoop {
  std::string_view precision;    // Of the operands: "fp32", "fp16", "bf16" or "int8".
  std::string_view instruction;  // "fmla".
  size_t ops_per_round;          // A multiply-add is two.
  // Does `rounds` rounds on operands that are all one, and gives the sum of all sums: the number of
  // multiply-adds it did, as far as the type of the sums can count.
  double (*run)(size_t rounds);
};

// Every loop of this architecture; those in plain C++, which run anywhere, last. A precision has
// several where CPUs differ in what they have.
std::span<const KernelVariant<ComputeLoop>> compute_loops();

// What memory loops take sizes in multiples of, in bytes.
inline constexpr size_t kMemoryBlock = 512;

// Streams over memory on a boundary of 64 bytes. `bytes` is a multiple of kMemoryBlock.
struct MemoryLoops {
  // Loads all of it. The exclusive or of the first 64-bit words of all blocks shows that it went
  // everywhere; one of all words would fill the front end of a Neoverse-V1 and take up to 15 % of
  // the rate (104 to 119 GB/s instead of 123 in the first-level cache).
  uint64_t (*read)(const void* from, size_t bytes);
  // Every byte is `value`.
  void (*write)(void* to, size_t bytes, uint8_t value);
  // `to` and `from` apart.
  void (*copy)(void* to, const void* from, size_t bytes);
};

// Fastest first; ends in "ref". All variants give the same bits.
std::span<const KernelVariant<MemoryLoops>> memory_loops();

}  // namespace hone
