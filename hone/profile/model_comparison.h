// Several models on several devices: which of them to take on each. What `hone compare` finds out
// when it is given more than one model.
#pragma once

#include "hone/profile/comparison.h"
#include "hone/profile/pareto_front.h"

namespace hone {

// Accuracy against something that a run costs.
struct ModelFront {
  std::string against = {};             // "latency", "energy", "memory".
  std::vector<FrontPlace> places = {};  // Of every model, in their order.
  std::string left_out = {};            // Why there is none, and then no places; empty: there is.
};

// The models that are within a limit of latency on one device.
struct LatencyChoice {
  std::vector<std::string> within = {};    // Up to the upper end of their intervals.
  std::vector<std::string> probably = {};  // By their medians alone, or beyond what was fitted.
  std::string take = {};                   // The most accurate of `within`.
  std::string take_probably = {};          // One of `probably` that is more accurate than that.
};

// The models on one device.
struct ModelRanking {
  std::string device = {};
  std::string accuracy_left_out = {};  // Why accuracies rank nothing; empty: they do.
  std::vector<ModelFront> fronts = {};
  std::optional<LatencyChoice> choice = {};  // With a limit.
};

struct ModelComparison {
  std::vector<DeviceComparison> models = {};  // The same devices in each, in the same order.
  std::optional<double> max_latency_ms = {};
  std::vector<ModelRanking> devices = {};  // In that order.

  bool more_accuracy_is_better() const;
};

// Weights and activations together, in the device's memory.
Metric memory_of(const DeviceFigures& figures);

// From the figures, per device: the fronts, and what is within the limit. What failed is in
// neither. Medians count in fronts, energies only where they cover the same, and accuracies only
// where they are of the same kind.
void rank_models(ModelComparison& comparison);

// What stands under "results" of a result file, and back. BadInput names the key.
nlohmann::ordered_json models_to_json(const ModelComparison& comparison);
// The JSON Schema of it.
nlohmann::ordered_json models_schema();
Result<ModelComparison> models_from_json(const nlohmann::ordered_json& results);

}  // namespace hone
