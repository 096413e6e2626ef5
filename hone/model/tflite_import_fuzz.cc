// Any bytes as a .tflite file: read, import, infer, and write as ONNX. Errors are fine; crashes,
// leaks, hangs and runaway memory are not.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "hone/model/load.h"
#include "hone/model/save.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto copy = std::make_shared<std::string>(reinterpret_cast<const char*>(data), size);
  const auto bytes = std::as_bytes(std::span(copy->data(), copy->size()));
  const auto file = hone::read_tflite_bytes({copy, bytes});
  if (!file.ok()) return 0;
  const auto model = hone::import_tflite(*file);
  if (!model.ok()) return 0;
  (void)hone::export_onnx(model->graph);
  return 0;
}
