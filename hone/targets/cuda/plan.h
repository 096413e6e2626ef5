// A network made ready for a GPU: steps in order, where every value lives, and what crosses between
// GPU and host. Made without a GPU at hand; only what it can do is asked for.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "hone/targets/cuda/step.h"

namespace hone::cuda {

struct SlotInfo {
  const Value* value = nullptr;  // Null for packed weights.
  TensorType type;
  size_t bytes = 0;
  bool boxed = false;  // Extents are not known, or no plain elements: on the host only.
  std::optional<Tensor> constant = {};
  Slot root = 0;          // The slot whose memory this one shares; itself, if none.
  size_t within = 0;      // Bytes from the root's first to this one's.
  size_t offset = 0;      // Of roots on the GPU: in the arena, or among the constants.
  bool on_gpu = false;    // Of roots: some kernel or copy touches it there.
  bool on_host = false;   // Of roots: it is, or gets, a place in pinned memory.
  size_t first_step = 0;  // Of roots on the GPU: written here,
  size_t last_step = 0;   // and last read here.
};

// Steps that run without the other side in between.
struct Stage {
  bool host = false;
  size_t first = 0;
  size_t count = 0;
  std::vector<Slot> to_gpu = {};   // Copied before the first step of a stage on the GPU,
  std::vector<Slot> to_host = {};  // and behind its last.
};

struct Plan {
  Graph graph;
  CompileOptions options;
  GpuInfo gpu;
  std::unordered_map<const Value*, Slot> slot_of;
  std::vector<SlotInfo> slots;
  std::vector<Step> steps;
  std::vector<std::optional<HostProgram>> host_nodes;  // By step.
  std::vector<Stage> stages;
  std::vector<Slot> inputs;   // One per graph input.
  std::vector<Slot> outputs;  // One per graph output.
  size_t arena_bytes = 0;
  size_t constant_bytes = 0;
  size_t largest_live_bytes = 0;
  std::vector<std::string> notes;  // What to know of the choice of kernels.

  const SlotInfo& root_of(Slot slot) const { return slots[slots[slot].root]; }
};

Result<std::unique_ptr<Plan>> make_plan(Graph graph, const CompileOptions& options,
                                        const GpuInfo& gpu);

}  // namespace hone::cuda
