// How inputs and outputs of a network changed, in words and in result files.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "hone/passes/device_io.h"

namespace hone {

// A line for each: "input 'x' is int8, scale 0.5, zero point 3"; and for each that is float still.
// `graph` is the one before or after the change.
std::string integers_text(const IntegerIo& io, const Graph& graph);
// "input 'x' takes its channels last". Positions are those of `graph`.
std::string channels_last_text(const std::vector<size_t>& positions, const Graph& graph);
// The keys integer_inputs, integer_outputs and channels_last.
nlohmann::ordered_json changed_io_to_json(const IoChange& io, const Graph& graph);

}  // namespace hone
