#pragma once

#include <filesystem>
#include <string>

#include "hone/workbench/points/printed_times.h"

namespace hone {

// The model that was timed, as open_model takes it: a file of that name in the folder of the log,
// or else a built-in network. Empty where there is neither.
std::string model_of_printed(const PrintedTime& time, const std::filesystem::path& folder);

}  // namespace hone
