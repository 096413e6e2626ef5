// Networks built in code: real shapes, weights drawn from a seed. They need no file, so they are
// what demos, tests and benchmarks run everywhere; their answers mean nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hone/base/result.h"
#include "hone/graph/graph.h"

namespace hone {

struct NetworkDef {
  std::string_view name;     // "mobilenet_v2"
  std::string_view summary;  // One sentence with the paper or code it follows.
  // Published figures at the default input, for tests and `hone inspect`; 0 where none is stated.
  double published_parameters = 0;
  double published_macs = 0;
  Graph (*build)(uint64_t seed);
};

// In the order of networks.inc.
const std::vector<const NetworkDef*>& all_networks();

// BadInput when there is no such network; the message lists near ones.
Result<Graph> build_network(std::string_view name, uint64_t seed = 0);

}  // namespace hone
