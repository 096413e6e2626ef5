#include "hone/model/save.h"

#include "hone/model/save_tflite.h"

namespace hone {

bool names_model_file(const std::filesystem::path& path) {
  return path.extension() == ".onnx" || path.extension() == ".tflite";
}

Result<size_t> save_model(const Graph& graph, const std::filesystem::path& path) {
  return path.extension() == ".tflite" ? save_tflite(graph, path) : save_onnx(graph, path);
}

}  // namespace hone
