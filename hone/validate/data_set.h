// A folder with inputs.npy ([N, ...]; inputs_<name>.npy if several) and labels.npy or targets.npy.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "hone/base/result.h"
#include "hone/graph/graph.h"
#include "hone/tensor/tensor.h"

namespace hone {

struct DataSet {
  int64_t samples = 0;
  std::vector<Tensor> inputs;     // One per graph input, in order; first axis is the sample.
  std::optional<Tensor> labels;   // Class numbers, [N].
  std::optional<Tensor> targets;  // Wanted outputs, [N, ...].
};

// BadInput when a file is missing or does not fit the graph's inputs.
Result<DataSet> read_data_set(const std::filesystem::path& folder, const Graph& graph);

// One set from a single array for a graph with one input.
Result<DataSet> data_set_of(Tensor inputs, const Graph& graph);

// Sample `index` of `samples` as a value of `type`: reshaped to its extents (an unknown first
// extent is 1), and quantized with its scale and zero point when floats meet an integer type.
Result<Tensor> sample_as(const Tensor& samples, int64_t index, const TensorType& type);

// stored = round(x / scale) + zero point, saturated. Ties away from zero.
Tensor quantize(const Tensor& floats, const TensorType& type);

}  // namespace hone
