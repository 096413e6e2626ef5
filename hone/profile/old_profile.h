// Profiles as schema 1.0 has them, where a step's kernel is told by its name alone, and engines by
// the names of counters.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace hone {

// The same in the present form; nothing where `results` has that form already.
std::optional<nlohmann::ordered_json> renewed_profile(const nlohmann::ordered_json& results);

}  // namespace hone
