// Functions of one quantized byte become tables of all 256 answers:
//
//   %f = dequantize_linear(%x, sx, zx)
//   %s = sigmoid(%f)
//   %m = mul(%f, %s)                        =>   %y = lookup(%x, i8[256]{...})
//   %y = quantize_linear(%m, sy, zy)
//
// whatever the function is made of (elementwise_region.h), and bit for bit what the floats give:
// the references fill the table. Before fuse_qdq, which would take a part of it for a sum or
// product of its own, and which gives what else reads %x its scale by its type.

#include "hone/ops/interpreter.h"
#include "hone/passes/elementwise_region.h"
#include "hone/passes/match.h"
#include "hone/passes/pass_def.h"
#include "hone/passes/qdq_match.h"

namespace hone {
namespace {

constexpr std::string_view kPass = "tabulate";

bool is_byte(const Value& value) {
  return value.type.tensor.dtype == DType::I8 || value.type.tensor.dtype == DType::U8;
}

// Node after node on the given items; nothing when one of them fails.
std::optional<Tensor> run_chain(const std::vector<Node*>& nodes, const Value* from, Tensor codes) {
  std::unordered_map<const Value*, Item> items;
  items.emplace(from, Item(std::move(codes)));
  for (const Node* node : nodes) {
    std::vector<const Item*> inputs;
    for (const Value* input : node->inputs) {
      if (input != nullptr && input->constant) items.try_emplace(input, Item(*input->constant));
      inputs.push_back(input == nullptr ? nullptr : &items.at(input));
    }
    auto outputs = run_node(*node, inputs, {});
    if (!outputs.ok() || !(*outputs)[0].is_tensor()) return std::nullopt;
    items[node->outputs[0]] = std::move((*outputs)[0]);
  }
  return items.at(nodes.back()->outputs[0]).tensor;
}

Tensor all_codes(DType dtype) {
  Tensor codes(TensorType{dtype, {256}});
  const int first = dtype == DType::I8 ? -128 : 0;
  for (int i = 0; i < 256; ++i) {
    codes.mutable_bytes()[static_cast<size_t>(i)] = static_cast<std::byte>(first + i);
  }
  return codes;
}

bool tabulate(Graph& graph, Node* quantize) {
  if (quantize->op != "quantize_linear" || !is_byte(*quantize->outputs[0])) return false;
  const Quant to = params_of(*quantize);
  if (to == nullptr || !to->per_tensor() || !read_once(graph, *quantize->inputs[0])) return false;
  const auto region = region_ending_in(graph, quantize->inputs[0]);
  if (!region) return false;
  const Operand x = operand_of(region->source);
  if (x.value == nullptr || x.value->constant || !is_byte(*x.value) || !x.quant->per_tensor()) {
    return false;
  }
  std::vector<Node*> chain{region->source->producer};
  chain.insert(chain.end(), region->nodes.begin(), region->nodes.end());
  chain.push_back(quantize);
  auto table = run_chain(chain, x.value, all_codes(x.value->type.tensor.dtype));
  if (!table || table->elements() != 256) return false;
  TensorType type = quantize->outputs[0]->type.tensor;
  type.quant = to;
  x.value->type.tensor.quant = x.quant;
  Value* entries = graph.add_constant(quantize->name + ".table", *std::move(table));
  Node* lookup = graph.add_node("lookup", {x.value, entries}, {ValueType(type)}, {},
                                region->nodes.back()->name, quantize);
  std::vector<Node*> old = region->nodes;
  old.push_back(quantize);
  take_place(graph, old, lookup, quantize->outputs[0], kPass);
  return true;
}

int run(Graph& graph) {
  int made = 0;
  for (Node* node : graph.nodes()) made += tabulate(graph, node) ? 1 : 0;
  if (made == 0) return 0;
  for (Node* node : graph.nodes()) {
    if (node->op == "dequantize_linear") erase_if_unread(graph, node, kPass);
  }
  graph.remove_unused_constants();
  return made;
}

}  // namespace

extern const PassDef pass_tabulate = {
    .name = kPass,
    .summary = "Turns functions of one value between dequantize and quantize into tables.",
    .stage = PassStage::Engine,
    .run = run,
};

}  // namespace hone
