// Profiles in result files.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "hone/base/result.h"
#include "hone/profile/profile.h"

namespace hone {

// What stands under "results" of a result file.
nlohmann::ordered_json profile_to_json(const Profile& profile);
// The JSON Schema of it.
nlohmann::ordered_json profile_schema();

// As profiles have it, for results of other kinds.
nlohmann::ordered_json engines_to_json(const sim::EngineCounters& engines);

// BadInput names the key that is of another type than expected, behind the `path` at which the
// profile stands in its file.
Result<Profile> profile_from_json(const nlohmann::ordered_json& results,
                                  const std::string& path = "results");

// The profile in a result file of `hone profile`. BadInput when the file is no result file, is of a
// newer schema, is cut off, or holds the result of another command.
Result<Profile> read_profile(const std::filesystem::path& path);

}  // namespace hone
