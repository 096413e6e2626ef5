// Whether a model is still right, and within budget: what `hone validate` does.
#pragma once

#include "hone/model/load.h"
#include "hone/targets/target.h"
#include "hone/validate/baseline.h"
#include "hone/validate/gate.h"

namespace hone {

// What is asked of a model; nothing where nobody asks.
struct Budgets {
  std::optional<DropLimit> drop;  // Of the metric, against the reference or the baseline.
  std::optional<double> latency;  // Seconds, of the median run.
  std::optional<SlowdownLimits> slowdown;
  std::optional<double> peak_memory;  // Bytes: arena and packed weights.
  std::optional<double> size;         // Bytes of the file.
  std::optional<double> energy;       // Joules of a run.
};

struct ValidateRequest {
  std::string target = "cpu";
  CompileOptions compile = {};  // Threads are those of timed runs, and of samples side by side.
  std::string data = {};        // A folder or a .npy file of samples; empty: only budgets.
  std::string metric = {};      // Empty: what suits the data.
  std::string expected = {};    // A .npy file of outputs; empty: none.
  double rtol = 0;

  const Model* reference = nullptr;  // Taken for right; computed in fp32.
  bool layers = false;               // Compare layer by layer, too.
  int64_t layer_samples = 8;
  BreakLimits breaks = {};
  std::string arithmetic = {};  // To compare with the default; empty: none.

  Budgets budgets = {};
  // What a slowdown is judged against: this, or else the file, or else the reference.
  const Model* baseline_model = nullptr;
  std::optional<Baseline> baseline = {};
  double seconds = 5;  // Of timed runs.
  uint64_t seed = 0;   // Of inputs to time where there is no data.
};

struct Validated {
  Validation validation;
  Predictions predictions;  // Empty without data.
};

// Everything that is wrong with the request or the data is said before anything is run.
Result<Validated> validate_model(const Model& model, const ValidateRequest& request);

}  // namespace hone
