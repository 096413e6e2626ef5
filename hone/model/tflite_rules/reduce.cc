// Reductions, and what works along one axis.

#include <algorithm>
#include <numeric>

#include "hone/model/tflite_export.h"
#include "hone/ops/common.h"
#include "hone/ops/movement/transpose_tflite.h"  // permuted

namespace hone {
namespace {

struct ReduceWord {
  std::string_view op;
  std::string_view tflite;
};
constexpr ReduceWord kReduceWords[] = {
    {"reduce_max", "REDUCE_MAX"},   {"reduce_mean", "MEAN"}, {"reduce_min", "REDUCE_MIN"},
    {"reduce_prod", "REDUCE_PROD"}, {"reduce_sum", "SUM"},
};

Result<Ints> reduced_axes(const Node& node) {
  const int64_t rank = node.inputs[0]->type.tensor.rank();
  HONE_TRY(Ints axes, export_ints_or(node, 1, "its list of axes", {}));
  if (axes.empty() && export_attr<int64_t>(node, "noop_with_empty_axes") == 0) {
    axes.resize(static_cast<size_t>(rank));
    std::iota(axes.begin(), axes.end(), int64_t{0});
  }
  HONE_TRY(const std::vector<size_t> resolved, resolve_axes(axes, rank));
  return Ints(resolved.begin(), resolved.end());
}

Status write_reduce(TfliteExport& out, const Node& node) {
  const auto* word = std::ranges::find(kReduceWords, node.op, &ReduceWord::op);
  HONE_TRY(const Ints axes, reduced_axes(node));
  const Value* y = node.outputs[0];
  out.add(word->tflite, {out.tensor(node.inputs[0]), out.ints(y->name + "/axes", axes)},
          {out.tensor(y)}, {{"keep_dims", export_attr<int64_t>(node, "keepdims") != 0}});
  return Done{};
}

// An operator that TFLite has along the last axis alone, between transposes where it is another.
Status write_along_last(TfliteExport& out, const Node& node, std::string_view op,
                        TfliteExport::Options options) {
  const Value* x = node.inputs[0];
  const Value* y = node.outputs[0];
  const int64_t rank = x->type.tensor.rank();
  HONE_TRY(const size_t axis, resolve_axis(export_attr<int64_t>(node, "axis"), rank));
  if (static_cast<int64_t>(axis) == rank - 1) {
    out.add_as(op, node, std::move(options));
    return Done{};
  }
  Ints perm(static_cast<size_t>(rank));
  std::iota(perm.begin(), perm.end(), int64_t{0});
  std::swap(perm[axis], perm.back());
  const int order = out.ints(y->name + "/perm", perm);
  const int turned = out.temporary(x->name + "/turned", permuted(x->type.tensor, perm));
  const int result = out.temporary(y->name + "/turned", permuted(y->type.tensor, perm));
  out.add("TRANSPOSE", {out.tensor(x), order}, {turned});
  out.add(op, {turned}, {result}, std::move(options));
  out.add("TRANSPOSE", {result, order}, {out.tensor(y)});
  return Done{};
}

Status write_softmax(TfliteExport& out, const Node& node) {
  return write_along_last(out, node, "SOFTMAX", {{"beta", 1.0}});
}

Status write_log_softmax(TfliteExport& out, const Node& node) {
  return write_along_last(out, node, "LOG_SOFTMAX", {});
}

Status write_arg(TfliteExport& out, const Node& node) {
  if (export_attr<int64_t>(node, "select_last_index") != 0) {
    return unsupported("the last of several extremes");
  }
  const Value* y = node.outputs[0];
  const int64_t axis = export_attr<int64_t>(node, "axis");
  const int along = out.constant(y->name + "/axis", Tensor::scalar(static_cast<int32_t>(axis)));
  const bool keeps = export_attr<int64_t>(node, "keepdims") != 0;
  TensorType type = y->type.tensor;
  if (keeps) {
    HONE_TRY(const size_t at, resolve_axis(axis, node.inputs[0]->type.tensor.rank()));
    type.shape.erase(type.shape.begin() + static_cast<std::ptrdiff_t>(at));
  }
  const int found = keeps ? out.temporary(y->name + "/found", type) : out.tensor(y);
  out.add(node.op == "arg_max" ? "ARG_MAX" : "ARG_MIN", {out.tensor(node.inputs[0]), along},
          {found}, {{"output_type", std::string(name_of(type.dtype))}});
  if (keeps) {
    out.add("RESHAPE", {found, out.ints(y->name + "/shape", y->type.tensor.shape)}, {out.tensor(y)},
            {{"new_shape", y->type.tensor.shape}});
  }
  return Done{};
}

// Hone's alpha is divided by the number of channels.
Status write_lrn(TfliteExport& out, const Node& node) {
  const int64_t size = export_attr<int64_t>(node, "size");
  if (export_attr<std::string>(node, "layout") != "nhwc" || size % 2 == 0) {
    return unsupported("a normalization with channels first, or over an even number of them");
  }
  out.add_as("LOCAL_RESPONSE_NORMALIZATION", node,
             {{"radius", (size - 1) / 2},
              {"alpha", export_attr<double>(node, "alpha") / static_cast<double>(size)},
              {"beta", export_attr<double>(node, "beta")},
              {"bias", export_attr<double>(node, "bias")}});
  return Done{};
}

std::vector<TfliteExportRule> all_reductions() {
  std::vector<TfliteExportRule> rules = {
      {"arg_max", write_arg}, {"arg_min", write_arg},     {"log_softmax", write_log_softmax},
      {"lrn", write_lrn},     {"softmax", write_softmax},
  };
  for (const ReduceWord& word : kReduceWords) rules.push_back({word.op, write_reduce});
  return rules;
}

}  // namespace

extern const std::vector<TfliteExportRule> tflite_reduce_rules = all_reductions();

}  // namespace hone
