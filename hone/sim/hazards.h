#pragma once

#include <string>
#include <vector>

#include "hone/sim/command.h"

namespace hone::sim {

// Pairs of commands that touch the same bytes, one of them writing, while nothing puts them in
// order: neither their engine, which takes its commands one after the other, nor waits, one or
// several in a row. A sentence for each pair. What host calls touch is not known; a stream makes
// them wait and be waited for. `depthwise_on_vector` says which engine takes depthwise products.
std::vector<std::string> find_hazards(const CommandStream& stream,
                                      bool depthwise_on_vector = false);

}  // namespace hone::sim
