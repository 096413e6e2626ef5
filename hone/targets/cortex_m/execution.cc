#include "hone/targets/cortex_m/execution.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace hone::cortex_m {
namespace {

using emulation::Edge;
using emulation::Execution;
using emulation::Misses;

// A branch goes one way most of the time, which is expected: the other way is not.
class Surprises {
 public:
  void add(const Edge& edge) {
    Ways& ways = ways_[{edge.function, edge.from, edge.from_end}];
    (edge.to == edge.from_end ? ways.past : ways.taken) += edge.count;
  }
  void charge(double cycles, std::vector<FunctionCost>& costs) const {
    for (const auto& [branch, ways] : ways_) {
      const uint64_t rare = std::min(ways.past, ways.taken);
      costs[static_cast<size_t>(std::get<0>(branch))].branches +=
          cycles * static_cast<double>(rare);
    }
  }

 private:
  struct Ways {
    uint64_t past = 0;
    uint64_t taken = 0;
  };
  std::map<std::tuple<int, uint32_t, uint32_t>, Ways> ways_;
};

}  // namespace

std::vector<FunctionCost> costs_of(const Execution& execution, const Disassembly& program,
                                   const Core& core, double line_cycles) {
  std::vector<FunctionCost> costs(execution.misses.size());
  Surprises surprises;
  for (const Edge& edge : execution.edges) {
    if (edge.function < 0) continue;
    FunctionCost& cost = costs[static_cast<size_t>(edge.function)];
    const auto before = program.between(edge.from, edge.from_end);
    const auto block = program.between(edge.to, edge.to_end);
    cost.instructions += edge.count * block.size();
    cost.issue += static_cast<double>(edge.count) *
                  cycles_behind(core, before, block, edge.to != edge.from_end);
    surprises.add(edge);
  }
  surprises.charge(core.surprised, costs);
  for (size_t f = 0; f < costs.size(); ++f) {
    const Misses& misses = execution.misses[f];
    costs[f].flash = line_cycles * static_cast<double>(misses.code + misses.data);
  }
  return costs;
}

}  // namespace hone::cortex_m
