#pragma once

#include <string>

#include "hone/profile/profile.h"

namespace hone {

// How an accelerator's engines were used, its memories, and what went to its host; "" for profiles
// without engines.
std::string markdown_engines(const Profile& profile);

}  // namespace hone
