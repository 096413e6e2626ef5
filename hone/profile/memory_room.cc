#include "hone/profile/memory_room.h"

#include <algorithm>

#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {
namespace {

// 0 where that is not known before a run.
uint64_t bytes_of(const Value* value) {
  if (value == nullptr || value->constant || !value->type.is_tensor()) return 0;
  return value->type.tensor.known() ? value->type.tensor.bytes() : 0;
}

uint64_t bytes_of_all(std::span<Value* const> values) {
  uint64_t bytes = 0;
  for (const Value* value : values) bytes += bytes_of(value);
  return bytes;
}

// Inputs of the graph are there already.
uint64_t largest_node_bytes(const Graph& graph) {
  uint64_t most = 0;
  for (const Node* node : graph.nodes()) {
    uint64_t bytes = bytes_of_all(node->outputs);
    for (const Value* input : node->inputs) {
      if (input != nullptr && !graph.is_input(input)) bytes += bytes_of(input);
    }
    most = std::max(most, bytes);
  }
  return most;
}

}  // namespace

Status check_room(uint64_t bytes, std::string_view what, const MemoryInfo& memory) {
  if (memory.available_bytes == 0 || bytes <= memory.available_bytes) return Done{};
  return out_of_resource(what, " takes ", human_bytes(bytes), ", but this ",
                         memory.limited ? "container" : "machine", " has ",
                         human_bytes(memory.available_bytes), " of memory left");
}

uint64_t least_run_bytes(const Program& program) {
  const uint64_t outputs = bytes_of_all(program.graph().outputs());
  if (program.accelerator()) return outputs;  // The rest is in memory of its own.
  const auto memory = program.memory();
  return memory ? memory->arena_bytes + outputs : largest_node_bytes(program.graph());
}

Status check_room_for_run(const Program& program, const MemoryInfo& memory) {
  return program.modelled() ? Status(Done{})
                            : check_room(least_run_bytes(program), "a run", memory);
}

}  // namespace hone
