// Networks built in code: real shapes, weights drawn from a seed. They need no file, so they are
// what demos, tests and benchmarks run everywhere; their answers mean nothing.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/result.h"
#include "hone/graph/graph.h"

namespace hone {

// An image [n, 3, h, w] on whose extents the graph depends: reshapes, grids of cells, padding.
struct SizedInput {
  std::string_view name = "input";
  int64_t extent = 0;    // h and w of the default.
  int64_t multiple = 1;  // Of h and of w.
  int64_t smallest = 1;
  Graph (*build)(const Shape& image, uint64_t seed) = nullptr;
};

struct NetworkDef {
  std::string_view name;     // "mobilenet_v2"
  std::string_view summary;  // One sentence with the paper or code it follows.
  // Published figures at the default input, for tests and `hone inspect`; 0 where none is stated.
  double published_parameters = 0;
  double published_macs = 0;
  // One of the two. A graph of `build` takes whatever other extents its layers take.
  Graph (*build)(uint64_t seed) = nullptr;
  SizedInput sized = {};
};

// In the order of networks.inc.
const std::vector<const NetworkDef*>& all_networks();

// BadInput when there is no such network, with near ones, or when it cannot take an image of the
// shape in `shapes` (by the input's name). Shapes of inputs of networks whose graph does not depend
// on them are passed over. "nas201:" and a cell's string is the network of NAS-Bench-201.
Result<Graph> build_network(std::string_view name, uint64_t seed = 0,
                            const std::map<std::string, Shape>& shapes = {});

}  // namespace hone
