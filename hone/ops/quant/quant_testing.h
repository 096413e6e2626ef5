// For tests of operators on quantized tensors, and of TFLite import rules.
#pragma once

#include <algorithm>
#include <cmath>

#include "hone/ops/testing.h"
#include "hone/ops/tflite_import.h"

namespace hone {

inline std::shared_ptr<const Quantization> quant(float scale, int32_t zero_point = 0) {
  return std::make_shared<Quantization>(Quantization{{scale}, {zero_point}});
}
inline std::shared_ptr<const Quantization> quant_along(int axis, std::vector<float> scales) {
  std::vector<int32_t> zero_points(scales.size());
  return std::make_shared<Quantization>(
      Quantization{std::move(scales), std::move(zero_points), axis});
}

template <class T>
Tensor quantized(Shape shape, const std::vector<T>& values,
                 std::shared_ptr<const Quantization> how) {
  return Tensor::of<T>(std::move(shape), values).with_quantization(std::move(how));
}

// One node whose first output has the element type and quantization of `type`.
inline Result<Tensor> run_quantized(std::string_view op, const std::vector<Tensor>& inputs,
                                    const TensorType& type, Attrs attrs = {},
                                    const EvalOptions& options = {}) {
  Graph graph;
  std::vector<Value*> values;
  for (const Tensor& tensor : inputs) values.push_back(graph.add_input("x", tensor.type()));
  TensorType declared = TensorType::unranked(type.dtype);
  declared.quant = type.quant;
  Node* node = graph.add_node(op, values, {declared}, std::move(attrs));
  graph.add_output(node->outputs[0]);
  HONE_TRY(const InferredTypes inferred, infer_types(graph));
  if (!inferred.unsupported.empty()) return unsupported(inferred.unsupported[0].reason);
  HONE_TRY(std::vector<Item> results, run_graph(graph, as_items(inputs), {options, nullptr}));
  return results[0].tensor;
}

// An operator of a .tflite file by its import rule. Inputs are constants of the file, but those in
// `computed`; a tensor without a type is left out.
struct TfliteCase {
  std::string op;
  std::vector<Tensor> inputs;
  std::vector<TensorType> outputs;
  std::map<std::string, TfliteOption> options = {};
  std::vector<size_t> computed = {0};
  std::vector<std::byte> custom_options = {};
  std::vector<TensorType> intermediates = {};
};

// The graph that the rule makes.
inline Result<Graph> import_case(const TfliteCase& test) {
  const TfliteRule* rule = find_tflite_op(test.op);
  if (rule == nullptr) return unsupported("no rule for ", test.op);
  TfliteSubgraph subgraph;
  TfliteOp op;
  op.name = test.op;
  op.options = test.options;
  op.custom_options = test.custom_options;
  Graph graph;
  std::vector<Value*> values;
  for (size_t i = 0; i < test.inputs.size(); ++i) {
    const Tensor& tensor = test.inputs[i];
    const bool present = tensor.dtype() != DType::Undefined;
    op.inputs.push_back(present ? static_cast<int>(i) : -1);
    subgraph.tensors.push_back({.name = "in", .type = tensor.type(), .constant = {}});
    const bool computed = std::ranges::find(test.computed, i) != test.computed.end();
    values.push_back(!present   ? nullptr
                     : computed ? graph.add_input("in", tensor.type())
                                : graph.add_constant("in", tensor));
  }
  for (const TensorType& type : test.outputs) {
    op.outputs.push_back(static_cast<int>(values.size()));
    subgraph.tensors.push_back({.name = "out", .type = type, .constant = {}});
    values.push_back(nullptr);
  }
  for (const TensorType& type : test.intermediates) {
    op.intermediates.push_back(static_cast<int>(values.size()));
    subgraph.tensors.push_back({.name = "between", .type = type, .constant = {}});
    values.push_back(nullptr);
  }
  TfliteImport in(graph, subgraph, op, values);
  Status status = rule->import(in);
  if (!status.ok()) {
    HONE_CHECK(graph.node_count() == 0, "the rule adds nodes and then refuses");
    return std::move(status).error();
  }
  for (const int output : op.outputs) graph.add_output(values[static_cast<size_t>(output)]);
  return graph;
}

// All outputs.
inline Result<std::vector<Item>> run_case(const TfliteCase& test) {
  HONE_TRY(Graph graph, import_case(test));
  HONE_TRY(const InferredTypes inferred, infer_types(graph));
  if (!inferred.unsupported.empty()) return unsupported(inferred.unsupported[0].reason);
  std::vector<Item> inputs;
  for (const size_t i : test.computed) inputs.push_back(test.inputs[i]);
  return run_graph(graph, std::move(inputs));
}

inline Result<Tensor> run_tflite(const TfliteCase& test) {
  HONE_TRY(const std::vector<Item> outputs, run_case(test));
  return outputs[0].tensor;
}

// TFLite's rule as its definition says it: sum * factor with the factor's 31 bits, rounded with
// ties upward before the right shift and away from zero after it; plus the zero point, cut to int8.
inline int8_t by_the_book(int64_t sum, double factor, int32_t zero_point) {
  int shift = 0;
  const auto multiplier = static_cast<int64_t>(std::round(std::frexp(factor, &shift) * 0x1p31));
  const double left = static_cast<double>(sum) * std::ldexp(1.0, std::max(shift, 0));
  // Exact: |left| < 2^22 and the multiplier has 31 bits.
  const double high = std::floor(left * static_cast<double>(multiplier) / 0x1p31 + 0.5);
  const double value = std::round(high / std::ldexp(1.0, std::max(-shift, 0)));
  return static_cast<int8_t>(std::clamp(value + zero_point, -128.0, 127.0));
}

// Numbers that look random but are always the same.
template <class T>
std::vector<T> some_values(size_t count, int low, int high) {
  std::vector<T> values(count);
  uint32_t state = 12345;
  for (T& value : values) {
    state = state * 1664525 + 1013904223;
    value = static_cast<T>(low +
                           static_cast<int>((state >> 8) % static_cast<uint32_t>(high - low + 1)));
  }
  return values;
}

}  // namespace hone
