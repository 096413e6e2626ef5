#pragma once

#include <optional>

#include "hone/analyze/finding.h"
#include "hone/profile/profile_program.h"
#include "hone/workbench/profile_model.h"

namespace hone {

// What int8 would bring on a device that is predicted, by its model's time of the network quantized
// beside that in `profile`, the network's as it is; the gain may be a loss. Nothing where the device
// is here, computes on floats alone or on integers alone, or where the network is quantized already.
Result<std::optional<Finding>> predicted_int8(const Graph& graph, const ProfileRequest& request,
                                              const Profile& profile);

}  // namespace hone
