#pragma once

#include "hone/sim/command.h"

namespace hone::sim {

// Ends the process on a stream that no compiler should have made: bytes outside of a space, an
// operand that is written while it is read, extents that do not belong together.
void check_stream(const CommandStream& stream);

}  // namespace hone::sim
