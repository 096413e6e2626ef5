#include "hone/validate/data_set.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "hone/tensor/dispatch.h"
#include "hone/wire/npy.h"

namespace hone {
namespace fs = std::filesystem;

namespace {

Status check_samples(const Tensor& array, const fs::path& path, int64_t& samples) {
  if (array.rank() < 1) return bad_input(path.string(), ": is a scalar, expected [N, ...]");
  if (samples == kUnknown) samples = array.shape()[0];
  if (array.shape()[0] == samples) return Done{};
  return bad_input(path.string(), ": holds ", array.shape()[0], " samples, expected ", samples);
}

Result<std::optional<Tensor>> read_if_there(const fs::path& path, int64_t& samples) {
  if (!fs::exists(path)) return std::optional<Tensor>();
  HONE_TRY(Tensor array, read_npy(path));
  HONE_RETURN_IF_ERROR(check_samples(array, path, samples));
  return std::optional<Tensor>(std::move(array));
}

fs::path input_path(const fs::path& folder, const Graph& graph, const Value& input) {
  const fs::path named = folder / str("inputs_", input.name, ".npy");
  if (graph.inputs().size() > 1 || fs::exists(named)) return named;
  return folder / "inputs.npy";
}

// Row `index` of an array, dense.
Tensor row_of(const Tensor& samples, int64_t index) {
  Shape shape(samples.shape().begin() + 1, samples.shape().end());
  Tensor row(TensorType{samples.dtype(), std::move(shape)});
  const size_t bytes = row.bytes().size();
  if (bytes == 0) return row;
  std::memcpy(row.mutable_bytes().data(),
              samples.bytes().data() + static_cast<size_t>(index) * bytes, bytes);
  return row;
}

}  // namespace

Result<DataSet> read_data_set(const fs::path& folder, const Graph& graph) {
  if (!fs::is_directory(folder)) return bad_input(folder.string(), ": no such folder");
  DataSet data;
  data.samples = kUnknown;
  for (const Value* input : graph.inputs()) {
    const fs::path path = input_path(folder, graph, *input);
    HONE_TRY(std::optional<Tensor> array, read_if_there(path, data.samples));
    if (!array)
      return bad_input(path.string(), ": no such file; input '", input->name, "' needs it");
    data.inputs.push_back(*std::move(array));
  }
  HONE_TRY(data.labels, read_if_there(folder / "labels.npy", data.samples));
  HONE_TRY(data.targets, read_if_there(folder / "targets.npy", data.samples));
  if (data.labels && !kInteger.contains(data.labels->dtype())) {
    return bad_input((folder / "labels.npy").string(), ": holds ", data.labels->dtype(),
                     ", expected integers");
  }
  return data;
}

Result<DataSet> data_set_of(Tensor inputs, const Graph& graph) {
  if (graph.inputs().size() != 1) {
    return bad_input("one array of samples for a model with ", graph.inputs().size(), " inputs");
  }
  DataSet data;
  if (inputs.rank() < 1) return bad_input("the samples are a scalar, expected [N, ...]");
  data.samples = inputs.shape()[0];
  data.inputs = {std::move(inputs)};
  return data;
}

Tensor quantize(const Tensor& floats, const TensorType& type) {
  const std::vector<double> values = to_doubles(floats);
  Tensor result(type);
  const double scale = type.quantized() ? type.quant->scale() : 1.0;
  const double zero = type.quantized() ? type.quant->zero_point() : 0.0;
  dispatch_integer(type.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto stored = result.mutable_data<T>();
    constexpr auto kLow = static_cast<double>(std::numeric_limits<T>::min());
    constexpr auto kHigh = static_cast<double>(std::numeric_limits<T>::max());
    for (size_t i = 0; i < values.size(); ++i) {
      const double wanted = std::round(values[i] / scale) + zero;
      if (std::isnan(wanted)) continue;
      if (wanted >= kHigh) {
        stored[i] = std::numeric_limits<T>::max();
      } else {
        stored[i] = static_cast<T>(std::max(wanted, kLow));
      }
    }
  });
  return result;
}

Result<Tensor> sample_as(const Tensor& samples, int64_t index, const TensorType& type) {
  Tensor row = row_of(samples, index);
  Shape shape = type.ranked ? type.shape : row.shape();
  if (type.ranked) {
    if (!shape.empty() && shape[0] == kUnknown) shape[0] = 1;
    // Other unknown extents are those of the sample, when it has as many axes.
    for (size_t i = 1; i < shape.size(); ++i) {
      if (shape[i] == kUnknown && shape.size() == row.shape().size() + 1)
        shape[i] = row.shape()[i - 1];
      if (shape[i] == kUnknown && shape.size() == row.shape().size()) shape[i] = row.shape()[i];
    }
  }
  const TensorType wanted{type.dtype, shape, type.quant};
  if (!wanted.known() || wanted.elements() != row.elements()) {
    return bad_input("a sample is ", text_of(row.shape()), ", but the model's input is ", type);
  }
  row = row.reshaped(std::move(shape));
  if (row.dtype() == type.dtype) return row.with_quantization(type.quant);
  const bool floats = kFloat.contains(row.dtype()) && kInteger.contains(type.dtype);
  if (floats && type.quantized()) return quantize(row, wanted);
  return bad_input("samples are ", row.dtype(), ", but the model's input is ", type.dtype,
                   floats ? " without a scale to quantize them by" : "");
}

}  // namespace hone
