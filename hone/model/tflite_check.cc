#include "hone/model/tflite_check.h"

#include "hone/wire/tflite_write.h"

namespace hone {
namespace {

std::string told(const Value& value) {
  return str("'", value.name, "' of ", value.type.tensor);
}

Status check_values(std::span<Value* const> wanted, std::span<Value* const> read) {
  if (wanted.size() != read.size()) {
    return unsupported("has ", wanted.size(), " inputs or outputs, and would be read with ",
                       read.size());
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    const TensorType& type = wanted[i]->type.tensor;
    const TensorType& again = read[i]->type.tensor;
    if (wanted[i]->name != read[i]->name || type.dtype != again.dtype ||
        type.shape != again.shape) {
      return unsupported(told(*wanted[i]), " would be read as ", told(*read[i]));
    }
  }
  return Done{};
}

Result<Model> read_copy(const std::string& bytes) {
  auto copy = std::make_shared<std::string>(bytes);
  const auto* start = reinterpret_cast<const std::byte*>(copy->data());
  HONE_TRY(const TfliteModel file, read_tflite_bytes({copy, {start, copy->size()}}));
  return import_tflite(file);
}

}  // namespace

Result<Model> read_back(const TfliteModel& model) {
  HONE_TRY(const std::string bytes, write_tflite_bytes(model));
  return read_copy(bytes);
}

Status check_tflite(const Graph& graph, const std::string& bytes) {
  HONE_TRY(const Model again, read_copy(bytes));
  if (!again.unsupported.empty()) {
    const UnsupportedNode& node = again.unsupported[0];
    return unsupported("layer '", node.node->name, "' would not be read: ", node.reason);
  }
  HONE_RETURN_IF_ERROR(check_values(graph.inputs(), again.graph.inputs()));
  return check_values(graph.outputs(), again.graph.outputs());
}

}  // namespace hone
