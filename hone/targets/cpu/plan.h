// A network made ready to run on this CPU: steps in order, and where every value lives. Made once,
// never changed; sessions run it.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

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
  };
  Home home = Home::Arena;
  const Value* value = nullptr;
  TensorType type;
  size_t bytes = 0;
  size_t offset = 0;
  size_t index = 0;
  Tensor constant;
  Slot root = 0;          // The slot whose memory this one shares; itself, if none.
  size_t first_step = 0;  // Of the root: written here,
  size_t last_step = 0;   // and last read here.
};

// A graph output that no step can write in place: copied at the end.
struct OutputCopy {
  Slot from;
  size_t output;
};

struct Plan {
  Graph graph;  // As optimized; nodes of steps point into it.
  CompileOptions options;
  std::vector<SlotInfo> slots;
  std::unordered_map<const Value*, Slot> slot_of;
  std::vector<std::unique_ptr<Step>> steps;
  std::vector<Slot> inputs;   // One per graph input.
  std::vector<Slot> outputs;  // One per graph output.
  std::vector<OutputCopy> copies;
  std::vector<ValueType> input_types;
  size_t arena_bytes = 0;
  size_t largest_live_bytes = 0;  // What any plan needs at least.
};

Result<std::unique_ptr<Plan>> make_plan(Graph graph, const CompileOptions& options);

}  // namespace hone::cpu
