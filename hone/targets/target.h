// A place to run a network. Four questions: what is it, does it support a node, compile a graph,
// run the program.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/metric.h"
#include "hone/base/result.h"
#include "hone/graph/graph.h"
#include "hone/ops/context.h"

namespace hone {

// Whether a target runs a node itself, or the sentence that says why not.
struct Support {
  bool full = true;
  std::string reason;
  static Support yes() { return {}; }
  static Support no(std::string why) { return {false, std::move(why)}; }
};

// A graph made ready for one target.
class Program {
 public:
  virtual ~Program() = default;
  // One item per graph input, in order; gives one per graph output. May be called from several
  // threads at once.
  virtual Result<std::vector<Item>> run(std::vector<Item> inputs) const = 0;
};

class Target {
 public:
  virtual ~Target() = default;
  virtual Support supports(const Node& node) const = 0;
  // The graph must outlive the program. Unsupported when a node can run nowhere.
  virtual Result<std::unique_ptr<Program>> compile(const Graph& graph,
                                                   const EvalOptions& options) const = 0;
};

struct TargetDef {
  std::string_view name;
  std::string_view summary;
  Mode mode;  // Where its numbers come from.
  std::unique_ptr<Target> (*open)();
};

// In the order of targets.inc.
const std::vector<const TargetDef*>& all_targets();

// BadInput when there is no such target; the message lists those there are.
Result<const TargetDef*> find_target(std::string_view name);

}  // namespace hone
