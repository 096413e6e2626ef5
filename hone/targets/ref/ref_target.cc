// Runs the operators' references, node by node: the oracle that other targets are compared with.

#include "hone/ops/interpreter.h"
#include "hone/targets/common/reference_support.h"
#include "hone/targets/target.h"

namespace hone {
namespace {

struct RefPlan {
  Graph graph;
  EvalOptions options;
};

class RefSession final : public Session {
 public:
  explicit RefSession(std::shared_ptr<const RefPlan> plan) : plan_(std::move(plan)) {}

  Status run(const std::vector<Item>& inputs, std::vector<Item>& outputs) override {
    HONE_TRY(outputs, run_graph(plan_->graph, inputs, {plan_->options, nullptr}));
    return Done{};
  }

  Status run_observed(const std::vector<Item>& inputs, std::vector<Item>& outputs,
                      StepObserver& observer) override {
    size_t step = 0;
    const auto after_node = [&](const Node&, const std::vector<Item>&) {
      observer.step_done(step++, {});
    };
    observer.begin();
    HONE_TRY(outputs, run_graph(plan_->graph, inputs, {plan_->options, after_node}));
    return Done{};
  }

 private:
  std::shared_ptr<const RefPlan> plan_;
};

class RefProgram final : public Program {
 public:
  explicit RefProgram(std::shared_ptr<const RefPlan> plan) : plan_(std::move(plan)) {}
  std::unique_ptr<Session> open() const override { return std::make_unique<RefSession>(plan_); }
  const Graph& graph() const override { return plan_->graph; }

  std::vector<StepInfo> steps() const override {
    std::vector<StepInfo> infos;
    for (const Node* node : plan_->graph.nodes()) {
      infos.push_back({.node = node, .kind = reference_kind(*node)});
      infos.back().cost = node_cost(*node);
    }
    return infos;
  }

 private:
  std::shared_ptr<const RefPlan> plan_;
};

class RefTarget final : public Target {
 public:
  Support supports(const Node& node) const override { return reference_support(node); }

  Result<std::unique_ptr<Program>> compile(Graph graph,
                                           const CompileOptions& options) const override {
    for (const Node* node : graph.nodes()) HONE_RETURN_IF_ERROR(check_reference(*node));
    auto plan = std::make_shared<const RefPlan>(RefPlan{std::move(graph), options.eval});
    return {std::make_unique<RefProgram>(std::move(plan))};
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
