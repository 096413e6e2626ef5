#include "hone/targets/emulation/counts.h"

#include <sstream>

namespace hone::emulation {
namespace {

bool read_edge(std::istringstream& in, Edge& edge) {
  return static_cast<bool>(in >> edge.function >> std::hex >> edge.from >> edge.from_end >>
                           edge.to >> edge.to_end >> std::dec >> edge.count);
}

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

}  // namespace hone::emulation
