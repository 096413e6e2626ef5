// A folder with inputs.npy ([N, ...]; inputs_<name>.npy if several) and labels.npy or targets.npy,
// and groups.npy where several samples make one thing that is judged, as windows of a recording; or
// a folder of pictures by class, see pictures/picture_folder.h.
// Samples are read from the files when they are asked for.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "hone/base/result.h"
#include "hone/graph/graph.h"
#include "hone/tensor/tensor.h"
#include "hone/wire/sample_rows.h"

namespace hone {

struct DataSet {
  int64_t samples = 0;
  std::vector<SampleRows> inputs;              // One per graph input, in order.
  std::optional<std::vector<int64_t>> labels;  // Class numbers, one per sample, none negative.
  std::string labels_from = "labels.npy";      // For messages: "the folders of classes".
  std::optional<std::vector<int64_t>> groups;  // A number per sample; a group has one label.
  std::optional<SampleRows> targets;           // Wanted outputs, [N, ...].
  std::string how;  // What pictures went through to become samples; empty for arrays.

  bool of_pictures() const { return !how.empty(); }

  // One item per input of `graph`. Requires index < samples; BadInput when the graph takes other
  // inputs than the one that the set was read for. May be called from several threads at once.
  Result<std::vector<Item>> sample(int64_t index, const Graph& graph) const;

  // Those samples, in that order; each is less than `samples`.
  DataSet pick(const std::vector<int64_t>& indices) const;
};

// BadInput, naming the file, when one is missing or empty, does not fit the graph's inputs, holds
// another number of samples than the rest, or holds NaN or infinities, for which it is read once.
Result<DataSet> read_data_set(const std::filesystem::path& folder, const Graph& graph);

// One set from a single array for a graph with one input, checked likewise. `name` stands for the
// file in messages.
Result<DataSet> data_set_of(Tensor inputs, const Graph& graph, std::string name = "samples");
// The same from a .npy file of samples.
Result<DataSet> data_set_of_file(const std::filesystem::path& path, const Graph& graph);

// A folder or a single .npy file.
Result<DataSet> open_data_set(const std::filesystem::path& path, const Graph& graph);

// A sample as a value of `type`: reshaped to its extents (an unknown first extent is 1), turned
// when one has an image's channels first and the other last, and quantized with its scale and zero
// point when floats meet an integer type.
Result<Tensor> sample_as(const Tensor& sample, const TensorType& type);

// stored = round(x / scale) + zero point, saturated. Ties away from zero.
Tensor quantize(const Tensor& floats, const TensorType& type);

}  // namespace hone
