// Where values can live: values that share memory, because one is a view of the other or a part of
// a concatenation, share a storage.
#pragma once

#include <unordered_map>

#include "hone/targets/npu/partition.h"

namespace hone::npu {

struct Storage {
  const Value* value = nullptr;  // The value it is named after.
  uint64_t bytes = 0;
  size_t first_step = ~size_t{0};  // The first step that writes to it.
  size_t last_step = 0;            // The last step that reads it.
  bool npu = false;                // Touched by the NPU.
  bool written_by_npu = false;
  bool in_memory = false;  // The host reads or writes it: it has a place outside of the SRAM.
};

// A value's part of its storage.
struct Part {
  size_t storage = 0;
  int64_t first_channel = 0;
  int64_t pixel_stride = 0;  // 0: dense, whatever extents a layer gives it.
};

struct Storages {
  std::vector<Storage> all = {};
  std::unordered_map<const Value*, Part> part_of = {};  // Values without one are boxed.
  const Part& of(const Value* value) const { return part_of.at(value); }
};

// What a program does in order: a node of the NPU with its layers, or one of the host.
struct ProgramStep {
  const Node* node = nullptr;
  bool on_npu = false;
  std::vector<Layer> layers = {};
};

// Views have no step; concatenations have layers that copy what could not be written in place.
struct ProgramOutline {
  std::vector<ProgramStep> steps = {};
  Storages storages = {};
};
ProgramOutline outline(const Graph& graph, Partition& partition);

}  // namespace hone::npu
