// A network made ready to run on this CPU: steps in order, and where every value lives. Made once,
// never changed; sessions run it.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "hone/targets/cpu/chain.h"
#include "hone/targets/cpu/find_chains.h"
#include "hone/targets/cpu/step.h"
#include "hone/targets/target.h"

namespace hone::cpu {

// Where a value lives during a run.
struct SlotInfo {
  enum class Home {
    Arena,     // At `offset` of the session's arena.
    Constant,  // In `constant`.
    Input,     // In the caller's tensor, number `index`.
    Output,    // In the caller's tensor, number `index`.
    Boxed,     // In a tensor made during the run: its extents are not known before, or it is a
               // sequence or holds strings.
    Rows,      // At `offset` of the arena, but only the rows that are at hand.
  };
  Home home = Home::Arena;
  const Value* value = nullptr;
  TensorType type;
  size_t bytes = 0;  // In memory.
  size_t offset = 0;
  size_t index = 0;
  Tensor constant;
  Slot root = 0;          // The slot whose memory this one shares; itself, if none.
  size_t within = 0;      // Bytes of that memory before this one's.
  size_t rows_apart = 1;  // More than one: they lie apart, as only the step that joins them knows.
  size_t first_step = 0;  // Of the root: written here,
  size_t last_step = 0;   // and last read here.

  bool in_arena() const { return home == Home::Arena || home == Home::Rows; }
};

// A graph output that no step can write in place: copied at the end.
struct OutputCopy {
  Slot from;
  size_t output;
};

// What runs as a whole: a step, or some that follow one another as a chain; and maybe one more, which
// follows the last of these block by block.
struct Stage {
  size_t first_step = 0;
  std::unique_ptr<Chain> chain = nullptr;  // Null for a single step.
  bool followed = false;

  // Those of the chain, or the single one.
  size_t parts() const { return chain == nullptr ? 1 : chain->parts(); }
  size_t steps() const { return parts() + (followed ? 1 : 0); }
  size_t last_step() const { return first_step + steps() - 1; }
};

struct Plan {
  Graph graph;  // As optimized; nodes of steps point into it.
  CompileOptions options;
  std::vector<SlotInfo> slots;
  std::unordered_map<const Value*, Slot> slot_of;
  std::vector<std::unique_ptr<Step>> steps;
  std::vector<Stage> stages;
  std::vector<Slot> inputs;   // One per graph input.
  std::vector<Slot> outputs;  // One per graph output.
  std::vector<OutputCopy> copies;
  std::vector<ValueType> input_types;
  size_t arena_bytes = 0;
  size_t largest_live_bytes = 0;  // What any plan needs at least.
};

Result<std::unique_ptr<Plan>> make_plan(Graph graph, const CompileOptions& options,
                                        const ChainLimits& limits = usual_chain_limits());

}  // namespace hone::cpu
