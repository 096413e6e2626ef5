#include "hone/model/save.h"

#include "hone/model/onnx_check.h"
#include "hone/model/save_tflite.h"
#include "hone/model/tflite_check.h"

namespace hone {

bool names_model_file(const std::filesystem::path& path) {
  return path.extension() == ".onnx" || path.extension() == ".tflite";
}

Result<Model> as_saved(const Graph& graph, const std::filesystem::path& path) {
  if (path.extension() == ".tflite") {
    HONE_TRY(const TfliteModel model, export_tflite(graph));
    return read_back(model);
  }
  HONE_TRY(const OnnxModel model, export_onnx(graph));
  return read_back(model);
}

Result<size_t> save_model(const Graph& graph, const std::filesystem::path& path) {
  return path.extension() == ".tflite" ? save_tflite(graph, path) : save_onnx(graph, path);
}

}  // namespace hone
