#include "hone/validate/data_set.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "hone/base/peek_file.h"
#include "hone/passes/qdq_match.h"
#include "hone/tensor/dispatch.h"
#include "hone/validate/image_layout.h"
#include "hone/validate/pictures/picture_folder.h"

namespace hone {
namespace fs = std::filesystem;

namespace {

// Of a file that is scanned at a time.
constexpr uint64_t kScanBytes = uint64_t{1} << 20;

Result<fs::path> input_path(const fs::path& folder, const Graph& graph, const Value& input) {
  const fs::path named = folder / str("inputs_", input.name, ".npy");
  HONE_TRY(const bool exists, file_exists(named));
  if (graph.inputs().size() > 1 || exists) return named;
  return folder / "inputs.npy";
}

// The type of an input with the scale that floats are quantized by: its own, or that of the only
// operator that reads it, when it is a dequantize_linear.
TensorType type_of(const Value& input) {
  TensorType type = input.type.tensor;
  if (type.quantized() || input.users.size() != 1) return type;
  const Node& reader = *input.users[0].node;
  if (reader.op == "dequantize_linear" && input.users[0].input == 0) {
    const Quant quant = params_of(reader);
    if (quant && quant->per_tensor()) type.quant = quant;
  }
  return type;
}

// Unknown extents of an input as a sample gives them.
Shape input_shape(const Shape& sample, const TensorType& type) {
  if (!type.ranked) return sample;
  Shape shape = type.shape;
  if (!shape.empty() && shape[0] == kUnknown) shape[0] = 1;
  // The others are those of the sample, when it has as many axes.
  for (size_t i = 1; i < shape.size(); ++i) {
    if (shape[i] != kUnknown) continue;
    if (shape.size() == sample.size() + 1) shape[i] = sample[i - 1];
    if (shape.size() == sample.size()) shape[i] = sample[i];
  }
  return shape;
}

// A sample with a batch axis where only the input has one.
Shape batched(const Shape& sample, const Shape& input) {
  Shape shape = sample;
  if (shape.size() + 1 == input.size()) shape.insert(shape.begin(), 1);
  return shape;
}

bool shapes_fit(const Shape& sample, const TensorType& wanted) {
  if (!wanted.known() || wanted.elements() != elements(sample)) return false;
  const Shape a = without_ones(sample), b = without_ones(wanted.shape);
  // Arrays that one side has flat keep their order.
  return a == b || a.size() <= 1 || b.size() <= 1 ||
         layout_change(batched(sample, wanted.shape), wanted.shape);
}

// The type under which a sample enters an input of `type`.
Result<TensorType> fitted(const TensorType& sample, const TensorType& type) {
  TensorType wanted{type.dtype, input_shape(sample.shape, type), type.quant};
  if (wanted.dtype == DType::Undefined) wanted.dtype = sample.dtype;
  if (!shapes_fit(sample.shape, wanted)) {
    return bad_input("a sample is ", text_of(sample.shape), ", but the model's input is ", type);
  }
  if (sample.dtype == wanted.dtype) return wanted;
  const bool floats = kFloat.contains(sample.dtype) && kInteger.contains(wanted.dtype);
  if (floats && wanted.quantized()) return wanted;
  return bad_input("samples are ", sample.dtype, ", but the model's input is ", wanted.dtype,
                   floats ? " without a scale to quantize them by" : "");
}

Status check_count(const SampleRows& rows, int64_t& samples) {
  if (rows.count() < 1) return bad_input(rows.name(), ": holds no samples");
  if (samples == 0) samples = rows.count();
  if (rows.count() == samples) return Done{};
  return bad_input(rows.name(), ": holds ", rows.count(), " samples, expected ", samples);
}

// The first element that is no finite number, or none.
std::optional<size_t> first_not_finite(const Tensor& floats) {
  std::optional<size_t> found;
  dispatch_float(floats.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::span<const T> values = floats.data<T>();
    const auto bad = std::ranges::find_if(
        values, [](T value) { return !std::isfinite(static_cast<double>(value)); });
    if (bad != values.end()) found = static_cast<size_t>(bad - values.begin());
  });
  return found;
}

Status check_finite(const SampleRows& rows) {
  const TensorType row = rows.row_type();
  if (!kFloat.contains(row.dtype) || row.elements() == 0) return Done{};
  const auto at_once = static_cast<int64_t>(std::max<uint64_t>(kScanBytes / row.bytes(), 1));
  for (int64_t first = 0; first < rows.count(); first += at_once) {
    HONE_TRY(const Tensor block, rows.rows(first, std::min(at_once, rows.count() - first)));
    const std::optional<size_t> bad = first_not_finite(block);
    if (!bad) continue;
    const auto at = static_cast<int64_t>(*bad);
    return bad_input(rows.name(), ": sample ", first + at / row.elements(), " holds ",
                     to_doubles(block)[*bad], " at element ", at % row.elements(),
                     ", expected finite numbers");
  }
  return Done{};
}

Status add_input(SampleRows rows, const Value& input, DataSet& data) {
  const std::string where = str(rows.name(), ": input '", input.name, "'");
  HONE_RETURN_IF_ERROR(check_count(rows, data.samples));
  HONE_RETURN_IF_ERROR(fitted(rows.row_type(), type_of(input)).in(where));
  if (!rows.is_made()) HONE_RETURN_IF_ERROR(check_finite(rows));
  data.inputs.push_back(std::move(rows));
  return Done{};
}

// One per sample, `what` they are; nothing when there is no such file.
Result<std::optional<std::vector<int64_t>>> read_integers(const fs::path& path, DataSet& data,
                                                          std::string_view what) {
  HONE_TRY(const bool exists, file_exists(path));
  if (!exists) return std::optional<std::vector<int64_t>>();
  HONE_TRY(const SampleRows rows, SampleRows::open(path));
  if (!kInteger.contains(rows.type().dtype)) {
    return bad_input(path.string(), ": holds ", rows.type().dtype, ", expected integers");
  }
  HONE_RETURN_IF_ERROR(check_count(rows, data.samples));
  if (rows.row_type().elements() != 1) {
    return bad_input(path.string(), ": is ", rows.type(), ", expected one ", what, " per sample");
  }
  HONE_TRY(const Tensor all, rows.rows(0, rows.count()));
  return std::optional(to_ints(all));
}

Status add_labels(const fs::path& path, DataSet& data) {
  HONE_TRY(data.labels, read_integers(path, data, "class number"));
  if (!data.labels) return Done{};
  const auto negative = std::ranges::find_if(*data.labels, [](int64_t label) { return label < 0; });
  if (negative == data.labels->end()) return Done{};
  return bad_input(path.string(), ": sample ", negative - data.labels->begin(), " has the label ",
                   *negative, ", expected 0 or more");
}

Status add_groups(const fs::path& path, DataSet& data) {
  HONE_TRY(data.groups, read_integers(path, data, "group's number"));
  if (!data.groups || !data.labels) return Done{};
  std::map<int64_t, int64_t> labels;  // Of each group.
  for (size_t s = 0; s < data.groups->size(); ++s) {
    const int64_t group = (*data.groups)[s], label = (*data.labels)[s];
    const auto [known, first] = labels.emplace(group, label);
    if (first || known->second == label) continue;
    return bad_input(path.string(), ": sample ", s, " has the label ", label,
                     ", but others of its group ", group, " have ", known->second);
  }
  return Done{};
}

Status add_targets(const fs::path& path, DataSet& data) {
  HONE_TRY(const bool exists, file_exists(path));
  if (!exists) return Done{};
  HONE_TRY(SampleRows rows, SampleRows::open(path));
  if (rows.type().dtype == DType::String) {
    return bad_input(path.string(), ": holds strings, expected numbers");
  }
  HONE_RETURN_IF_ERROR(check_count(rows, data.samples));
  HONE_RETURN_IF_ERROR(check_finite(rows));
  data.targets = std::move(rows);
  return Done{};
}

std::vector<int64_t> picked(const std::vector<int64_t>& values,
                            const std::vector<int64_t>& indices) {
  std::vector<int64_t> result;
  for (const int64_t index : indices) result.push_back(values[static_cast<size_t>(index)]);
  return result;
}

Result<DataSet> of_rows(SampleRows rows, const Graph& graph) {
  if (graph.inputs().size() != 1) {
    return bad_input(rows.name(), ": one array of samples for a model with ", graph.inputs().size(),
                     " inputs");
  }
  DataSet data;
  HONE_RETURN_IF_ERROR(add_input(std::move(rows), *graph.inputs()[0], data));
  return data;
}

Result<DataSet> data_set_of_pictures(const fs::path& folder, const Graph& graph) {
  if (graph.inputs().size() != 1) {
    return bad_input(folder.string(), ": pictures for a model with ", graph.inputs().size(),
                     " inputs");
  }
  const Value& input = *graph.inputs()[0];
  HONE_TRY(PictureFolder pictures, list_pictures(folder));
  HONE_TRY(SampleRows rows, rows_of_pictures(folder, pictures, type_of(input))
                                .in(str(folder.string(), ": input '", input.name, "'")));
  DataSet data;
  HONE_RETURN_IF_ERROR(add_input(std::move(rows), input, data));
  data.labels = std::move(pictures.labels);
  data.labels_from = std::move(pictures.labels_from);
  data.how = std::move(pictures.how);
  return data;
}

// Pictures where there are no arrays.
Result<bool> is_of_pictures(const fs::path& folder, const Graph& graph) {
  for (const Value* input : graph.inputs()) {
    HONE_TRY(const fs::path path, input_path(folder, graph, *input));
    HONE_TRY(const bool exists, file_exists(path));
    if (exists) return false;
  }
  return holds_pictures(folder);
}

}  // namespace

