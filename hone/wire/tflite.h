// A .tflite file as plain structs: what it says, decoded but not interpreted. Only the tflite_*.cc
// files know flatbuffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "hone/base/file.h"
#include "hone/base/result.h"
#include "hone/tensor/tensor.h"

namespace hone {

struct TfliteTensor {
  std::string name;
  // With the quantization, if any. An extent is kUnknown where shape_signature says -1. Float16 and
  // 4-bit element types keep their storage type; handles and complex numbers, which no type of Hone
  // stands for, are Undefined and have no constant.
  TensorType type;
  std::optional<Tensor> constant;  // The buffer's bytes, when there are any; views of the file.
  bool variable = false;           // State kept between runs.
};

// Enumerations are given by the schema's names ("SAME", "RELU6"), tensor types as DType names
// ("i8").
using TfliteOption = std::variant<int64_t, double, bool, std::string, std::vector<int64_t>>;

struct TfliteOp {
  std::string name;  // "CONV_2D"; for a custom operator the custom code.
  bool custom = false;
  int version = 1;
  std::vector<int> inputs;  // Indices into the subgraph's tensors; -1 where left out.
  std::vector<int> outputs;
  std::vector<int> intermediates;
  std::map<std::string, TfliteOption> options;  // As the schema names them.
  std::vector<std::byte> custom_options;
};

struct TfliteSubgraph {
  std::string name;
  std::vector<TfliteTensor> tensors;
  std::vector<int> inputs;
  std::vector<int> outputs;
  std::vector<TfliteOp> ops;
};

struct TfliteModel {
  uint32_t version = 0;
  std::string description;
  std::vector<TfliteSubgraph> subgraphs;
  std::map<std::string, std::string> metadata;  // Names of metadata buffers and their bytes.
};

// Every index is checked: a model that comes back has no reference outside its own tables.
Result<TfliteModel> read_tflite(const std::filesystem::path& path);
Result<TfliteModel> read_tflite_bytes(const SharedBytes& bytes);

}  // namespace hone
