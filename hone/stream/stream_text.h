// What an always-on program heard, for people and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "hone/stream/listener.h"

namespace hone {

// Letter for letter what the emitted `listen` prints.
std::string heard_text(const Heard& heard, const StreamRecipe& recipe);
nlohmann::ordered_json heard_to_json(const Heard& heard, const StreamRecipe& recipe);

}  // namespace hone
