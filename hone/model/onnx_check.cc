#include "hone/model/onnx_check.h"

#include <unordered_map>

#include "hone/model/load.h"

namespace hone {
namespace {

// Beyond this weights lie in a file of their own, and the model is checked without its bytes.
constexpr uint64_t kMostBytes = 1'000'000'000;

uint64_t weight_bytes(const OnnxGraph& graph) {
  uint64_t total = 0;
  for (const auto& [name, tensor] : graph.initializers) total += tensor.bytes().size();
  return total;
}

// Extents that either side leaves open agree with any.
bool agree(const ValueType& found, const OnnxType& stated) {
  const TensorType& type = found.tensor;
  if (found.sequence != stated.sequence || found.optional != stated.optional) return false;
  if (type.dtype != stated.dtype) return false;
  if (!type.ranked || !stated.shape) return true;
  if (type.shape.size() != stated.shape->size()) return false;
  for (size_t i = 0; i < type.shape.size(); ++i) {
    const int64_t extent = (*stated.shape)[i].value;
    if (type.shape[i] != kUnknown && extent >= 0 && type.shape[i] != extent) return false;
  }
  return true;
}

Status check_value(const Value& value, const OnnxValueInfo& info) {
  if (value.name == info.name && info.type && agree(value.type, *info.type)) return Done{};
  return bad_input("'", info.name, "' would be read as '", value.name, "' of ", value.type);
}

Status check_all(std::span<Value* const> values, const std::vector<OnnxValueInfo>& infos,
                 std::string_view what) {
  if (values.size() != infos.size()) {
    return bad_input(values.size(), " ", what, "s would be read, expected ", infos.size());
  }
  for (size_t i = 0; i < infos.size(); ++i) {
    HONE_RETURN_IF_ERROR(check_value(*values[i], infos[i]).in(what));
  }
  return Done{};
}

}  // namespace

Result<Model> read_back(const OnnxModel& model) {
  if (weight_bytes(model.graph) > kMostBytes) return import_onnx(model);
  HONE_TRY(const std::string bytes, write_onnx_bytes(model));
  HONE_TRY(const OnnxModel file, read_onnx_bytes(std::as_bytes(std::span(bytes)), ""));
  return import_onnx(file);
}

Status check_onnx(const OnnxModel& model) {
  HONE_TRY(const Model read, read_back(model));
  if (!read.unsupported.empty()) {
    const UnsupportedNode& first = read.unsupported[0];
    return unsupported("node '", first.node->name, "': ", first.reason);
  }
  HONE_RETURN_IF_ERROR(check_all(read.graph.inputs(), model.graph.inputs, "input"));
  HONE_RETURN_IF_ERROR(check_all(read.graph.outputs(), model.graph.outputs, "output"));
  std::unordered_map<std::string_view, const Value*> made;
  for (const Node* node : read.graph.nodes()) {
    for (const Value* output : node->outputs) made.emplace(output->name, output);
  }
  for (const OnnxValueInfo& info : model.graph.value_infos) {
    const auto value = made.find(info.name);
    if (value == made.end()) return bad_input("value '", info.name, "' would not be read");
    HONE_RETURN_IF_ERROR(check_value(*value->second, info).in("value"));
  }
  return Done{};
}

}  // namespace hone
