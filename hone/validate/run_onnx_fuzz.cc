// Any bytes as an .onnx file, read and run on every kind of target. Errors are fine; crashes,
// leaks, hangs, runaway memory and targets that disagree are not.

#include <cstddef>
#include <cstdint>
#include <span>

#include "hone/validate/run_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file = hone::read_onnx_bytes(std::as_bytes(std::span(data, size)), "");
  if (!file.ok()) return 0;
  const auto model = hone::import_onnx(*file);
  if (model.ok()) hone::run_everywhere(*model);
  return 0;
}
