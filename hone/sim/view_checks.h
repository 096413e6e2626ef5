// What commands may be relied on for. A command that fails is a bug of who made it; `index` is its
// number.
#pragma once

#include "hone/sim/command.h"

namespace hone::sim {

bool same_pixels(const View& a, const View& b);

// Two operands, each as large as the output or of one channel.
void check_pair(size_t index, const VectorCommand& command);
// One operand, as large as the output.
void check_alike(size_t index, const VectorCommand& command);
void check_channels(size_t index, const VectorCommand& command);
// A window of something that starts before, or inside of, its input.
void check_window(size_t index, const View& input, const Window2d& window);

}  // namespace hone::sim
