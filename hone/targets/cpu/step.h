// What a plan of the cpu target is made of: slots that hold values, and steps that compute slots
// from slots.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "hone/base/result.h"
#include "hone/base/workers.h"
#include "hone/graph/graph.h"
#include "hone/ops/node_cost.h"
#include "hone/targets/step_kind.h"

namespace hone::cpu {

// An index into Frame::slots.
using Slot = size_t;

// How long a step took, and how long the one that follows it block by block did.
struct FollowSeconds {
  double leader = 0;
  double follower = 0;
};

// The memory of one run.
struct Frame {
  std::byte* const* slots;   // Where each slot's elements are; null for boxed ones.
  std::vector<Item>* items;  // By slot: boxed values.
  std::byte* arena;
  Workers* workers;
  FollowSeconds* follow_seconds = nullptr;  // By worker, added to; null when nobody asks.

  template <class T>
  const T* in(Slot slot) const {
    return reinterpret_cast<const T*>(slots[slot]);
  }
  template <class T>
  T* out(Slot slot) const {
    return reinterpret_cast<T*>(slots[slot]);
  }
};

// Rows of so many bytes that begin `stride` bytes apart; the memory between them is not theirs.
struct RowsApart {
  size_t bytes = 0;
  size_t stride = 0;
};

// A kernel with its operands: everything that can be decided before a run is decided. Steps are
// shared by all runs, which may go on at the same time.
class Step {
 public:
  virtual ~Step() = default;
  // Only steps that run an operator's reference can fail.
  virtual Status run(const Frame& frame) const = 0;

  using Region = std::span<const std::byte>;
  // The weights that the step would wait for when it begins: those it reads first, or all where it
  // does little with them.
  virtual Region first_weights() const { return {}; }
  // Whether it fetches what is in `ahead` while it computes.
  virtual bool fetches_ahead() const { return false; }

  // Writes writes[0] as rows that lie apart from now on, if the step can.
  virtual bool write_apart(const RowsApart&) { return false; }

  StepKind kind;               // A precision that is left open is that of the node's operands.
  const Node* node = nullptr;  // What it stands for.
  NodeCost cost;               // Counted before weights are packed and given back.
  std::vector<Slot> reads;
  std::vector<Slot> writes;
  // Index into `reads` of a slot that writes[0] may take the memory of, if nobody reads it later.
  static constexpr size_t kNone = ~size_t{0};
  size_t in_place = kNone;
  size_t weight_bytes = 0;    // Packed into the step.
  std::vector<Region> ahead;  // First weights of steps behind it; none is empty.
  // Memory to work in, for all workers together and per worker; the plan says where it is.
  size_t shared_bytes = 0;
  size_t scratch_bytes = 0;
  size_t scratch_offset = 0;

 protected:
  template <class T>
  T* scratch(const Frame& frame, size_t worker) const {
    return reinterpret_cast<T*>(frame.arena + scratch_offset + aligned(shared_bytes) +
                                worker * aligned(scratch_bytes));
  }
  std::byte* shared(const Frame& frame) const { return frame.arena + scratch_offset; }

 public:
  size_t all_scratch_bytes(size_t workers) const {
    return aligned(shared_bytes) + workers * aligned(scratch_bytes);
  }

 private:
  // No cache line is shared.
  static size_t aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }
};

}  // namespace hone::cpu
