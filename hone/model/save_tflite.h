#pragma once

#include <filesystem>

#include "hone/base/result.h"
#include "hone/graph/graph.h"
#include "hone/wire/tflite.h"

namespace hone {

// The graph as TFLite. What was read from a .tflite file goes back in the same operators and the
// same integers. Anything else is brought to TFLite's words first: images channels last, Q/DQ pairs
// as integers, activations fused. Unsupported names the layer that TFLite has no word for.
Result<TfliteModel> export_tflite(const Graph& graph);

// The number of operators of the file.
Result<size_t> save_tflite(const Graph& graph, const std::filesystem::path& path);

}  // namespace hone
