// What `hone inspect` found out: what is in a model, what it costs, and where it can run.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hone/graph/graph.h"
#include "hone/targets/common/references.h"
#include "hone/targets/target.h"

namespace hone {

struct InspectedLayer {
  std::string name = {};
  std::string op = {};
  std::vector<std::string> origins = {};  // Names of the source layers it stands for.
  std::string output = {};                // Type of the first output.
  int64_t parameters = 0;
  int64_t macs = 0;
  int64_t flops = 0;
  uint64_t weight_bytes = 0;
  uint64_t activation_bytes = 0;
};

// The nodes a target cannot run, with the reason of each.
struct InspectedTarget {
  std::string target = {};
  std::vector<std::pair<const Node*, std::string>> unsupported = {};
};

// Points into the graph that was inspected.
struct Inspection {
  std::string model = {};
  std::string format = {};
  std::string version = {};
  std::string producer = {};
  uint64_t file_bytes = 0;  // 0: there is no file.
  const Graph* graph = nullptr;
  int64_t parameters = 0;
  int64_t macs = 0;
  int64_t flops = 0;
  uint64_t weight_bytes = 0;
  bool complete = true;  // False: costs are lower bounds.
  std::map<std::string, int> ops = {};
  std::vector<InspectedLayer> layers = {};
  std::vector<InspectedTarget> targets = {};
  References references = {};                // On the cpu target,
  std::string not_counted = {};              // or why they were not counted.
  std::optional<MemorySummary> memory = {};  // Of the cpu target, where it was asked for.
};

// Some extent of an input is not known before a run.
bool has_open_inputs(const Graph& graph);

// What stands under "results" of a result file.
nlohmann::ordered_json inspection_to_json(const Inspection& inspection);

}  // namespace hone
