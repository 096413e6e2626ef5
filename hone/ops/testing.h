// For tests of operators: one node, run as the interpreter runs it or imported as from an ONNX
// file.
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <string_view>
#include <vector>

#include "hone/ops/infer_types.h"
#include "hone/ops/interpreter.h"
#include "hone/ops/onnx_import.h"
#include "hone/ops/op_def.h"

namespace hone {

inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

inline std::vector<Item> as_items(const std::vector<Tensor>& tensors) {
  return {tensors.begin(), tensors.end()};
}

// The first output of one node, or the reason why there is none. A tensor without a type stands for
// an input that is left out.
inline Result<Tensor> run_op(std::string_view op, const std::vector<Tensor>& inputs,
                             Attrs attrs = {}, size_t outputs = 1) {
  Graph graph;
  std::vector<Value*> values;
  std::vector<Tensor> given;
  for (const Tensor& tensor : inputs) {
    const bool present = tensor.dtype() != DType::Undefined;
    values.push_back(present ? graph.add_input("x", tensor.type()) : nullptr);
    if (present) given.push_back(tensor);
  }
  Node* node = graph.add_node(op, values, std::vector<ValueType>(outputs), std::move(attrs));
  for (Value* output : node->outputs) graph.add_output(output);
  HONE_TRY(const InferredTypes inferred, infer_types(graph));
  if (!inferred.unsupported.empty()) return unsupported(inferred.unsupported[0].reason);
  HONE_TRY(std::vector<Item> results, run_graph(graph, as_items(given)));
  return results[0].tensor;
}

// The same for a node of an ONNX file of version `opset`, through the operator's import rule.
inline Result<Tensor> run_onnx(std::string_view op_type, int64_t opset,
                               const std::vector<Tensor>& inputs, Attrs attrs = {},
                               std::string_view domain = "") {
  const auto match = find_onnx_op(op_type, domain);
  if (!match) return unsupported("no such operator");
  Graph graph;
  std::vector<Value*> values;
  std::vector<Tensor> given;
  for (const Tensor& tensor : inputs) {
    const bool present = tensor.dtype() != DType::Undefined;
    values.push_back(present ? graph.add_input("x", tensor.type()) : nullptr);
    if (present) given.push_back(tensor);
  }
  OnnxImport in{.graph = graph,
                .name = "node",
                .op_type = std::string(op_type),
                .opset = opset,
                .inputs = values,
                .attrs = std::move(attrs),
                .outputs = 1,
                .op = std::string(match->op->name)};
  if (match->rule->upgrade != nullptr) HONE_RETURN_IF_ERROR(match->rule->upgrade(in));
  if (in.results.empty()) in.results = in.add(in.op, in.inputs, in.attrs)->outputs;
  graph.add_output(in.results[0]);
  HONE_TRY(const InferredTypes inferred, infer_types(graph));
  if (!inferred.unsupported.empty()) return unsupported(inferred.unsupported[0].reason);
  HONE_TRY(std::vector<Item> results, run_graph(graph, as_items(given)));
  return results[0].tensor;
}

// Of an operator of ONNX Runtime's own.
inline Result<Tensor> run_ort(std::string_view op_type, const std::vector<Tensor>& inputs,
                              Attrs attrs = {}) {
  return run_onnx(op_type, 1, inputs, std::move(attrs), kOnnxRuntime);
}

// The outputs of a graph in its text form (graph.h), types inferred first.
inline Result<std::vector<Item>> run_text(std::string_view text, std::vector<Item> inputs = {}) {
  HONE_TRY(Graph graph, parse_graph(text));
  HONE_TRY(const InferredTypes inferred, infer_types(graph));
  if (!inferred.unsupported.empty()) return unsupported(inferred.unsupported[0].reason);
  return run_graph(graph, std::move(inputs));
}

// The type that infer gives the first output for inputs of these types, whose values are not known.
inline Result<TensorType> infer_op(std::string_view op, const std::vector<TensorType>& inputs,
                                   Attrs attrs = {}) {
  Graph graph;
  std::vector<Value*> values;
  for (const TensorType& type : inputs) values.push_back(graph.add_input("x", type));
  Node* node = graph.add_node(op, values, {ValueType()}, std::move(attrs));
  HONE_TRY(const InferredTypes inferred, infer_types(graph));
  if (!inferred.unsupported.empty()) return unsupported(inferred.unsupported[0].reason);
  return node->outputs[0]->type.tensor;
}

template <class T>
Tensor vector_of(const std::vector<T>& values) {
  return Tensor::of<T>({static_cast<int64_t>(values.size())}, values);
}

// Expects a tensor of that shape and those values exactly.
template <class T>
void expect_tensor(const Result<Tensor>& result, const Shape& shape, const std::vector<T>& values) {
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_EQ(result->dtype(), kDTypeOf<T>);
  EXPECT_EQ(result->shape(), shape);
  const auto data = result->template data<T>();
  EXPECT_EQ(std::vector<T>(data.begin(), data.end()), values);
}

template <class T>
void expect_error(const Result<T>& result, ErrorKind kind) {
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(static_cast<int>(result.error().kind), static_cast<int>(kind))
      << result.error().message;
}

template <class T>
void expect_bad_input(const Result<T>& result) {
  expect_error(result, ErrorKind::BadInput);
}

template <class T>
void expect_unsupported(const Result<T>& result) {
  expect_error(result, ErrorKind::Unsupported);
}

}  // namespace hone
