// Nodes that a device leaves to its host, those with the same reason together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hone/profile/profile.h"

namespace hone {

// Nodes on the host for the same reason, whatever the names in it.
struct HostGroup {
  std::vector<HostPlacement> nodes = {};
  uint64_t bytes = 0;  // Over the border, of all.
  double us = 0;
};

// In the order of the first node of each.
std::vector<HostGroup> group_by_reason(const std::vector<HostPlacement>& nodes);

// "a, b, c and 4 more".
std::string names_of(const HostGroup& group);

}  // namespace hone
