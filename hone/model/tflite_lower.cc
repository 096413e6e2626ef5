#include "hone/model/tflite_lower.h"

#include <algorithm>
#include <map>
#include <string>

#include "hone/model/split_fused.h"
#include "hone/model/tflite_functions.h"
#include "hone/ops/infer_types.h"
#include "hone/passes/match.h"
#include "hone/passes/pass_def.h"
#include "hone/passes/qdq_match.h"

namespace hone {
namespace {

constexpr std::string_view kLowerPass = "lower_to_tflite";

// Several operators that are one in TFLite; before pairs are looked at, which stand around it.
constexpr std::string_view kJoiningPasses[] = {"fold_constants", "remove_identity", "remove_dead",
                                               "remove_common",  "fuse_hard_swish", "fuse_gelu"};
// A product that make_gemm finds can be one of integers, so that pairs are fused once more.
constexpr std::string_view kIntegerPasses[] = {"fuse_qdq", "make_gemm", "fuse_qdq",
                                               "expand_weights"};
constexpr std::string_view kLayoutPasses[] = {"fuse_pad",       "fold_batch_norm",
                                              "choose_layout",  "move_transposes",
                                              "merge_reshapes", "fuse_activation"};

bool has_channels_first(const Node& node) {
  const OpDef* op = find_op(node.op);
  if (op == nullptr || std::ranges::count(op->attrs, "layout", &AttrDef::name) == 0) return false;
  const std::string* layout = node.find_attr<std::string>("layout");
  return layout == nullptr || *layout != "nhwc";
}

bool is_pair_half(const Node& node) {
  return node.op == "quantize_linear" || node.op == "dequantize_linear";
}

// Every layer came from a .tflite file, and nothing has put another format's words among them.
bool speaks_tflite(const Graph& graph) {
  const std::vector<Node*> nodes = graph.nodes();
  return !graph.sources.empty() && std::ranges::all_of(graph.sources, [](const Source& s) {
    return find_tflite_op(s.op) != nullptr;
  }) && std::ranges::none_of(nodes, [](const Node* node) {
    return has_channels_first(*node) || is_pair_half(*node);
  });
}

void run_passes(Graph& graph, std::span<const std::string_view> names) {
  for (const std::string_view name : names) run_pass(graph, name);
}

// What still quantizes or dequantizes does it by types, as QUANTIZE and DEQUANTIZE do.
bool convert_by_type(Graph& graph, Node* node) {
  if (!is_pair_half(*node)) return false;
  const Quant quant = params_of(*node);
  const bool quantizes = node->op == "quantize_linear";
  Value* codes = quantizes ? node->outputs[0] : node->inputs[0];
  const auto& stated = codes->type.tensor.quant;
  if (quant == nullptr || (stated != nullptr && *stated != *quant)) return false;
  if (!read_as_quantized(*codes)) return false;
  if (codes->constant) {
    codes->constant = codes->constant->with_quantization(quant);
  }
  codes->type.tensor.quant = quant;
  Node* by = graph.add_node("requantize", {node->inputs[0]}, {node->outputs[0]->type}, {},
                            node->name, node);
  take_place(graph, {node}, by, node->outputs[0], kLowerPass);
  return true;
}

// Integers that become floats only to become integers again.
void join_conversions(Graph& graph, Node* node) {
  Node* before = node->op == "requantize" ? made_by(node->inputs[0], "requantize") : nullptr;
  if (before == nullptr || activated(*before) || before->outputs[0]->type.tensor.quantized()) {
    return;
  }
  Value* from = before->inputs[0];
  const TensorType& type = node->outputs[0]->type.tensor;
  if (type.dtype == from->type.tensor.dtype && *type.quant == *from->type.tensor.quant &&
      !activated(*node) && !graph.is_output(node->outputs[0])) {
    graph.replace_uses(node->outputs[0], from);
    if (before->inputs[0]->producer != nullptr) {
      graph.inherit_origins(before->inputs[0]->producer, *node);
    }
    graph.erase(node, kLowerPass);
  } else {
    graph.inherit_origins(node, *before);
    graph.set_input(node, 0, from);
  }
  erase_if_unread(graph, before, kLowerPass);
}

// By the names of integers, those of the floats they stand for.
using FloatNames = std::map<std::string, std::string>;

FloatNames floats_of_pairs(const Graph& graph) {
  FloatNames names;
  for (const Node* node : graph.nodes()) {
    if (node->op != "quantize_linear") continue;
    const Value& from = *node->inputs[0];
    if (from.producer == nullptr || is_pair_half(*from.producer)) continue;
    names[node->outputs[0]->name] = from.name;
  }
  return names;
}

// Whoever calls a network knows its inputs and outputs by their names.
void rename_inside(Graph& graph, Value* value, const std::string& name) {
  if (name.empty() || graph.is_output(value) || graph.find_value(name) != nullptr) return;
  graph.rename(value, name);
}

void name_after_floats(Graph& graph, const FloatNames& names) {
  for (Node* node : graph.nodes()) {
    for (Value* output : node->outputs) {
      const auto name = names.find(output->name);
      if (name != names.end()) rename_inside(graph, output, name->second);
    }
  }
}

bool is_conversion(const Source& source) {
  return source.op == "QuantizeLinear" || source.op == "DequantizeLinear";
}

// In a file a tensor's name is that of the layer that makes it, under which the layer is found
// again. Of several operators that stand for one layer the last has its result.
void name_after_layers(Graph& graph) {
  const std::vector<Node*> nodes = graph.nodes();
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    if ((*node)->outputs.size() != 1) continue;
    const std::vector<int>& origins = (*node)->origins;
    for (auto origin = origins.rbegin(); origin != origins.rend(); ++origin) {
      const Source& source = graph.sources[static_cast<size_t>(*origin)];
      if (is_conversion(source)) continue;
      rename_inside(graph, (*node)->outputs[0], source.name);
      break;
    }
  }
}

bool is_fused_by_tflite(const std::string& activation) {
  return activation.empty() || activation == "relu" || activation == "relu6" ||
         activation == "relu_n1_to_1";
}

void split_what_tflite_has_not(Graph& graph) {
  for (Node* node : graph.nodes()) {
    const std::string* activation = node->find_attr<std::string>("activation");
    if (activation != nullptr && !is_fused_by_tflite(*activation)) split_activation(graph, *node);
  }
  for (Node* node : graph.nodes()) split_residual(graph, *node);
}

}  // namespace

Status lower_to_tflite(Graph& graph) {
  run_pass(graph, "remove_dead");
  if (speaks_tflite(graph)) return Done{};
  const FloatNames names = floats_of_pairs(graph);
  split_what_tflite_has_not(graph);
  run_passes(graph, kJoiningPasses);
  bound_functions(graph);
  fuse_functions(graph);
  run_passes(graph, kIntegerPasses);
  for (Node* node : graph.nodes()) convert_by_type(graph, node);
  for (Node* node : graph.nodes()) join_conversions(graph, node);
  name_after_floats(graph, names);
  run_passes(graph, kLayoutPasses);
  split_what_tflite_has_not(graph);
  run_pass(graph, "remove_dead");
  name_after_layers(graph);
  HONE_RETURN_IF_ERROR(verify(graph));
  HONE_RETURN_IF_ERROR(infer_types(graph));
  return Done{};
}

}  // namespace hone
