// An .onnx file as plain structs: what it says, decoded but not interpreted. Only the onnx_*.cc
// files know protobuf.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "hone/base/result.h"
#include "hone/tensor/tensor.h"

namespace hone {

struct OnnxGraph;

// One extent: a number, a name, or (value kUnknown, no name) nothing.
struct OnnxDim {
  int64_t value = kUnknown;
  std::string name;
};

struct OnnxType {
  DType dtype = DType::Undefined;             // Of the tensor, or of a sequence's elements.
  std::optional<std::vector<OnnxDim>> shape;  // Absent when not even the rank is given.
  bool sequence = false;
  bool optional = false;  // optional(tensor) or optional(sequence(tensor)).
};

struct OnnxValueInfo {
  std::string name;
  std::optional<OnnxType> type;
};

using OnnxAttrValue =
    std::variant<int64_t, float, std::string, Tensor, std::shared_ptr<OnnxGraph>, OnnxType,
                 std::vector<int64_t>, std::vector<float>, std::vector<std::string>,
                 std::vector<Tensor>, std::vector<std::shared_ptr<OnnxGraph>>>;

struct OnnxAttr {
  OnnxAttrValue value;
  std::string refers_to;  // Inside a function: the function's attribute that gives the value.
};

struct OnnxNode {
  std::string name;
  std::string op_type;
  std::string domain;                // "" for ai.onnx.
  std::vector<std::string> inputs;   // "" where an optional one is left out.
  std::vector<std::string> outputs;  // Likewise.
  std::map<std::string, OnnxAttr> attrs;
  std::map<std::string, std::string> metadata;
};

struct OnnxGraph {
  std::string name;
  std::vector<OnnxNode> nodes;
  std::vector<std::pair<std::string, Tensor>> initializers;
  std::vector<OnnxValueInfo> inputs;  // May repeat the names of initializers, as old files do.
  std::vector<OnnxValueInfo> outputs;
  std::vector<OnnxValueInfo> value_infos;
};

struct OnnxFunction {
  std::string name;
  std::string domain;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> attrs;            // Without a default.
  std::map<std::string, OnnxAttr> defaults;  // With one.
  std::vector<OnnxNode> nodes;
  std::map<std::string, int64_t> opsets;  // Domain -> version.
};

struct OnnxModel {
  int64_t ir_version = 0;
  std::string producer_name;
  std::string producer_version;
  std::map<std::string, int64_t> opsets;  // Domain ("" for ai.onnx) -> version.
  std::map<std::string, std::string> metadata;
  OnnxGraph graph;
  std::vector<OnnxFunction> functions;
};

// Reads a model. Weights are moved out of the message, not copied; external data is read from
// files in the model's folder and never from outside it.
Result<OnnxModel> read_onnx(const std::filesystem::path& path);

// The same from bytes; external data is looked for in `folder`, or refused when that is empty.
Result<OnnxModel> read_onnx_bytes(std::span<const std::byte> bytes,
                                  const std::filesystem::path& folder);

// Writes a model. Weights go beside it into `path` + ".data" when the file would pass 2 GB,
// protobuf's limit.
Status write_onnx(const OnnxModel& model, const std::filesystem::path& path);
Result<std::string> write_onnx_bytes(const OnnxModel& model);

// A TensorProto, SequenceProto or OptionalProto file of ONNX's backend tests (input_0.pb). `type`
// is what the graph declares for the value and says which of the three to expect.
Result<Item> read_onnx_item(const std::filesystem::path& path, const OnnxType& type);

// ONNX's numbers for element types (TensorProto.DataType), and back. Undefined / 0 when there is
// none.
DType dtype_from_onnx(int64_t number);
int64_t dtype_to_onnx(DType dtype);

}  // namespace hone
