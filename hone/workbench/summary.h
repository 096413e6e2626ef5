// What a model costs, counted from its graph.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hone/model/load.h"

namespace hone {

struct LayerSummary {
  std::string name;
  std::string op;
  std::vector<std::string> origins;  // Names of the source layers it stands for.
  std::string output;                // Type of the first output: "f32[1,64,56,56]".
  std::vector<size_t> reads;         // The layers whose outputs it reads, each once.
  int64_t parameters = 0;
  int64_t macs = 0;
  int64_t flops = 0;  // Two for each MAC, and the operations besides.
  uint64_t weight_bytes = 0;
  uint64_t activation_bytes = 0;  // Read and written, constants not counted; 0 when not known.
};

struct ModelSummary {
  int64_t parameters = 0;
  int64_t macs = 0;
  int64_t flops = 0;
  uint64_t weight_bytes = 0;
  bool complete = true;  // False when extents are not known, so that costs are lower bounds.
  std::map<std::string, int> ops;
  std::vector<LayerSummary> layers;
};

ModelSummary summarize(const Graph& graph);

// Of everything that the graph and the bodies in it hold as constants.
uint64_t constant_bytes(const Graph& graph);

// The nodes a target cannot run, with the reason of each.
struct TargetSupport {
  std::string target;
  std::vector<std::pair<const Node*, std::string>> unsupported;
};
std::vector<TargetSupport> support_by_target(const Model& model);

}  // namespace hone
