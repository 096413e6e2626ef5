// Measures a model and says why it takes what it takes: what `hone diagnose` does.
#pragma once

#include "hone/analyze/finding.h"
#include "hone/workbench/profile_model.h"

namespace hone {

struct Diagnosis {
  Profile profile;
  std::vector<Finding> findings;      // The largest gain first. Gains are not additive.
  std::vector<Finding> refuted = {};  // Tried, and not faster.
};

// `request.roofs` is needed where the target is measured. Takes the graph out of the model.
Result<Diagnosis> diagnose_model(Model& model, const ProfileRequest& request,
                                 double least_part = 0.01);

}  // namespace hone
