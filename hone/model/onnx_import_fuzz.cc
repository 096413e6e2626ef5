// Any bytes as an .onnx file: read, import, infer, count, write back. Errors are fine; crashes,
// leaks, hangs and runaway memory are not.

#include <cstddef>
#include <cstdint>
#include <span>

#include "hone/model/load.h"
#include "hone/model/save.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file = hone::read_onnx_bytes(std::as_bytes(std::span(data, size)), "");
  if (!file.ok()) return 0;
  const auto model = hone::import_onnx(*file);
  if (!model.ok()) return 0;
  (void)hone::export_onnx(model->graph);
  return 0;
}
