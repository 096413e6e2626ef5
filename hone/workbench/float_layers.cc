#include "hone/workbench/float_layers.h"

#include <set>

#include "hone/passes/match.h"
#include "hone/targets/target.h"

namespace hone {
namespace {

bool is_float(const Value* value) {
  return value != nullptr && value->type.is_tensor() && kFloat.contains(value->type.tensor.dtype);
}

// Between the layers: they have the name of the layer that they serve.
bool converts(const Node& node) {
  static const std::set<std::string_view> kConversions = {"quantize_linear", "dequantize_linear",
                                                          "requantize", "transpose", "reshape"};
  return kConversions.contains(node.op);
}

}  // namespace

Result<std::vector<QuantizedLayer>> computed_in_float(const Quantized& network, const Graph& graph,
                                                      const std::string& target) {
  HONE_TRY(const TargetDef* def, find_target(target));
  HONE_TRY(const std::unique_ptr<Program> program,
           def->open()->compile(std::move(*graph.clone()), {.threads = 1}));
  std::set<std::string> in_float;
  for (const Node* node : program->graph().nodes()) {
    const bool floats = is_float(input_of(*node, 0)) && is_float(node->outputs[0]);
    if (floats && !converts(*node)) in_float.insert(node->name);
  }
  std::vector<QuantizedLayer> found;
  for (const QuantizedLayer& layer : network.layers) {
    if (layer.integer_activations && in_float.contains(layer.name)) found.push_back(layer);
  }
  return found;
}

}  // namespace hone
