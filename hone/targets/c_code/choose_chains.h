// Which steps run by rows, so that no step needs more of the arena than it may.
#pragma once

#include <optional>
#include <vector>

#include "hone/targets/c_code/plan.h"
#include "hone/targets/common/memory_planner.h"

namespace hone::c_code {

// What the steps have in the arena where each result lies apart from what it is made of.
struct ArenaUse {
  std::vector<BufferLife> lives = {};
  // By step: the buffer of what it reads first and of what it makes; none where that is the caller's.
  std::vector<std::optional<size_t>> read = {};
  std::vector<std::optional<size_t>> made = {};
};

class ChainChooser {
 public:
  ChainChooser(const std::vector<Step>& steps, const ArenaUse& use);

  // What the fullest step needs at least.
  size_t least_bytes() const;
  // Limits worth a try, from the largest down to what is needed at least: those that part chains from
  // others, some of them where there are many.
  std::vector<size_t> limits() const;
  // The chains of least cost with which no step needs more. Requires limit >= least_bytes().
  std::vector<RowChain> within(size_t limit) const;

 private:
  // Steps that run together: a chain, or one as it is.
  struct Part {
    size_t first;
    size_t last;
    size_t bytes;  // In use while it runs.
    std::optional<RowChain> chain = {};
  };

  void add_parts_from(size_t first);
  size_t bytes_of(size_t first, size_t last, std::optional<size_t> lead, size_t own) const;
  Part plain_part(size_t step) const;
  Part chain_part(RowChain chain) const;

  const std::vector<Step>& steps_;
  const ArenaUse& use_;
  std::vector<std::vector<Part>> parts_by_last_;
};

// The instructions that it adds to a run, predicted.
double added_instructions(const RowCost& cost);

}  // namespace hone::c_code
