#include "hone/validate/arithmetic/run_nodes.h"

#include <unordered_map>

namespace hone {

Result<std::vector<Item>> run_nodes(
    const Graph& graph, std::vector<Item> inputs, const NodeRunner& run,
    const std::function<void(const Node&, const std::vector<Item>&)>& after) {
  std::unordered_map<const Value*, Item> items;
  std::unordered_map<const Value*, size_t> readers;
  for (const Value* output : graph.outputs()) ++readers[output];
  for (const Node* node : graph.nodes()) {
    for (const Value* input : node->inputs) ++readers[input];
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    HONE_TRY(items[graph.inputs()[i]], bind_input(*graph.inputs()[i], std::move(inputs[i])));
  }
  const auto item_of = [&](const Value* value) -> Item& {
    if (value->constant && !items.contains(value)) items[value] = *value->constant;
    return items[value];
  };
  for (const Node* node : graph.nodes()) {
    std::vector<const Item*> given;
    for (const Value* value : node->inputs) {
      given.push_back(value == nullptr ? nullptr : &item_of(value));
    }
    HONE_TRY(std::vector<Item> outputs, run(*node, given));
    if (after) after(*node, outputs);
    for (const Value* value : node->inputs) {
      if (--readers[value] == 0) items.erase(value);
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (readers.contains(node->outputs[i])) items[node->outputs[i]] = std::move(outputs[i]);
    }
  }
  std::vector<Item> outputs;
  for (const Value* output : graph.outputs()) outputs.push_back(item_of(output));
  return outputs;
}

}  // namespace hone
