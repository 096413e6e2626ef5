// Concatenations that are written by those who make their parts: nothing is copied then.
#pragma once

#include <unordered_map>
#include <vector>

#include "hone/targets/cuda/step.h"

namespace hone::cuda {

// Where a value is written in place of memory of its own.
struct PartOf {
  const Value* whole = nullptr;
  int64_t offset = 0;  // In elements.
  int64_t pitch = 0;   // From one row along the value's last axis to the next.
};

struct ConcatParts {
  std::unordered_map<const Value*, PartOf> parts;  // By what a node makes.
  // What concatenations read, there or through views of it: by value, whether it is in place.
  std::unordered_map<const Value*, bool> in_place;
};

// Of values that one concatenation alone reads and whose kernels write rows apart from each other.
ConcatParts find_concat_parts(const Graph& graph, const StepBuilder& builder);

}  // namespace hone::cuda
