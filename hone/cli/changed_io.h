// How commands tell that inputs and outputs changed.
#pragma once

#include <ostream>

#include "hone/cli/options.h"
#include "hone/passes/device_io.h"

namespace hone {

// A line for each: "input 'x' is int8, scale 0.5, zero point 3"; and for each that is float still.
// `graph` is the one before or after the change.
void print_integers(const IntegerIo& io, const Graph& graph, std::ostream& out);
// "input 'x' takes its channels last". Positions are those of `graph`.
void print_channels_last(const std::vector<size_t>& positions, const Graph& graph,
                         std::ostream& out);
// The keys integer_inputs, integer_outputs and channels_last of `json`.
void add_io(const IoChange& io, const Graph& graph, Json& json);

}  // namespace hone
