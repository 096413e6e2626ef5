#pragma once

#include <vector>

#include "hone/analyze/rule_def.h"

namespace hone {

// Two transposes of which the second undoes the first, with a few operators between.
struct PingPong {
  size_t there;  // Steps.
  size_t back;
};

std::vector<PingPong> find_ping_pongs(const Evidence& in);

}  // namespace hone
