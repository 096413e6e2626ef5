// What the vector engine can do: one definition for each operation, a file in vector/ and a line in
// vector_ops.inc.
#pragma once

#include <string_view>
#include <vector>

#include "hone/sim/command.h"
#include "hone/sim/scratch.h"

namespace hone::sim {

// Where the parts of a vector command lie. What an operation does not read may be anywhere.
struct VectorOperands {
  const std::byte* a = nullptr;
  const std::byte* b = nullptr;
  std::byte* output = nullptr;
  const std::byte* constants = nullptr;
};

// Lanes take `elements` at a time, and do so many operations on each, one after the other.
struct VectorWork {
  int64_t elements = 0;
  int64_t each = 1;
};

struct VectorOpDef {
  std::string_view name;     // "add": in listings, and as VectorEngine::cost has it.
  std::string_view summary;  // What the output is, in one line.

  // What the machine computes.
  void (*run)(const VectorCommand& command, const VectorOperands& operands, Scratch& scratch);
  // Operands that do not belong together are a bug; `index` is the command's number.
  void (*check)(size_t index, const VectorCommand& command);

  // What it reads besides a, and how.
  bool reads_b = false;
  int64_t (*constant_bytes)(const VectorCommand& command) = nullptr;  // Null: none.
  bool in_place = false;  // Element by element: the output may lie where an operand does.
  bool slides = false;    // Reads a through the window.

  // How long it takes.
  double cost = 1;  // Cycles for an operation on every lane, where the device does not say.
  // Null: one operation for each element of the output.
  VectorWork (*work)(const VectorCommand& command) = nullptr;
  // Between SRAM and engine. Null: every operand and the output once.
  int64_t (*moved_bytes)(const VectorCommand& command) = nullptr;
  bool only_moves = false;  // Moving is its work: it counts as busy meanwhile.
};

#define HONE_VECTOR_OP(name) extern const VectorOpDef vector_op_##name;
#include "hone/sim/vector_ops.inc"
#undef HONE_VECTOR_OP

// In the order of vector_ops.inc.
const std::vector<const VectorOpDef*>& vector_ops();

}  // namespace hone::sim
