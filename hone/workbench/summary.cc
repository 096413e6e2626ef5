#include "hone/workbench/summary.h"

#include <unordered_set>

#include "hone/ops/op_def.h"
#include "hone/targets/target.h"

namespace hone {
namespace {

// Statistics are no trained parameters, and published counts leave them out.
bool is_statistic(const Node& node, size_t input) {
  return node.op == "batch_norm" && input >= 3;
}

// Numbers that steer the graph (shapes, axes, paddings) are 64-bit integers or flags.
bool is_weight(const Value& value) {
  if (!value.constant) return false;
  const DType dtype = value.type.tensor.dtype;
  return dtype != DType::I64 && dtype != DType::Bool && dtype != DType::String;
}

class Summarizer {
 public:
  explicit Summarizer(const Graph& graph) : graph_(graph) {}

  ModelSummary run() {
    for (const Node* node : graph_.nodes()) add(*node);
    return std::move(summary_);
  }

 private:
  void add(const Node& node) {
    LayerSummary layer;
    layer.name = node.name;
    layer.op = node.op;
    for (const int origin : node.origins) {
      layer.origins.push_back(graph_.sources[static_cast<size_t>(origin)].name);
    }
    layer.output = text_of(node.outputs[0]->type.tensor);
    count_weights(node, layer);
    count_activations(node, layer);
    count_work(node, layer);
    ++summary_.ops[node.op];
    summary_.parameters += layer.parameters;
    summary_.weight_bytes += layer.weight_bytes;
    summary_.macs += layer.macs;
    summary_.flops += layer.flops;
    summary_.layers.push_back(std::move(layer));
  }

  // A weight that several nodes read counts once, for the first.
  void count_weights(const Node& node, LayerSummary& layer) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const Value* value = node.inputs[i];
      if (value == nullptr || !is_weight(*value) || !counted_.insert(value).second) continue;
      layer.weight_bytes += value->constant->bytes().size();
      if (!is_statistic(node, i)) layer.parameters += value->constant->elements();
    }
  }

  void count_activations(const Node& node, LayerSummary& layer) {
    for (const auto* values : {&node.inputs, &node.outputs}) {
      for (const Value* value : *values) {
        if (value == nullptr || value->constant) continue;
        const TensorType& type = value->type.tensor;
        if (!value->type.is_tensor() || !type.known()) {
          summary_.complete = false;
          continue;
        }
        layer.activation_bytes += type.bytes();
      }
    }
  }

  static void count_work(const Node& node, LayerSummary& layer) {
    const OpDef* op = find_op(node.op);
    if (op == nullptr || op->cost == nullptr) return;
    const InferContext context = static_context(*op, node);
    if (!check_node(*op, node, input_types(node)).ok()) return;
    const Cost cost = op->cost(context);
    layer.macs = cost.macs;
    layer.flops = 2 * cost.macs + cost.flops;
  }

  static std::vector<const ValueType*> input_types(const Node& node) {
    std::vector<const ValueType*> types;
    for (const Value* value : node.inputs) types.push_back(value ? &value->type : nullptr);
    return types;
  }

  const Graph& graph_;
  std::unordered_set<const Value*> counted_;
  ModelSummary summary_;
};

}  // namespace

ModelSummary summarize(const Graph& graph) {
  return Summarizer(graph).run();
}

std::vector<TargetSupport> support_by_target(const Model& model) {
  std::vector<TargetSupport> result;
  for (const TargetDef* def : all_targets()) {
    TargetSupport support{std::string(def->name), {}};
    const std::unique_ptr<Target> target = def->open();
    std::unordered_set<const Node*> named;
    for (const UnsupportedNode& entry : model.unsupported) {
      support.unsupported.emplace_back(entry.node, entry.reason);
      named.insert(entry.node);
    }
    for (const Node* node : model.graph.nodes()) {
      const Support answer = target->supports(*node);
      if (!answer.full && !named.contains(node)) {
        support.unsupported.emplace_back(node, answer.reason);
      }
    }
    result.push_back(std::move(support));
  }
  return result;
}

}  // namespace hone
