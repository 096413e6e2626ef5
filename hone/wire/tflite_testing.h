// Small .tflite models made in memory, for the tests of the reader.
#pragma once

#include <tflite_objects.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hone/wire/tflite.h"

namespace hone {

namespace tfl = hone_tflite_objects;

inline SharedBytes shared(std::string_view bytes) {
  auto copy = std::make_shared<std::string>(bytes);
  const auto* start = reinterpret_cast<const std::byte*>(copy->data());
  return {copy, {start, copy->size()}};
}

inline std::string packed(const tfl::ModelT& model) {
  flatbuffers::FlatBufferBuilder builder;
  tfl::FinishModelBuffer(builder, tfl::Model::Pack(builder, &model));
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

inline Result<TfliteModel> read_packed(const tfl::ModelT& model) {
  return read_tflite_bytes(shared(packed(model)));
}

inline uint32_t add_buffer(tfl::ModelT& model, std::vector<uint8_t> data) {
  auto buffer = std::make_unique<tfl::BufferT>();
  buffer->data = std::move(data);
  model.buffers.push_back(std::move(buffer));
  return static_cast<uint32_t>(model.buffers.size() - 1);
}

template <class T>
std::vector<uint8_t> bytes_of_values(const std::vector<T>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

inline tfl::TensorT& add_tensor(tfl::SubGraphT& subgraph, const char* name, tfl::TensorType type,
                                std::vector<int32_t> shape, uint32_t buffer = 0) {
  auto tensor = std::make_unique<tfl::TensorT>();
  tensor->name = name;
  tensor->type = type;
  tensor->shape = std::move(shape);
  tensor->buffer = buffer;
  subgraph.tensors.push_back(std::move(tensor));
  return *subgraph.tensors.back();
}

inline void quantize(tfl::TensorT& tensor, std::vector<float> scales,
                     std::vector<int64_t> zero_points, int axis = 0) {
  tensor.quantization = std::make_unique<tfl::QuantizationParametersT>();
  tensor.quantization->scale = std::move(scales);
  tensor.quantization->zero_point = std::move(zero_points);
  tensor.quantization->quantized_dimension = axis;
}

inline tfl::OperatorT& add_op(tfl::ModelT& model, tfl::BuiltinOperator builtin,
                              std::vector<int> inputs, std::vector<int> outputs) {
  auto code = std::make_unique<tfl::OperatorCodeT>();
  code->builtin_code = builtin;
  code->deprecated_builtin_code = static_cast<int8_t>(std::min(127, static_cast<int>(builtin)));
  model.operator_codes.push_back(std::move(code));
  auto op = std::make_unique<tfl::OperatorT>();
  op->opcode_index = static_cast<uint32_t>(model.operator_codes.size() - 1);
  op->inputs = std::move(inputs);
  op->outputs = std::move(outputs);
  model.subgraphs[0]->operators.push_back(std::move(op));
  return *model.subgraphs[0]->operators.back();
}

// x:i8[?,4] -> FULLY_CONNECTED with w:i8[4,4] per channel and b:i32[4] -> y -> custom MyOp -> z.
inline tfl::ModelT small_model() {
  tfl::ModelT model;
  model.version = 3;
  model.description = "small";
  add_buffer(model, {});
  model.subgraphs.push_back(std::make_unique<tfl::SubGraphT>());
  tfl::SubGraphT& main = *model.subgraphs[0];
  main.name = "main";
  tfl::TensorT& x = add_tensor(main, "x", tfl::TensorType::INT8, {1, 4});
  x.shape_signature = {-1, 4};
  quantize(x, {0.5f}, {3});
  std::vector<uint8_t> weights(16);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<uint8_t>(i);
  quantize(add_tensor(main, "w", tfl::TensorType::INT8, {4, 4}, add_buffer(model, weights)),
           {1, 2, 3, 4}, {0, 0, 0, 0});
  const uint32_t bias = add_buffer(model, bytes_of_values<int32_t>({1, -2, 3, -4}));
  quantize(add_tensor(main, "b", tfl::TensorType::INT32, {4}, bias), {1, 2, 3, 4}, {});
  quantize(add_tensor(main, "y", tfl::TensorType::INT8, {1, 4}), {0.25f}, {-7});
  add_tensor(main, "z", tfl::TensorType::FLOAT32, {1, 4});
  main.inputs = {0};
  main.outputs = {4};
  tfl::FullyConnectedOptionsT options;
  options.fused_activation_function = tfl::ActivationFunctionType::RELU6;
  options.keep_num_dims = true;
  add_op(model, tfl::BuiltinOperator::FULLY_CONNECTED, {0, 1, 2}, {3})
      .builtin_options.Set(std::move(options));
  model.operator_codes[0]->version = 4;
  add_op(model, tfl::BuiltinOperator::CUSTOM, {3, -1}, {4}).custom_options = {1, 2, 3};
  model.operator_codes[1]->custom_code = "MyOp";
  model.metadata.push_back(std::make_unique<tfl::MetadataT>());
  model.metadata[0]->name = "min_runtime_version";
  model.metadata[0]->buffer = add_buffer(model, {'2', '.', '1'});
  return model;
}

inline tfl::TensorT& tensor_at(tfl::ModelT& model, size_t index) {
  return *model.subgraphs[0]->tensors[index];
}

// A 4x4 matrix in blocks of 2x2, of which the upper right and the lower left are stored.
inline void make_sparse(tfl::ModelT& model) {
  const uint32_t buffer = add_buffer(model, {1, 2, 3, 4, 5, 6, 7, 8});
  tfl::TensorT& tensor =
      add_tensor(*model.subgraphs[0], "sparse", tfl::TensorType::INT8, {4, 4}, buffer);
  tensor.sparsity = std::make_unique<tfl::SparsityParametersT>();
  tensor.sparsity->traversal_order = {0, 1, 2, 3};
  tensor.sparsity->block_map = {0, 1};
  for (int level = 0; level < 4; ++level) {
    tensor.sparsity->dim_metadata.push_back(std::make_unique<tfl::DimensionMetadataT>());
    tensor.sparsity->dim_metadata.back()->dense_size = 2;
  }
  tfl::DimensionMetadataT& columns = *tensor.sparsity->dim_metadata[1];
  columns.format = tfl::DimensionType::SPARSE_CSR;
  tfl::Uint8VectorT segments;
  segments.values = {0, 1, 2};
  columns.array_segments.Set(std::move(segments));
  tfl::Int32VectorT indices;
  indices.values = {1, 0};
  columns.array_indices.Set(std::move(indices));
}

}  // namespace hone
