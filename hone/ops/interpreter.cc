#include "hone/ops/interpreter.h"

#include <algorithm>
#include <unordered_map>

#include "hone/ops/op_def.h"

namespace hone {
namespace {

ValueType type_of(const Item& item) {
  if (item.is_tensor()) return item.tensor.type();
  ValueType type = TensorType::unranked(DType::Undefined);
  type.sequence = item.is_sequence();
  type.optional = item.absent();
  if (!item.sequence.empty()) type.tensor.dtype = item.sequence[0].dtype();
  return type;
}

// The type an output will have: what infer says, with the quantization that the graph declares.
ValueType with_declared_quantization(ValueType inferred, const Value& declared) {
  const TensorType& given = declared.type.tensor;
  if (given.quantized() && !inferred.tensor.quantized() && inferred.tensor.dtype == given.dtype) {
    inferred.tensor.quant = given.quant;
  }
  return inferred;
}

Result<std::vector<ValueType>> output_types(const OpDef& op, const Node& node,
                                            const std::vector<const Item*>& inputs) {
  std::vector<ValueType> held(inputs.size());
  std::vector<const ValueType*> types(inputs.size());
  std::vector<const Tensor*> values(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == nullptr) continue;
    held[i] = type_of(*inputs[i]);
    types[i] = &held[i];
    if (inputs[i]->is_tensor()) values[i] = &inputs[i]->tensor;
  }
  HONE_RETURN_IF_ERROR(check_node(op, node, types));
  HONE_TRY(std::vector<ValueType> inferred, op.infer(InferContext(op, node, types, values)));
  HONE_CHECK(inferred.size() >= node.outputs.size(), "infer of ", op.name, " gives ",
             inferred.size(), " types for ", node.outputs.size(), " outputs");
  inferred.resize(node.outputs.size());
  for (size_t i = 0; i < inferred.size(); ++i) {
    inferred[i] = with_declared_quantization(std::move(inferred[i]), *node.outputs[i]);
    HONE_RETURN_IF_ERROR(inferred[i].tensor.check());
  }
  return inferred;
}

// Memory of a run is bounded by dropping each value after its last reader.
class Run {
 public:
  Run(const Graph& graph, const RunOptions& options) : graph_(graph), options_(options) {
    for (const Value* output : graph.outputs()) ++readers_[output];
    for (const Node* node : graph.nodes()) {
      for (const Value* input : node->inputs) ++readers_[input];
    }
  }

  Result<std::vector<Item>> operator()(std::vector<Item> inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) items_[graph_.inputs()[i]] = std::move(inputs[i]);
    for (const Node* node : graph_.nodes()) HONE_RETURN_IF_ERROR(step(*node));
    std::vector<Item> outputs;
    for (const Value* output : graph_.outputs()) outputs.push_back(item_of(output));
    return outputs;
  }

 private:
  const Item& item_of(const Value* value) {
    if (value->constant && !items_.contains(value)) items_[value] = *value->constant;
    return items_[value];
  }

  void drop_if_last(const Value* value) {
    if (--readers_[value] == 0) items_.erase(value);
  }

  Status step(const Node& node) {
    std::vector<const Item*> inputs;
    for (const Value* value : node.inputs) {
      inputs.push_back(value == nullptr ? nullptr : &item_of(value));
    }
    HONE_TRY(std::vector<Item> outputs, run_node(node, inputs, options_.eval));
    if (options_.after_node) options_.after_node(node, outputs);
    for (const Value* value : node.inputs) drop_if_last(value);
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (readers_.contains(node.outputs[i])) items_[node.outputs[i]] = std::move(outputs[i]);
    }
    return Done{};
  }

  const Graph& graph_;
  const RunOptions& options_;
  std::unordered_map<const Value*, int> readers_;
  std::unordered_map<const Value*, Item> items_;
};

}  // namespace

Result<Item> bind_input(const Value& input, Item item) {
  const TensorType& type = input.type.tensor;
  if (!item.is_tensor()) return item;
  const TensorType& given = item.tensor.type();
  bool fits = type.dtype == DType::Undefined || given.dtype == type.dtype;
  if (type.ranked && input.type.is_tensor()) {
    fits = fits && given.rank() == type.rank();
    for (size_t i = 0; fits && i < type.shape.size(); ++i) {
      fits = type.shape[i] == kUnknown || type.shape[i] == given.shape[i];
    }
  }
  if (!fits) {
    return bad_input("input '", input.name, "' is ", given, ", expected ", type);
  }
  return Item(item.tensor.with_quantization(type.quant));
}

Result<std::vector<Item>> run_node(const Node& node, const std::vector<const Item*>& inputs,
                                   const EvalOptions& options) {
  const std::string where = str("node '", node.name, "' (", node.op, ")");
  const OpDef* op = find_op(node.op);
  if (op == nullptr) return unsupported(where, ": no such operator");
  if (op->eval == nullptr) return unsupported(where, ": has no reference implementation");
  auto types = output_types(*op, node, inputs);
  if (!types.ok()) return std::move(types).error().in(where);
  // Where no output has an element there is nothing to compute, and references need not know.
  const bool gives_nothing = std::ranges::all_of(*types, [](const ValueType& type) {
    return type.is_tensor() && type.tensor.known() && type.tensor.elements() == 0;
  });
  const RunOptions body_options{options, nullptr};
  EvalContext context(*op, node, inputs, *std::move(types), options,
                      [&](const Graph& body, std::vector<Item> arguments) {
                        return run_graph(body, std::move(arguments), body_options);
                      });
  if (!gives_nothing) HONE_RETURN_IF_ERROR(op->eval(context).in(where));
  for (size_t i = 0; i < context.outputs(); ++i) {
    // An operator that has nothing to write, as for an empty tensor, need not say so.
    const ValueType& type = context.out_type(i);
    if (type.is_tensor() && type.tensor.known()) context.out(i);
  }
  std::vector<Item> outputs = context.take_outputs();
  for (size_t i = 0; i < outputs.size(); ++i) {
    // A result shared with an input, or built by the operator, still has the declared quantization.
    const auto& quant = node.outputs[i]->type.tensor.quant;
    if (quant && outputs[i].is_tensor() && !outputs[i].tensor.type().quantized()) {
      outputs[i] = outputs[i].tensor.with_quantization(quant);
    }
  }
  return outputs;
}

Result<std::vector<Item>> run_graph(const Graph& graph, std::vector<Item> inputs,
                                    const RunOptions& options) {
  if (inputs.size() != graph.inputs().size()) {
    return bad_input("got ", inputs.size(), " inputs, expected ", graph.inputs().size());
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    HONE_TRY(inputs[i], bind_input(*graph.inputs()[i], std::move(inputs[i])));
  }
  return Run(graph, options)(std::move(inputs));
}

}  // namespace hone
