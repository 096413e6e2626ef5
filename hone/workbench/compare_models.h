// Several models on several devices: what `hone compare` does with more than one.
#pragma once

#include <span>

#include "hone/profile/model_comparison.h"
#include "hone/workbench/compare_devices.h"

namespace hone {

struct ComparedModel {
  std::string spec = {};  // As it was asked for: a path, or "zoo:NAME".
  Model model = {};
  std::optional<double> accuracy = {};  // See CompareRequest::accuracy.
};

// From "NAME=77.1" or "NAME=77.1%", each for one of the models: NAME is what it was asked for as,
// its file's name, or that of a built-in network without "zoo:". BadInput where it is of none, of
// several or given twice, and where the number is no percentage.
Status give_accuracies(const std::vector<std::string>& given, std::vector<ComparedModel>& models);

// As compare_devices does for each, and ranked: models are named by their files, and where two are
// alike by their paths. Models that no device runs are in it with their reasons; an error when none
// runs anywhere.
Result<ModelComparison> compare_models(std::span<const ComparedModel> models,
                                       const CompareRequest& request,
                                       std::optional<double> max_latency_ms);

}  // namespace hone
