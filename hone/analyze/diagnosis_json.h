#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "hone/analyze/finding.h"

namespace hone {

nlohmann::ordered_json findings_to_json(const std::vector<Finding>& findings);

}  // namespace hone
