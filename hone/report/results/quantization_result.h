// What `hone quantize` found out, as its result file has it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "hone/base/metric.h"
#include "hone/base/result.h"

namespace hone {

struct QuantizationTrial {
  std::string tried = {};  // "int8, minmax", "+ equalization".
  double metric = 0;
  double drop = 0;
  std::optional<double> agreement = {};
  std::optional<double> sqnr_db = {};  // None: the outputs are equal.
  double seconds = 0;
};

// A layer, quantized alone.
struct SensitiveLayer {
  std::string layer = {};
  std::string op = {};
  std::optional<double> sqnr_db = {};  // None: the outputs are equal.
};

// What mixed precision left in a wider type.
struct SparedLayers {
  std::vector<std::string> spared = {};
  int64_t evaluations = 0;
  double gain_given_up_us = 0;
  Mode mode = Mode::Measured;
};

struct QuantizationResult {
  std::string model = {};   // The model that was quantized.
  std::string target = {};  // The target it was made for; empty in older files.
  std::string file = {};    // The file that was written; empty: none.
  // Nodes or constants that got another type of floats; then the rest tells nothing.
  std::optional<int64_t> changed = {};
  std::string changed_to = {};  // "float16"
  std::string metric = {};
  double reference = 0;  // The float network's.
  int64_t calibrated_on = 0;
  int64_t judged_on = 0;
  bool judged_on_calibration = false;
  std::vector<std::string> notes = {};
  int64_t layers = 0;        // Computed on integers.
  int64_t float_layers = 0;  // With weights, and computed in float.
  std::vector<std::string> in_float = {};
  uint64_t bytes_before = 0;  // Of constants.
  uint64_t bytes_after = 0;
  bool holds = true;  // What the metric was allowed to lose.
  std::vector<QuantizationTrial> trials = {};
  std::vector<SensitiveLayer> sensitivity = {};
  std::optional<SparedLayers> mixed = {};
};

// What stands under "results" of a result file, and back. BadInput names the key.
nlohmann::ordered_json quantization_to_json(const QuantizationResult& result);
// The JSON Schema of it.
nlohmann::ordered_json quantization_schema();
Result<QuantizationResult> quantization_from_json(const nlohmann::ordered_json& results);

}  // namespace hone