Result<std::vector<Item>> DataSet::sample(int64_t index, const Graph& graph) const {
  HONE_CHECK(index >= 0 && index < samples, "sample ", index, " of ", samples);
  if (graph.inputs().size() != inputs.size()) {
    return bad_input("samples of ", inputs.size(), " inputs for a model with ",
                     graph.inputs().size());
  }
  std::vector<Item> items;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Value& input = *graph.inputs()[i];
    HONE_TRY(const Tensor row, inputs[i].row(index));
    HONE_TRY(const Tensor value,
             sample_as(row, type_of(input)).in(str("input '", input.name, "'")));
    items.emplace_back(value.with_quantization(input.type.tensor.quant));
  }
  return items;
}

DataSet DataSet::pick(const std::vector<int64_t>& indices) const {
  DataSet result;
  result.samples = static_cast<int64_t>(indices.size());
  result.how = how;
  result.labels_from = labels_from;
  for (const SampleRows& rows : inputs) result.inputs.push_back(rows.pick(indices));
  if (targets) result.targets = targets->pick(indices);
  if (labels) result.labels = picked(*labels, indices);
  if (groups) result.groups = picked(*groups, indices);
  return result;
}

Result<DataSet> read_data_set(const fs::path& folder, const Graph& graph) {
  HONE_TRY(const bool there, file_exists(folder));
  std::error_code ignored;
  if (!there) return bad_input(folder.string(), ": no such folder");
  if (!fs::is_directory(folder, ignored)) {
    return bad_input(folder.string(), ": expected a folder of samples, or one .npy file");
  }
  if (graph.inputs().empty()) return bad_input("the model has no input to read samples for");
  HONE_TRY(const bool pictures, is_of_pictures(folder, graph));
  if (pictures) return data_set_of_pictures(folder, graph);
  DataSet data;
  for (const Value* input : graph.inputs()) {
    HONE_TRY(const fs::path path, input_path(folder, graph, *input));
    HONE_TRY(const bool exists, file_exists(path));
    if (!exists) {
      return bad_input(path.string(), ": no such file; input '", input->name, "' needs it");
    }
    HONE_TRY(SampleRows rows, SampleRows::open(path));
    HONE_RETURN_IF_ERROR(add_input(std::move(rows), *input, data));
  }
  HONE_RETURN_IF_ERROR(add_labels(folder / "labels.npy", data));
  HONE_RETURN_IF_ERROR(add_groups(folder / "groups.npy", data));
  HONE_RETURN_IF_ERROR(add_targets(folder / "targets.npy", data));
  return data;
}

Result<DataSet> data_set_of(Tensor inputs, const Graph& graph, std::string name) {
  HONE_TRY(SampleRows rows, SampleRows::of(std::move(inputs), std::move(name)));
  return of_rows(std::move(rows), graph);
}

Result<DataSet> data_set_of_file(const fs::path& path, const Graph& graph) {
  HONE_TRY(SampleRows rows, SampleRows::open(path));
  return of_rows(std::move(rows), graph);
}

Result<DataSet> open_data_set(const fs::path& path, const Graph& graph) {
  return path.extension() == ".npy" ? data_set_of_file(path, graph) : read_data_set(path, graph);
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

Result<Tensor> sample_as(const Tensor& sample, const TensorType& type) {
  HONE_TRY(const TensorType wanted, fitted(sample.type(), type));
  const Tensor image = sample.reshaped(batched(sample.shape(), wanted.shape));
  const std::optional<Tensor> turned = arranged(image, wanted.shape);
  const Tensor shaped = turned ? *turned : sample.reshaped(wanted.shape);
  if (shaped.dtype() == wanted.dtype) return shaped.with_quantization(wanted.quant);
  return quantize(shaped, wanted);
}

}  // namespace hone
