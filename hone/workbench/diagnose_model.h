// Measures a model and says why it takes what it takes: what `hone diagnose` does.
#pragma once

#include <string>

#include "hone/analyze/finding.h"
#include "hone/workbench/profile_model.h"

namespace hone {

struct Diagnosis {
  Profile profile;
  std::vector<Finding> findings;      // As rank_findings has them. Gains are not additive.
  std::vector<Finding> refuted = {};  // Tried, and not faster.
  size_t tried = 0;                   // Of both.
  // Why the code itself was not run, where the target has an emulator: times are those of a model then.
  std::string not_emulated = {};
};

// `request.roofs` is needed where the target is measured. Takes the graph out of the model.
Result<Diagnosis> diagnose_model(Model& model, const ProfileRequest& request,
                                 double least_part = 0.01);

// The same of what another tool measured of the model. `roofs` are those of the machine it ran on;
// null: not known, and rules that need them are silent. BadInput when it is of another model.
Result<Diagnosis> diagnose_imported(const Model& model, Profile profile, const DeviceFile* roofs,
                                    double least_part = 0.01);

// The same of a profile alone: rules that look at the model are silent.
Diagnosis diagnose_imported(Profile profile, double least_part = 0.01);

}  // namespace hone
