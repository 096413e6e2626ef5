#pragma once

#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/result.h"
#include "hone/graph/graph.h"

namespace hone {

// A rewrite of a graph into an equal one.
struct PassDef {
  std::string_view name;     // A verb phrase: fold_constants.
  std::string_view summary;  // One sentence.
  // Rewrites in place and says how often. Keeps origins: nodes go only through Graph::replace and
  // Graph::erase.
  int (*run)(Graph& graph);
};

// In the order they run, which is that of passes.inc.
const std::vector<const PassDef*>& all_passes();

struct PipelineOptions {
  std::set<std::string, std::less<>> disabled;
};

struct PassRun {
  std::string_view pass;
  int rewrites;
  std::chrono::microseconds time;
};

// Runs every pass that is not disabled and verifies the graph after each. BadInput when `disabled`
// names no pass.
Result<std::vector<PassRun>> optimize(Graph& graph, const PipelineOptions& options = {});

}  // namespace hone
