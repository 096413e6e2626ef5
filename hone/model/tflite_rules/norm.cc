// Normalizations, which TFLite spells out.

#include <cmath>
#include <numeric>

#include "hone/model/tflite_export.h"
#include "hone/ops/common.h"

namespace hone {
namespace {

const TfliteExport::Options kUnfused{{"fused_activation_function", std::string("NONE")}};

Result<std::vector<double>> norm_numbers(const Node& node, size_t input, std::string_view what) {
  HONE_TRY(const Tensor tensor, export_constant(node, input, what));
  return to_doubles(tensor);
}

// x * factor + offset per channel.
Status write_batch_norm(TfliteExport& out, const Node& node) {
  const Value* x = node.inputs[0];
  const Value* y = node.outputs[0];
  const bool last =
      export_attr<std::string>(node, "layout") == "nhwc" || x->type.tensor.rank() == 2;
  if (!last || export_attr<int64_t>(node, "training_mode") != 0 || node.outputs.size() != 1) {
    return unsupported("a normalization with channels first, or in training");
  }
  HONE_TRY(const std::string activation, tflite_activation(node));
  HONE_TRY(const std::vector<double> scale, norm_numbers(node, 1, "its scale"));
  HONE_TRY(const std::vector<double> shift, norm_numbers(node, 2, "its shift"));
  HONE_TRY(const std::vector<double> mean, norm_numbers(node, 3, "its mean"));
  HONE_TRY(const std::vector<double> variance, norm_numbers(node, 4, "its variance"));
  const double epsilon = export_attr<double>(node, "epsilon");
  std::vector<float> factors;
  std::vector<float> offsets;
  for (size_t i = 0; i < scale.size(); ++i) {
    const double factor = scale[i] / std::sqrt(variance[i] + epsilon);
    factors.push_back(static_cast<float>(factor));
    offsets.push_back(static_cast<float>(shift[i] - mean[i] * factor));
  }
  const Shape channels{std::ssize(factors)};
  const int factor = out.constant(y->name + "/factor", Tensor::of<float>(channels, factors));
  const int offset = out.constant(y->name + "/offset", Tensor::of<float>(channels, offsets));
  const int scaled = out.temporary(y->name + "/scaled", y->type.tensor);
  out.add("MUL", {out.tensor(x), factor}, {scaled}, kUnfused);
  out.add("ADD", {scaled, offset}, {out.tensor(y)}, {{"fused_activation_function", activation}});
  return Done{};
}

// (x - mean) / sqrt(variance + epsilon) * scale + shift over the axes from `axis` on.
Status write_layer_norm(TfliteExport& out, const Node& node) {
  const Value* x = node.inputs[0];
  const Value* y = node.outputs[0];
  if (node.outputs.size() != 1 || x->type.tensor.dtype != DType::F32) {
    return unsupported("a normalization of ", x->type.tensor, " with ", node.outputs.size(),
                       " results");
  }
  const int64_t rank = x->type.tensor.rank();
  HONE_TRY(const size_t first, resolve_axis(export_attr<int64_t>(node, "axis"), rank));
  Ints axes(static_cast<size_t>(rank) - first);
  std::iota(axes.begin(), axes.end(), static_cast<int64_t>(first));
  TensorType row = x->type.tensor;
  std::fill(row.shape.begin() + static_cast<std::ptrdiff_t>(first), row.shape.end(), 1);
  const auto part = [&](const char* name, const TensorType& type) {
    return out.temporary(str(y->name, "/", name), type);
  };
  const TensorType& whole = x->type.tensor;
  const int along = out.ints(y->name + "/axes", axes);
  const int mean = part("mean", row);
  const int centered = part("centered", whole);
  const int squares = part("squares", whole);
  const int variance = part("variance", row);
  const int moved = part("moved", row);
  const int inverse = part("inverse", row);
  const auto epsilon = static_cast<float>(export_attr<double>(node, "epsilon"));
  out.add("MEAN", {out.tensor(x), along}, {mean}, {{"keep_dims", true}});
  out.add("SUB", {out.tensor(x), mean}, {centered}, kUnfused);
  out.add("MUL", {centered, centered}, {squares}, kUnfused);
  out.add("MEAN", {squares, along}, {variance}, {{"keep_dims", true}});
  out.add("ADD", {variance, out.constant(y->name + "/epsilon", Tensor::scalar(epsilon))}, {moved},
          kUnfused);
  out.add("RSQRT", {moved}, {inverse});
  const Value* shift = export_input(node, 2);
  const int normal = part("normal", whole);
  const int scaled = shift == nullptr ? out.tensor(y) : part("scaled", whole);
  out.add("MUL", {centered, inverse}, {normal}, kUnfused);
  out.add("MUL", {normal, out.tensor(node.inputs[1])}, {scaled}, kUnfused);
  if (shift != nullptr) out.add("ADD", {scaled, out.tensor(shift)}, {out.tensor(y)}, kUnfused);
  return Done{};
}

}  // namespace

extern const std::vector<TfliteExportRule> tflite_norm_rules = {
    {"batch_norm", write_batch_norm},
    {"layer_norm", write_layer_norm},
};

}  // namespace hone
