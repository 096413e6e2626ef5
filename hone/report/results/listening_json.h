#pragma once

#include <nlohmann/json_fwd.hpp>

#include "hone/stream/listening_power.h"

namespace hone {

// {"kind": "listening_power", ...}: placements, ratios, break-even, sensitivity, assumptions.
nlohmann::ordered_json listening_to_json(const ListeningPower& power);

}  // namespace hone
