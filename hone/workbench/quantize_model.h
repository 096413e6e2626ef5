// Quantizes a model, recovers accuracy, and says what each step brought: what `hone quantize` does.
#pragma once

#include <functional>

#include "hone/model/load.h"
#include "hone/passes/device_io.h"
#include "hone/quantize/mixed_precision.h"
#include "hone/quantize/quantize.h"
#include "hone/quantize/sensitivity.h"
#include "hone/validate/data_set.h"
#include "hone/validate/limits.h"
#include "hone/workbench/judge.h"

namespace hone {

// What may be done besides rounding.
struct Recovery {
  bool equalize = false;
  bool smooth_quant = false;
  bool correct_bias = false;
  bool adaround = false;
};

// Everything that decides what comes out: what a recipe file holds.
struct QuantizeRecipe {
  std::string model;
  std::string target = "cpu";
  QuantizePlan plan;
  RangeMethod method = RangeMethod::MinMax;
  double percentile = 99.99;
  int64_t subset_size = 100;  // Samples to calibrate on, spread over the set; 0: all.
  Recovery recovery;
};

// What a reader of a file has.
struct WrittenModel {
  Graph graph;
  IoChange io;  // Since it was quantized.
};

struct QuantizeRequest {
  QuantizeRecipe recipe;
  const DataSet* judge_on = nullptr;  // Null: the samples that calibration leaves.
  std::string metric;
  std::optional<DropLimit> max_drop;
  bool automatic = false;      // Tries recoveries in order of cost until max_drop holds.
  bool mixed = false;          // Spares layers until max_drop holds.
  bool sensitivity = false;    // Only measures layers one by one.
  std::optional<Scheme> wide;  // What spared layers get.
  int evaluations = 16;
  int64_t sensitivity_samples = 8;
  // Writes the result in other words than its own, in which it is judged once more: they are what
  // will run. Null where it is written as it is.
  std::function<Result<WrittenModel>(const Graph& quantized)> write;
};

// One way that was tried.
struct QuantizeTrial {
  std::string what;  // "int8, minmax", "+ equalization".
  Score score;
  double seconds = 0;
};

struct QuantizedModel {
  Graph graph;
  QuantizeRecipe recipe;  // Makes this graph again.
  std::vector<std::string> notes;
  std::string metric;
  double reference = 0;  // The float network's.
  int64_t calibrated_on = 0;
  int64_t judged_on = 0;
  bool judged_on_calibration = false;  // There were no other samples.
  std::vector<QuantizeTrial> trials;   // The last one is what was kept, or its file.
  std::vector<LayerSensitivity> sensitivity;
  std::optional<MixedPlan> mixed;
  int layers = 0;        // Computed on integers by the target, or with weights stored so.
  int float_layers = 0;  // With weights, and computed in float by the target.
  std::vector<std::string> in_float = {};  // Quantized, and in float on the target all the same.
  uint64_t weight_bytes_before = 0;
  uint64_t weight_bytes_after = 0;
  bool holds = true;  // max_drop, where it was asked for.
};

// `progress` is told what is being tried. Leaves the model as it is.
Result<QuantizedModel> quantize_model(const Model& model, const DataSet& data,
                                      const QuantizeRequest& request,
                                      const std::function<void(const std::string&)>& progress = {});

// TOML, and back. BadInput names the key.
std::string quantize_recipe_text(const QuantizeRecipe& recipe);
Result<QuantizeRecipe> parse_quantize_recipe(std::string_view text, const std::string& file);

}  // namespace hone
