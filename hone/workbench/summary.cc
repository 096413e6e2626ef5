#include "hone/workbench/summary.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "hone/ops/control/body_cost.h"
#include "hone/targets/target.h"

namespace hone {
namespace {

// Statistics are no trained parameters, and published counts leave them out.
bool is_statistic(const Node& node, size_t input) {
  return node.op == "batch_norm" && input >= 3;
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
    layer.reads = reads_of(node);
    places_[&node] = summary_.layers.size();
    count_weights(node, layer);
    const NodeCost cost = node_cost(node);
    layer.activation_bytes = cost.read_bytes + cost.written_bytes;
    layer.macs = cost.macs;
    layer.flops = cost.flops;
    summary_.complete = summary_.complete && cost.known;
    ++summary_.ops[node.op];
    summary_.parameters += layer.parameters;
    summary_.weight_bytes += layer.weight_bytes;
    summary_.macs += layer.macs;
    summary_.flops += layer.flops;
    summary_.layers.push_back(std::move(layer));
  }

  std::vector<size_t> reads_of(const Node& node) const {
    std::vector<size_t> reads;
    for (const Value* value : node.inputs) {
      if (value == nullptr || value->producer == nullptr) continue;
      const size_t place = places_.at(value->producer);
      if (std::ranges::find(reads, place) == reads.end()) reads.push_back(place);
    }
    return reads;
  }

  // A weight that several nodes read counts once, for the first. Those of all branches are there.
  void count_weights(const Node& node, LayerSummary& layer) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const Value* value = node.inputs[i];
      if (value == nullptr || !is_weight(*value) || !counted_.insert(value).second) continue;
      layer.weight_bytes += value->constant->bytes().size();
      if (!is_statistic(node, i)) layer.parameters += value->constant->elements();
    }
    for (const Graph* body : bodies_of(node)) {
      for (const Node* inner : body->nodes()) count_weights(*inner, layer);
      for (const Value* output : body->outputs()) {
        if (is_weight(*output) && counted_.insert(output).second) add_weight(*output, layer);
      }
    }
  }

  static void add_weight(const Value& value, LayerSummary& layer) {
    layer.weight_bytes += value.constant->bytes().size();
    layer.parameters += value.constant->elements();
  }

  const Graph& graph_;
  std::unordered_set<const Value*> counted_;
  std::unordered_map<const Node*, size_t> places_;  // Among the layers.
  ModelSummary summary_;
};

}  // namespace

ModelSummary summarize(const Graph& graph) {
  return Summarizer(graph).run();
}

uint64_t constant_bytes(const Graph& graph) {
  uint64_t bytes = 0;
  for (const Value* value : graph.constants()) bytes += value->type.tensor.bytes();
  for (const Node* node : graph.nodes()) {
    for (const Graph* body : bodies_of(*node)) bytes += constant_bytes(*body);
  }
  return bytes;
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
