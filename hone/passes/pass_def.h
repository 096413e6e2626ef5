#pragma once

#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/result.h"
#include "hone/graph/graph.h"

namespace hone {

// What a rewrite is for.
enum class PassStage {
  Clean,   // Good for every reader of the graph, a file to be written too.
  Engine,  // Makes operators and layouts that the cpu target computes faster.
};
std::string_view name_of(PassStage stage);  // "clean", "engine"

// A rewrite of a graph into an equal one. It leaves no node behind that nobody reads.
struct PassDef {
  std::string_view name;     // A verb phrase: fold_constants.
  std::string_view summary;  // One sentence.
  PassStage stage = PassStage::Clean;
  // Rewrites in place and says how often. Keeps origins: nodes go only through Graph::replace and
  // Graph::erase.
  int (*run)(Graph& graph);
};

// In the order they run, which is that of passes.inc.
const std::vector<const PassDef*>& all_passes();

// One pass by itself, of any stage. Requires that there is one of that name.
int run_pass(Graph& graph, std::string_view name);

struct PipelineOptions {
  std::set<std::string, std::less<>> disabled = {};
  PassStage last = PassStage::Clean;  // Stages up to this one.
};

struct PassRun {
  std::string_view pass;
  int rewrites;
  std::chrono::microseconds time;
};

// Runs every pass of the stages that is not disabled and verifies the graph after each. BadInput
// when `disabled` names no pass.
Result<std::vector<PassRun>> optimize(Graph& graph, const PipelineOptions& options = {});

}  // namespace hone
