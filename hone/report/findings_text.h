#pragma once

#include <string>
#include <vector>

#include "hone/analyze/finding.h"
#include "hone/profile/profile.h"

namespace hone {

// Findings for people at a terminal, the largest gain first.
std::string findings_text(const Profile& profile, const std::vector<Finding>& findings);

}  // namespace hone
