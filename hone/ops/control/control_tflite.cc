// IF and WHILE. A subgraph of TFLite takes nothing from around it but its inputs. WHILE asks its
// condition before every round, a loop of Hone after it; so the condition is computed once outside
// and again at the end of the body:
//     cond = condition(states); while (cond) { states = body(states); cond = condition(states); }

#include "hone/ops/control/control_tflite.h"

#include <algorithm>

#include "hone/ops/tflite_import.h"

namespace hone {
namespace {

using Sources = TfliteSubgraphs::Sources;

const TensorType& tensor_type(const TfliteSubgraph& subgraph, int index) {
  return subgraph.tensors[static_cast<size_t>(index)].type;
}

bool quantized_alike(const TensorType& a, const TensorType& b) {
  if (a.quantized() != b.quantized()) return false;
  return !a.quantized() || *a.quant == *b.quant;
}

// A value may pass between two tensors when only their extents differ, which a run settles.
Status check_passing(const TensorType& from, const TensorType& to, std::string_view what,
                     size_t i) {
  if (from.dtype != to.dtype) {
    return bad_input(what, " ", i, " is ", to.dtype, ", but the value is ", from.dtype);
  }
  if (quantized_alike(from, to)) return Done{};
  return unsupported(what, " ", i, " has other quantization parameters than the value it gets");
}

// The subgraph, once it is known to take values of these types and to give as many results.
Result<const TfliteSubgraph*> subgraph_for(const TfliteImport& in, int64_t index,
                                           const std::vector<TensorType>& arguments,
                                           size_t results) {
  const TfliteSubgraph* subgraph = in.subgraphs() ? in.subgraphs()->find(index) : nullptr;
  if (subgraph == nullptr) return bad_input("subgraph ", index, " does not exist");
  if (subgraph->inputs.size() != arguments.size() || subgraph->outputs.size() != results) {
    return bad_input("subgraph ", index, " takes ", subgraph->inputs.size(), " values and gives ",
                     subgraph->outputs.size(), ", expected ", arguments.size(), " and ", results);
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    HONE_RETURN_IF_ERROR(check_passing(arguments[i], tensor_type(*subgraph, subgraph->inputs[i]),
                                       str("input of subgraph ", index), i));
  }
  if (std::ranges::any_of(subgraph->tensors, &TfliteTensor::variable)) {
    return unsupported("subgraph ", index, " keeps state from one run to the next");
  }
  return subgraph;
}

std::vector<TensorType> types_of(const TfliteSubgraph& subgraph, const std::vector<int>& tensors) {
  std::vector<TensorType> types;
  for (const int index : tensors) types.push_back(tensor_type(subgraph, index));
  return types;
}

Status check_results(const TfliteImport& in, const TfliteSubgraph& subgraph) {
  for (size_t i = 0; i < in.outputs(); ++i) {
    HONE_RETURN_IF_ERROR(
        check_passing(tensor_type(subgraph, subgraph.outputs[i]), in.out_type(i), "output", i));
  }
  return Done{};
}

// The type of a subgraph's input that gets values of both types.
TensorType merged(const TensorType& a, const TensorType& b) {
  TensorType type = a;
  if (!a.ranked || !b.ranked || a.rank() != b.rank()) {
    type.ranked = false;
    type.shape.clear();
  }
  for (size_t i = 0; i < type.shape.size(); ++i) {
    if (a.shape[i] != b.shape[i]) type.shape[i] = kUnknown;
  }
  return type;
}

// The operator's inputs from `first` on.
Result<std::vector<Value*>> values_from(const TfliteImport& in, size_t first) {
  std::vector<Value*> values;
  for (size_t i = first; i < in.inputs(); ++i) {
    if (!in.has(i)) return bad_input("input ", i, " is left out, but required");
    values.push_back(in.in(i));
  }
  return values;
}

std::vector<TensorType> tensor_types(const std::vector<Value*>& values) {
  std::vector<TensorType> types;
  for (const Value* value : values) types.push_back(value->type.tensor);
  return types;
}

std::vector<ValueType> output_types(const TfliteImport& in) {
  std::vector<ValueType> types;
  for (size_t i = 0; i < in.outputs(); ++i) types.emplace_back(in.out_type(i));
  return types;
}

void finish_all(TfliteImport& in, const Node& node) {
  for (size_t i = 0; i < in.outputs(); ++i) in.set_output(i, node.outputs[i]);
}

Result<std::shared_ptr<Graph>> branch(TfliteImport& in, const char* option,
                                      const std::vector<TensorType>& arguments) {
  const int64_t index = in.option<int64_t>(option, 0);
  HONE_TRY(const TfliteSubgraph* subgraph, subgraph_for(in, index, arguments, in.outputs()));
  HONE_RETURN_IF_ERROR(check_results(in, *subgraph));
  auto graph = std::make_shared<Graph>();
  graph->name = subgraph->name;
  std::vector<Value*> inputs;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const TfliteTensor& tensor = subgraph->tensors[static_cast<size_t>(subgraph->inputs[i])];
    inputs.push_back(graph->add_input(tensor.name, merged(tensor.type, arguments[i])));
  }
  HONE_TRY(const auto results, in.subgraphs()->call(index, inputs, *graph, Sources::Recorded));
  for (Value* result : results) graph->add_output(result);
  return graph;
}

struct WhileParts {
  int64_t condition;
  int64_t body;
  const TfliteSubgraph* body_graph;
};

Result<WhileParts> while_parts(const TfliteImport& in, const std::vector<TensorType>& states) {
  WhileParts parts{in.option<int64_t>("cond_subgraph_index", 0),
                   in.option<int64_t>("body_subgraph_index", 0), nullptr};
  HONE_TRY(parts.body_graph, subgraph_for(in, parts.body, states, states.size()));
  HONE_RETURN_IF_ERROR(check_results(in, *parts.body_graph));
  const std::vector<TensorType> next = types_of(*parts.body_graph, parts.body_graph->outputs);
  for (size_t i = 0; i < states.size(); ++i) {
    HONE_RETURN_IF_ERROR(check_passing(next[i], states[i], "state", i));
  }
  HONE_TRY(const TfliteSubgraph* condition, subgraph_for(in, parts.condition, states, 1));
  const DType dtype = tensor_type(*condition, condition->outputs[0]).dtype;
  if (dtype != DType::Bool) return bad_input("the condition is ", dtype, ", expected bool");
  return parts;
}

Result<std::shared_ptr<Graph>> loop_body(TfliteImport& in, const WhileParts& parts,
                                         const std::vector<TensorType>& states) {
  const TfliteSubgraph& body = *parts.body_graph;
  auto graph = std::make_shared<Graph>();
  graph->name = body.name;
  graph->add_input("round", ValueType(DType::I64, {}));
  graph->add_input("go_on", ValueType(DType::Bool, {}));
  const std::vector<TensorType> next = types_of(body, body.outputs);
  std::vector<Value*> inputs;
  for (size_t i = 0; i < states.size(); ++i) {
    const TfliteTensor& tensor = body.tensors[static_cast<size_t>(body.inputs[i])];
    const TensorType type = merged(merged(tensor.type, states[i]), next[i]);
    inputs.push_back(graph->add_input(tensor.name, type));
  }
  TfliteSubgraphs& subgraphs = *in.subgraphs();
  HONE_TRY(const auto results, subgraphs.call(parts.body, inputs, *graph, Sources::Recorded));
  HONE_TRY(const auto go_on, subgraphs.call(parts.condition, results, *graph, Sources::Recorded));
  graph->add_output(go_on[0]);
  for (Value* result : results) graph->add_output(result);
  return graph;
}

}  // namespace

