#pragma once

#include "hone/base/result.h"
#include "hone/model/load.h"
#include "hone/wire/tflite.h"

namespace hone {

// The model as its reader would have it: from the bytes that it would be written as.
Result<Model> read_back(const TfliteModel& model);

// Holds what is read of the bytes that a graph was written as to the graph: inputs and outputs have
// its names and types, and every operator is one that Hone can run.
Status check_tflite(const Graph& graph, const std::string& bytes);

}  // namespace hone
