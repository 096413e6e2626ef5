#pragma once

#include <nlohmann/json_fwd.hpp>

#include "hone/validate/conformance.h"

namespace hone {

// What stands under "results" of a result file, without what was asked.
nlohmann::ordered_json conformance_to_json(const ConformanceResult& result);

}  // namespace hone