Status import_if(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  HONE_TRY(const std::vector<Value*> values, values_from(in, 1));
  const std::vector<TensorType> types = tensor_types(values);
  HONE_TRY(auto on_true, branch(in, "then_subgraph_index", types));
  HONE_TRY(auto on_false, branch(in, "else_subgraph_index", types));
  std::vector<Value*> inputs{in.in(0)};
  inputs.insert(inputs.end(), values.begin(), values.end());
  finish_all(in, *in.add_node("if", std::move(inputs), output_types(in),
                              {{"captures", static_cast<int64_t>(values.size())},
                               {"then_branch", std::move(on_true)},
                               {"else_branch", std::move(on_false)}}));
  return Done{};
}

Status import_while(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  HONE_TRY(const std::vector<Value*> states, values_from(in, 0));
  if (states.size() != in.outputs()) {
    return bad_input("has ", states.size(), " inputs and ", in.outputs(), " outputs");
  }
  const std::vector<TensorType> types = tensor_types(states);
  HONE_TRY(const WhileParts parts, while_parts(in, types));
  HONE_TRY(auto body, loop_body(in, parts, types));
  HONE_TRY(const auto go_on,
           in.subgraphs()->call(parts.condition, states, in.graph(), Sources::Left));
  std::vector<Value*> inputs{nullptr, go_on[0]};
  inputs.insert(inputs.end(), states.begin(), states.end());
  finish_all(
      in, *in.add_node("loop", std::move(inputs), output_types(in), {{"body", std::move(body)}}));
  return Done{};
}

}  // namespace hone
