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

// Bytes without a sign that are 128 more than those with one, and the other way round.
Tensor with_other_sign(const Tensor& bytes, const TensorType& type) {
  Tensor other(type);
  const auto from = bytes.bytes();
  const auto to = other.mutable_bytes();
  for (size_t i = 0; i < from.size(); ++i) to[i] = from[i] ^ std::byte{128};
  return other;
}

// What the file takes where the plan takes these bytes.
Tensor as_given(const Tensor& bytes, const TensorType& type) {
  switch (type.dtype) {
    case DType::F32:
      return as_floats(bytes);
    case DType::U8:
      return with_other_sign(bytes, type);
    default:
      return bytes;
  }
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
    const TensorType& type = plan.inputs[i]->type.tensor;
    switch (given.dtype()) {
      case DType::F32:
        bytes.push_back(nearest_bytes(given, type));
        break;
      case DType::U8:
        bytes.push_back(with_other_sign(given, type));
        break;
      default:
        bytes.push_back(given);
    }
  }
  return bytes;
}

// Where the graph has Q/DQ pairs, the reference is that of the integers which were made of them: floats
// between the pairs round ties in other ways.
Result<Reference> Reference::make(const Graph& given, const Plan& plan, std::string_view target) {
  const auto is_pair = [](const Node* node) {
    return node->op == "quantize_linear" || node->op == "dequantize_linear";
  };
  const bool pairs = std::ranges::any_of(given.inputs(), is_float) ||
                     std::ranges::any_of(given.outputs(), is_float) ||
                     std::ranges::any_of(given.nodes(), is_pair);
  const Graph& graph = pairs ? plan.graph : given;
  std::vector<TensorType> inputs;
  for (const Value* input : graph.inputs()) inputs.push_back(input->type.tensor);
  std::vector<TensorType> outputs;
  for (const Value* output : plan.outputs) outputs.push_back(output->type.tensor);
  HONE_TRY(const TargetDef* def, find_target(target));
  HONE_TRY(auto program, def->open()->compile(std::move(*graph.clone()), plan.options));
  return Reference(std::move(program), std::move(inputs), std::move(outputs));
}

Result<std::vector<Tensor>> Reference::run(const Bytes& inputs) const {
  std::vector<Item> items;
  for (size_t i = 0; i < inputs.size(); ++i) items.emplace_back(as_given(inputs[i], inputs_[i]));
  HONE_TRY(const std::vector<Item> outputs, program_->run(items));
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& made = outputs[i].tensor;
    tensors.push_back(made.dtype() == DType::U8 ? with_other_sign(made, outputs_[i]) : made);
  }
  return tensors;
}

Result<std::vector<TestVector>> reference_tests(const Graph& given, const Plan& plan,
                                                const std::vector<Bytes>& inputs) {
  HONE_TRY(const Reference reference, Reference::make(given, plan));
  std::vector<TestVector> tests;
  for (const Bytes& bytes : inputs) {
    HONE_TRY(std::vector<Tensor> outputs, reference.run(bytes));
    tests.push_back({.inputs = bytes, .outputs = std::move(outputs)});
  }
  return tests;
}

}  // namespace hone::c_code
