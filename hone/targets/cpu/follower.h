// A step that runs behind another, block by block, while what the other has just computed is still
// in the first-level cache.
#pragma once

#include <chrono>

#include "hone/targets/cpu/row_step.h"

namespace hone::cpu {

// A part of a result, which is seen as rows of `pitch` elements.
struct ElementBlock {
  size_t first_row;
  size_t rows;
  size_t first_column;
  size_t columns;
  size_t pitch;

  size_t offset() const { return first_row * pitch + first_column; }
};

// What steps are too that compute their result element by element from operands of its shape.
class Follower {
 public:
  virtual ~Follower() = default;
  // Whether it can do with blocks of this operand.
  virtual bool follows(Slot operand) const = 0;
  // Computes a block of the result. The operand's rows of it, whole ones, are at `x`; everything
  // else is in the frame.
  virtual void run_block(const Frame& frame, Slot operand, const std::byte* x,
                         const ElementBlock& block) const = 0;
};

// A step that another one can follow. Its result is then never whole: writes[0] is memory for the
// block that a worker has at hand.
class LeadingStep : public RowStep {
 public:
  // Of that memory, for each worker.
  virtual size_t block_bytes() const = 0;

  const Follower* follower = nullptr;

 protected:
  // lead(block) computes a block to where it is told, follow(block) does what follows.
  template <class Lead, class Follow>
  void lead_and_follow(const Frame& frame, size_t worker, const Lead& lead,
                       const Follow& follow) const {
    std::byte* block = frame.out<std::byte>(writes[0]) + worker * block_bytes();
    if (frame.follow_seconds == nullptr) {
      lead(block);
      follow(block);
      return;
    }
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    lead(block);
    const Clock::time_point middle = Clock::now();
    follow(block);
    const Clock::time_point end = Clock::now();
    FollowSeconds& seconds = frame.follow_seconds[worker];
    seconds.leader += std::chrono::duration<double>(middle - start).count();
    seconds.follower += std::chrono::duration<double>(end - middle).count();
  }
};

}  // namespace hone::cpu
