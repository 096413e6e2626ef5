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
//
// So does the way from one scale to another, where bytes of several scales are concatenated:
//
//   %f = dequantize_linear(%x, sx, zx)           %t = lookup(%x, i8[256]{...})
//   %c = concat(%f, %g)                     =>   %f = dequantize_linear(%t, sy, zy)
//   %y = quantize_linear(%c, sy, zy)             %c = concat(%f, %g)
//
// and where nothing is between the two but other bytes come out:
//
//   %f = dequantize_linear(%x, sx, zx)
//   %y = quantize_linear(%f, sy, zy)        =>   %y = lookup(%x, i8[256]{...})
//
// With one scale on both sides only the zero point moves, which requantize does exactly, and
// devices in fewer cycles.

#include "hone/ops/interpreter.h"
#include "hone/passes/elementwise_region.h"
#include "hone/passes/match.h"
#include "hone/passes/pass_def.h"
#include "hone/passes/qdq_match.h"

namespace hone {
namespace {

constexpr std::string_view kTabulatePass = "tabulate";

bool is_byte(const Value& value) {
  return value.type.tensor.dtype == DType::I8 || value.type.tensor.dtype == DType::U8;
}

// Node after node on the given items; nothing when one of them fails.
std::optional<Tensor> run_chain(const std::vector<const Node*>& nodes, const Value* from,
                                Tensor codes) {
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

// What the table makes of `x`: a value of `like`s element type and the given scale.
Value* add_lookup(Graph& graph, const QuantizedOperand& x, Tensor table, const TensorType& like,
                  const Quant& quant, const std::string& name, Node* before) {
  TensorType type = x.value->type.tensor;
  type.dtype = like.dtype;
  type.quant = quant;
  x.value->type.tensor.quant = x.quant;
  // A constant may have raised the rank.
  Value* entries = graph.add_constant(name + ".table", table.reshaped({256}));
  return graph.add_node("lookup", {x.value, entries}, {ValueType(type)}, {}, name, before)
      ->outputs[0];
}

bool tabulate(Graph& graph, Node* quantize) {
  if (quantize->op != "quantize_linear" || !is_byte(*quantize->outputs[0])) return false;
  const Quant to = params_of(*quantize);
  if (to == nullptr || !to->per_tensor() || !read_once(graph, *quantize->inputs[0])) return false;
  const auto region = region_ending_in(graph, quantize->inputs[0]);
  if (!region) return false;
  const QuantizedOperand x = operand_of(region->source);
  if (x.value == nullptr || x.value->constant || !is_byte(*x.value) || !x.quant->per_tensor()) {
    return false;
  }
  std::vector<const Node*> chain{region->source->producer};
  chain.insert(chain.end(), region->nodes.begin(), region->nodes.end());
  chain.push_back(quantize);
  auto table = run_chain(chain, x.value, all_codes(x.value->type.tensor.dtype));
  if (!table || table->elements() != 256) return false;
  const Value* made = add_lookup(graph, x, *std::move(table), quantize->outputs[0]->type.tensor, to,
                                 region->nodes.back()->name, quantize);
  std::vector<Node*> old = region->nodes;
  old.push_back(quantize);
  take_place(graph, old, made->producer, quantize->outputs[0], kTabulatePass);
  return true;
}

// The way from bytes of one scale or type to those of another.
bool rescale(Graph& graph, Node* quantize) {
  if (quantize->op != "quantize_linear" || !is_byte(*quantize->outputs[0])) return false;
  const Quant to = params_of(*quantize);
  const QuantizedOperand x = operand_of(quantize->inputs[0]);
  if (to == nullptr || !to->per_tensor() || !read_as_quantized(*quantize->outputs[0])) return false;
  if (x.value == nullptr || x.value->constant || !is_byte(*x.value) || !x.quant->per_tensor()) {
    return false;
  }
  TensorType type = quantize->outputs[0]->type.tensor;
  type.quant = to;
  Node* made = nullptr;
  if (x.quant->scale() == to->scale()) {
    x.value->type.tensor.quant = x.quant;
    made = graph.add_node("requantize", {x.value}, {ValueType(type)}, {}, quantize->name, quantize);
  } else {
    auto table = run_chain({quantize->inputs[0]->producer, quantize}, x.value,
                           all_codes(x.value->type.tensor.dtype));
    if (!table) return false;
    made = add_lookup(graph, x, *std::move(table), type, to, quantize->name, quantize)->producer;
  }
  take_place(graph, {quantize}, made, quantize->outputs[0], kTabulatePass);
  return true;
}

// Every input of the concatenation as bytes of the type it ends in; empty when one is something
// else.
std::vector<QuantizedOperand> byte_operands(const Node& concat, DType dtype) {
  std::vector<QuantizedOperand> operands;
  for (const Value* input : concat.inputs) {
    QuantizedOperand x = operand_of(input);
    if (x.value == nullptr || x.value->constant || !x.quant->per_tensor()) return {};
    if (!is_byte(*x.value) || x.value->type.tensor.dtype != dtype) return {};
    operands.push_back(std::move(x));
  }
  return operands;
}

// Gives the inputs of a concatenation the scale of what is quantized behind it.
bool tune_concat(Graph& graph, Node* quantize) {
  if (quantize->op != "quantize_linear" || !is_byte(*quantize->outputs[0])) return false;
  const Quant to = params_of(*quantize);
  Node* concat = made_for(graph, quantize->inputs[0], "concat");
  if (to == nullptr || !to->per_tensor() || concat == nullptr) return false;
  const TensorType& type = quantize->outputs[0]->type.tensor;
  const std::vector<QuantizedOperand> operands = byte_operands(*concat, type.dtype);
  bool tuned = false;
  for (size_t i = 0; i < operands.size(); ++i) {
    const QuantizedOperand& x = operands[i];
    if (*x.quant == *to) continue;
    const Node* from = concat->inputs[i]->producer;
    auto table = run_chain({from}, x.value, all_codes(type.dtype));
    if (!table) continue;
    table = run_chain({quantize}, quantize->inputs[0], *std::move(table));
    if (!table) continue;
    Value* made = add_lookup(graph, x, *std::move(table), type, to, concat->name, concat);
    std::vector<Value*> inputs = quantize->inputs;
    inputs[0] = made;
    Node* back = graph.add_node("dequantize_linear", std::move(inputs), {from->outputs[0]->type},
                                {}, concat->name, concat);
    made->producer->origins = back->origins = concat->origins;
    graph.set_input(concat, i, back->outputs[0]);
    tuned = true;
  }
  return tuned;
}

int run_tabulate(Graph& graph) {
  int made = 0;
  for (Node* node : graph.nodes()) {
    made += tabulate(graph, node) || rescale(graph, node) || tune_concat(graph, node) ? 1 : 0;
  }
  if (made == 0) return 0;
  for (Node* node : graph.nodes()) {
    if (node->op == "dequantize_linear") erase_if_unread(graph, node, kTabulatePass);
  }
  graph.remove_unused_constants();
  return made;
}

}  // namespace

extern const PassDef pass_tabulate = {
    .name = kTabulatePass,
    .summary = "Turns functions of one value between dequantize and quantize into tables.",
    .stage = PassStage::Engine,
    .run = run_tabulate,
};

}  // namespace hone
