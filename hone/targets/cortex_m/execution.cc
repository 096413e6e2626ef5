#include "hone/targets/cortex_m/execution.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <tuple>

namespace hone::cortex_m {
namespace {

bool read_edge(std::istringstream& in, Edge& edge) {
  return static_cast<bool>(in >> edge.function >> std::hex >> edge.from >> edge.from_end >>
                           edge.to >> edge.to_end >> std::dec >> edge.count);
}

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

Result<Execution> parse_execution(std::string_view text, size_t functions) {
  Execution execution{.misses = std::vector<Misses>(functions)};
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    std::string what;
    in >> what;
    Edge edge;
    Misses misses;
    size_t function = 0;
    if (what == "edge" && read_edge(in, edge) && edge.function < static_cast<int>(functions)) {
      execution.edges.push_back(edge);
    } else if (what == "misses" && in >> function >> misses.code >> misses.data &&
               function < functions) {
      execution.misses[function] = misses;
    } else if (what != "stack" || !(in >> execution.stack_bytes)) {
      return bad_input("counts of the emulator: '", line, "', expected an edge, misses or a stack");
    }
  }
  return execution;
}

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
