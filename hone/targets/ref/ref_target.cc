// Runs the operators' references, node by node: the oracle that other targets are compared with.

#include "hone/ops/interpreter.h"
#include "hone/ops/op_def.h"
#include "hone/targets/target.h"

namespace hone {
namespace {

class RefProgram final : public Program {
 public:
  RefProgram(const Graph& graph, const EvalOptions& options) : graph_(graph), options_(options) {}

  Result<std::vector<Item>> run(std::vector<Item> inputs) const override {
    return run_graph(graph_, std::move(inputs), {options_, nullptr});
  }

 private:
  const Graph& graph_;
  const EvalOptions options_;
};

class RefTarget final : public Target {
 public:
  Support supports(const Node& node) const override {
    const OpDef* op = find_op(node.op);
    if (op == nullptr) return Support::no("no such operator");
    if (op->eval == nullptr) return Support::no("the operator has no reference implementation");
    return Support::yes();
  }

  Result<std::unique_ptr<Program>> compile(const Graph& graph,
                                           const EvalOptions& options) const override {
    for (const Node* node : graph.nodes()) {
      const std::string* reason = node->find_attr<std::string>("reason");
      if (node->op == "custom") {
        return unsupported("node '", node->name, "' (", *node->find_attr<std::string>("op_type"),
                           "): ", *reason);
      }
      const Support support = supports(*node);
      if (!support.full) {
        return unsupported("node '", node->name, "' (", node->op, "): ", support.reason);
      }
    }
    return {std::make_unique<RefProgram>(graph, options)};
  }
};

}  // namespace

extern const TargetDef target_ref = {
    .name = "ref",
    .summary = "The operators' references, node by node, on this CPU: the oracle.",
    .mode = Mode::Measured,
    .open = [] { return std::unique_ptr<Target>(std::make_unique<RefTarget>()); },
};

}  // namespace hone
