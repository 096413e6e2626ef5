#pragma once

#include <nlohmann/json_fwd.hpp>

#include "hone/base/result.h"
#include "hone/stream/listening_power.h"

namespace hone {

// {"kind": "listening_power", ...}: placements, ratios, break-even, sensitivity, assumptions.
nlohmann::ordered_json listening_to_json(const ListeningPower& power);

// Reads what was written so; values are in the units of their assumptions. BadInput names the key.
Result<ListeningPower> listening_from_json(const nlohmann::ordered_json& results);

}  // namespace hone
