// What a terminal says of an accelerator's run where a processor's has rates and roofs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "hone/profile/profile.h"

namespace hone {

// Columns of the table of layers between time and output.
std::vector<std::string> engine_columns();
std::vector<std::string> engine_cells(const Profile& profile, std::span<const size_t> steps);

// Below the table: use of the engines, waits by cause, memory, and what the host was left.
std::string engine_summary(const Profile& profile);

}  // namespace hone
