#include "hone/targets/c_code/reference_tests.h"

#include <algorithm>
#include <cmath>

namespace hone::c_code {
namespace {

bool is_float(const Value* value) {
  return value->type.tensor.dtype == DType::F32;
}

Tensor noise(const TensorType& type, uint32_t seed) {
  Tensor tensor(type);
  uint32_t state = seed * 2654435761u + 1;
  for (int8_t& value : tensor.mutable_data<int8_t>()) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<int8_t>(state >> 24);
  }
  return tensor;
}

// The floats that bytes stand for.
Tensor as_floats(const Tensor& bytes) {
  const Quantization& quant = *bytes.type().quant;
  Tensor floats(TensorType{DType::F32, bytes.shape()});
  for (size_t i = 0; i < static_cast<size_t>(bytes.elements()); ++i) {
    floats.mutable_data<float>()[i] =
        quant.scale() * static_cast<float>(bytes.data<int8_t>()[i] - quant.zero_point());
  }
  return floats;
}

Tensor nearest_bytes(const Tensor& floats, const TensorType& type) {
  const Quantization& quant = *type.quant;
  Tensor bytes(type);
  for (size_t i = 0; i < static_cast<size_t>(floats.elements()); ++i) {
    const float value = std::nearbyint(floats.data<float>()[i] / quant.scale()) +
                        static_cast<float>(quant.zero_point());
    bytes.mutable_data<int8_t>()[i] = static_cast<int8_t>(std::clamp(value, -128.0f, 127.0f));
  }
  return bytes;
}

}  // namespace

std::vector<Bytes> noise_inputs(const Plan& plan, size_t count) {
  std::vector<Bytes> all(count);
  for (size_t t = 0; t < count; ++t) {
    for (const Value* input : plan.inputs) {
      all[t].push_back(noise(input->type.tensor, static_cast<uint32_t>(t)));
    }
  }
  return all;
}

Bytes as_bytes(const std::vector<Item>& inputs, const Plan& plan) {
  Bytes bytes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& given = inputs[i].tensor;
    const bool floats = given.type().dtype == DType::F32;
    bytes.push_back(floats ? nearest_bytes(given, plan.inputs[i]->type.tensor) : given);
  }
  return bytes;
}

// Where the graph has Q/DQ pairs, the reference is that of the integers which were made of them: floats
// between the pairs round ties in other ways.
Result<std::vector<TestVector>> reference_tests(const Graph& given, const Plan& plan,
                                                const std::vector<Bytes>& inputs) {
  const auto is_pair = [](const Node* node) {
    return node->op == "quantize_linear" || node->op == "dequantize_linear";
  };
  const bool pairs = std::ranges::any_of(given.inputs(), is_float) ||
                     std::ranges::any_of(given.outputs(), is_float) ||
                     std::ranges::any_of(given.nodes(), is_pair);
  const Graph& graph = pairs ? plan.graph : given;
  HONE_TRY(const auto reference,
           (*find_target("ref"))->open()->compile(std::move(*graph.clone()), plan.options));
  std::vector<TestVector> tests;
  for (const Bytes& bytes : inputs) {
    std::vector<Item> items;
    for (size_t i = 0; i < bytes.size(); ++i) {
      items.emplace_back(is_float(graph.inputs()[i]) ? as_floats(bytes[i]) : bytes[i]);
    }
    HONE_TRY(const std::vector<Item> outputs, reference->run(items));
    tests.push_back({.inputs = bytes, .outputs = {}});
    for (const Item& output : outputs) tests.back().outputs.push_back(output.tensor);
  }
  return tests;
}

}  // namespace hone::c_code
