// What `hone run` found out: the outputs of a model, and how long a run took.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "hone/base/metric.h"
#include "hone/targets/common/references.h"
#include "hone/tensor/tensor.h"

namespace hone {

struct ModelOutput {
  std::string name = {};
  Item item = {};
  std::string file = {};  // Where it was written; empty: nowhere.
};

struct ModelRun {
  std::vector<ModelOutput> outputs = {};
  Metric latency = {};                   // Of one run.
  std::optional<Metric> computing = {};  // Here, where a model tells the latency.
  References references = {};
};

struct OutputRange {
  double smallest = 0, largest = 0, mean = 0;
};

// All 0 where there are no values.
OutputRange range_of(const std::vector<double>& values);

// What stands under "results" of a result file, without where it ran.
nlohmann::ordered_json model_run_to_json(const ModelRun& run);

}  // namespace hone
