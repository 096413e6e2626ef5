// layer_norm(x, scale, b) = (x - mean) / sqrt(var + epsilon) * scale + b, with mean and variance
// over the axes from `axis` on. The further outputs are the mean and 1 / sqrt(var + epsilon).
// rms_norm(x, scale) = x / sqrt(mean of x^2 + epsilon) * scale over the same axes.

#include <algorithm>
#include <cmath>

#include "hone/ops/common.h"
#include "hone/ops/norm/moments.h"
#include "hone/ops/norm/skip_norm_onnx.h"
#include "hone/ops/op_def.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

// Scale or bias must broadcast to x.
Status check_parameter(const InferContext& in, size_t input) {
  if (!in.has(input) || !in.type(input).ranked || !in.type(0).ranked) return Done{};
  const Shape& shape = in.type(input).shape;
  HONE_TRY(const Shape both, broadcast(in.type(0).shape, shape));
  if (both.size() == in.type(0).shape.size() && (!in.type(0).known() || both == in.type(0).shape)) {
    return Done{};
  }
  return bad_input(in.op().inputs[input].name, " of shape ", text_of(shape),
                   " does not broadcast to ", text_of(in.type(0).shape));
}

Result<std::vector<ValueType>> infer_layer_norm(const InferContext& in) {
  const DType stash = in.attr<DType>("stash_type");
  if (!kFloat.contains(stash)) return unsupported("stash_type ", stash);
  const TensorType type = plain(in.type(0));
  TensorType statistics = type;
  statistics.dtype = stash;
  if (type.ranked) {
    HONE_TRY(const size_t axis, resolve_axis(in.integer("axis"), type.rank()));
    std::fill(statistics.shape.begin() + static_cast<ptrdiff_t>(axis), statistics.shape.end(), 1);
  }
  HONE_RETURN_IF_ERROR(check_parameter(in, 1));
  HONE_RETURN_IF_ERROR(check_parameter(in, 2));
  return std::vector<ValueType>{type, statistics, statistics};
}

struct Rows {
  int64_t count;
  int64_t length;
};

Result<Rows> rows_of(const EvalContext& in) {
  const Shape& shape = in.in(0).shape();
  HONE_TRY(const size_t axis, resolve_axis(in.integer("axis"), in.in(0).rank()));
  return Rows{elements(std::span(shape).first(axis)), elements(std::span(shape).subspan(axis))};
}

// Each element of x, through fn(value, row), times scale, plus bias when there is one.
template <class T, class Fn>
void scale_rows(EvalContext& in, const Rows& rows, Fn&& fn) {
  const Shape& shape = in.in(0).shape();
  const bool biased = in.has(2);
  const std::vector<double> scale = to_doubles(in.in(1));
  const std::vector<double> bias = biased ? to_doubles(in.in(2)) : std::vector<double>{0};
  const auto x = in.in(0).data<T>();
  const auto y = in.out().template mutable_data<T>();
  IndexWalk walk(shape, {broadcast_strides(in.in(1).shape(), shape),
                         broadcast_strides(biased ? in.in(2).shape() : Shape{}, shape)});
  for (size_t i = 0; !walk.done(); walk.next(), ++i) {
    const double value = fn(double{Compute<T>(x[i])}, static_cast<int64_t>(i) / rows.length);
    y[i] = T(static_cast<Compute<T>>(value * scale[static_cast<size_t>(walk.offset(0))] +
                                     bias[static_cast<size_t>(walk.offset(1))]));
  }
}

void store(EvalContext& in, size_t output, const std::vector<double>& values) {
  if (in.outputs() <= output) return;
  dispatch_float(in.out_type(output).tensor.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto y = in.out(output).template mutable_data<T>();
    for (size_t i = 0; i < y.size(); ++i) y[i] = T(values[i]);
  });
}

Status eval_layer_norm(EvalContext& in) {
  HONE_TRY(const Rows rows, rows_of(in));
  const double epsilon = in.real("epsilon");
  std::vector<double> mean;
  std::vector<double> inverse;
  dispatch_float(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* x = in.in(0).data<T>().data();
    for (int64_t row = 0; row < rows.count; ++row) {
      const Moments moments = moments_of(x + row * rows.length, rows.length);
      mean.push_back(moments.mean);
      inverse.push_back(1 / std::sqrt(moments.var + epsilon));
    }
    scale_rows<T>(in, rows, [&](double value, int64_t row) {
      const auto r = static_cast<size_t>(row);
      return (value - mean[r]) * inverse[r];
    });
  });
  store(in, 1, mean);
  store(in, 2, inverse);
  return Done{};
}

Status eval_rms_norm(EvalContext& in) {
  HONE_TRY(const Rows rows, rows_of(in));
  const double epsilon = in.real("epsilon");
  dispatch_float(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* x = in.in(0).data<T>().data();
    std::vector<double> inverse;
    for (int64_t row = 0; row < rows.count; ++row) {
      const Moments moments = moments_of(x + row * rows.length, rows.length);
      inverse.push_back(1 / std::sqrt(moments.var + moments.mean * moments.mean + epsilon));
    }
    scale_rows<T>(in, rows, [&](double value, int64_t row) {
      return value * inverse[static_cast<size_t>(row)];
    });
  });
  return Done{};
}

}  // namespace

extern const OpDef op_layer_norm = {
    .name = "layer_norm",
    .summary = "Normalises over the last axes to mean 0 and variance 1, then scales.",
    .inputs = {{"x", kFloat, 'T'}, {"scale", kFloat, 'T'}, {"b", kFloat, 'T', kOptional}},
    .attrs = {{"axis", int64_t{-1}},
              {"epsilon", static_cast<double>(1e-5f)},
              {"stash_type", DType::F32}},
    .max_outputs = 3,
    .infer = infer_layer_norm,
    .cost = cost_per_element<8>,
    .eval = eval_layer_norm,
    .onnx = {{"LayerNormalization"},
             {"SkipLayerNormalization", import_skip_layer_norm, kOnnxRuntime},
             {"EmbedLayerNormalization", import_embed_layer_norm, kOnnxRuntime}},
    .cases = {"(f32[2,3,8], const f32[8], const f32[8])", "(f32[2,3,8], const f32[8])"},
};

extern const OpDef op_rms_norm = {
    .name = "rms_norm",
    .summary = "Divides by the root mean square over the last axes, then scales.",
    .inputs = {{"x", kFloat}, {"scale", kFloat}},
    .attrs = {{"axis", int64_t{-1}},
              {"epsilon", static_cast<double>(1e-5f)},
              {"stash_type", DType::F32}},
    .infer = infer_layer_norm,
    .cost = cost_per_element<5>,
    .eval = eval_rms_norm,
    .onnx = {{"RMSNormalization"},
             {"SkipSimplifiedLayerNormalization", import_skip_rms_norm, kOnnxRuntime}},
    .cases = {"(f32[2,3,8], const f32[8])"},
};

}  // namespace hone
