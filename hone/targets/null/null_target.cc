// Runs nothing: a session binds inputs, visits every step and gives zeros. What is measured on it
// is what measuring itself costs.

#include "hone/ops/interpreter.h"
#include "hone/passes/pass_def.h"
#include "hone/targets/target.h"

namespace hone {
namespace {

class NullSession final : public Session {
 public:
  explicit NullSession(std::shared_ptr<const Graph> graph) : graph_(std::move(graph)) {}

  Status run(const std::vector<Item>& inputs, std::vector<Item>& outputs) override {
    HONE_RETURN_IF_ERROR(check(inputs));
    fill(outputs);
    return Done{};
  }

  Status run_observed(const std::vector<Item>& inputs, std::vector<Item>& outputs,
                      StepObserver& observer) override {
    HONE_RETURN_IF_ERROR(check(inputs));
    observer.begin();
    for (size_t step = 0; step < graph_->node_count(); ++step) observer.step_done(step, {});
    fill(outputs);
    return Done{};
  }

 private:
  Status check(const std::vector<Item>& inputs) const {
    if (inputs.size() != graph_->inputs().size()) {
      return bad_input("the model has ", graph_->inputs().size(), " inputs, got ", inputs.size());
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      HONE_RETURN_IF_ERROR(bind_input(*graph_->inputs()[i], inputs[i]));
    }
    return Done{};
  }

  void fill(std::vector<Item>& outputs) const {
    outputs.resize(graph_->outputs().size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      const TensorType& type = graph_->outputs()[i]->type.tensor;
      if (!outputs[i].is_tensor() || outputs[i].tensor.type() != type) outputs[i] = Tensor(type);
    }
  }

  std::shared_ptr<const Graph> graph_;
};

class NullProgram final : public Program {
 public:
  explicit NullProgram(std::shared_ptr<const Graph> graph) : graph_(std::move(graph)) {}
  std::unique_ptr<Session> open() const override { return std::make_unique<NullSession>(graph_); }
  const Graph& graph() const override { return *graph_; }

  std::vector<StepInfo> steps() const override {
    std::vector<StepInfo> infos;
    for (const Node* node : graph_->nodes()) {
      infos.push_back({.node = node,
                       .kind = {.family = StepFamily::Nothing,
                                .work = "nothing",
                                .precision = arithmetic_of(*node)},
                       .cost = node_cost(*node)});
    }
    return infos;
  }

 private:
  std::shared_ptr<const Graph> graph_;
};

class NullTarget final : public Target {
 public:
  Support supports(const Node&) const override { return Support::yes(); }

  Result<std::unique_ptr<Program>> compile(Graph graph,
                                           const CompileOptions& options) const override {
    const PipelineOptions passes{.disabled = options.disabled_passes, .last = PassStage::Clean};
    HONE_RETURN_IF_ERROR(optimize(graph, passes));
    for (const Value* output : graph.outputs()) {
      if (!output->type.is_tensor() || !output->type.tensor.known()) {
        return unsupported("output '", output->name, "' is ", text_of(output->type.tensor),
                           ": target null needs extents that are known before a run");
      }
    }
    return {std::make_unique<NullProgram>(std::make_shared<const Graph>(std::move(graph)))};
  }
};

}  // namespace

extern const TargetDef target_null = {
    .name = "null",
    .summary = "Computes nothing and gives zeros: what running and measuring cost by themselves.",
    .mode = Mode::Measured,
    .open = [] { return std::unique_ptr<Target>(std::make_unique<NullTarget>()); },
};

}  // namespace hone
