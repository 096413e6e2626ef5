#include "hone/quantize/recover/probe.h"

#include <algorithm>
#include <unordered_set>

#include "hone/passes/match.h"

namespace hone {

Probe::Probe(const Graph& graph) : graph_(graph.clone()) {
  const std::vector<Node*> nodes = graph.nodes(), twins = graph_->nodes();
  for (size_t i = 0; i < nodes.size(); ++i) copies_[nodes[i]] = twins[i];
}

Node* Probe::add_sums(const ProductLayer& layer, Value* weights, Value* bias) {
  const Node& node = *copies_.at(layer.node);
  Attrs attrs = node.attrs;
  attrs.erase("activation");
  attrs.erase("activation_params");
  std::vector<Value*> inputs = {node.inputs[kLayerData], weights};
  if (bias != nullptr) inputs.push_back(bias);
  return add_inferred(*graph_, node.op, std::move(inputs), std::move(attrs), node.name + ".sums",
                      nullptr);
}

void Probe::see_sums(const ProductLayer& layer) {
  const Node& node = *copies_.at(layer.node);
  seen_.push_back(
      add_sums(layer, node.inputs[kLayerWeight], input_of(node, kLayerBias))->outputs[0]);
}

void Probe::see_mean_sums(const ProductLayer& layer, Value* weights, Value* bias) {
  const Node* sums = add_sums(layer, weights, bias);
  if (sums->op == "conv") {
    const Attrs layout = {{"layout", attr_of<std::string>(*sums, "layout")}};
    sums = add_inferred(*graph_, "global_average_pool", {sums->outputs[0]}, layout,
                        sums->name + ".mean", nullptr);
  }
  seen_.push_back(sums->outputs[0]);
}

void Probe::see_mean_sums(const ProductLayer& layer, const Tensor& weights, const Tensor& bias) {
  see_mean_sums(layer, graph_->add_constant("weights", weights),
                graph_->add_constant("bias", bias));
}

void Probe::see_mean_sums(const ProductLayer& layer) {
  const Node& node = *copies_.at(layer.node);
  see_mean_sums(layer, node.inputs[kLayerWeight], input_of(node, kLayerBias));
}

void Probe::see(const Value& value) {
  seen_.push_back(graph_->find_value(value.name));
}

// Only where it leads to something that is seen: most passes look at the first layers.
void Probe::expand_weights() {
  std::unordered_set<const Value*> needed(seen_.begin(), seen_.end());
  std::vector<Node*> last_first = graph_->nodes();
  std::ranges::reverse(last_first);
  for (const Node* node : last_first) {
    const bool leads = std::ranges::any_of(
        node->outputs, [&](const Value* output) { return needed.contains(output); });
    if (!leads) continue;
    needed.insert(node->inputs.begin(), node->inputs.end());
    if (node->op != "dequantize_linear") continue;
    Value* output = node->outputs[0];
    if (auto expanded = float_constant(output)) {
      graph_->replace_uses(output, graph_->add_constant(output->name, *std::move(expanded)));
    }
  }
}

Status Probe::compile() {
  expand_weights();
  // A graph has as many outputs as it ever got: those too many repeat the first.
  const size_t had = graph_->outputs().size();
  for (size_t i = 0; i < std::max(had, seen_.size()); ++i) {
    Value* value = i < seen_.size() ? seen_[i] : seen_[0];
    if (i < had) {
      graph_->set_output(i, value);
    } else {
      graph_->add_output(value);
    }
  }
  HONE_TRY(const TargetDef* cpu, find_target("cpu"));
  HONE_TRY(program_, cpu->open()->compile(std::move(*graph_), {}));
  session_ = program_->open();
  return Done{};
}

Result<const std::vector<Item>*> Probe::run(const SampleSource& samples, int64_t index) {
  HONE_CHECK(!seen_.empty(), "a probe that sees nothing");
  if (session_ == nullptr) HONE_RETURN_IF_ERROR(compile());
  HONE_TRY(const std::vector<Item> inputs, samples.sample(index));
  HONE_RETURN_IF_ERROR(session_->run(inputs, outputs_).in(str("sample ", index)));
  return &outputs_;
}

}  // namespace hone
