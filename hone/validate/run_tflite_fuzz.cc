// Any bytes as a .tflite file, read and run on every kind of target. Errors are fine; crashes,
// leaks, hangs, runaway memory and targets that disagree are not.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "hone/validate/run_fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto copy = std::make_shared<std::string>(reinterpret_cast<const char*>(data), size);
  const auto bytes = std::as_bytes(std::span(copy->data(), copy->size()));
  const auto file = hone::read_tflite_bytes({copy, bytes});
  if (!file.ok()) return 0;
  const auto model = hone::import_tflite(*file);
  if (model.ok()) hone::run_everywhere(*model);
  return 0;
}
