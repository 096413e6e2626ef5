// What an always-on program heard, for people and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "hone/stream/listener.h"
#include "hone/stream/stream_costs.h"

namespace hone {

// Letter for letter what the emitted `listen` prints.
std::string heard_text(const Heard& heard, const StreamRecipe& recipe);
// Of a sound without a detection, what came nearest; empty of others.
std::string near_miss_text(const Heard& heard, const StreamRecipe& recipe);
nlohmann::ordered_json heard_to_json(const Heard& heard, const StreamRecipe& recipe);

// What a hop takes while the gate is open, part by part.
std::string costs_text(const StreamCosts& costs, const StreamRecipe& recipe);
nlohmann::ordered_json costs_to_json(const StreamCosts& costs, const StreamRecipe& recipe);

}  // namespace hone
