// group_norm(x, scale, b): each group of channels of each image is brought to mean 0 and variance
// 1, then scaled and shifted per channel. instance_norm is the same with one channel per group.
//     y = (x - mean) / sqrt(var + epsilon) * scale[c] + b[c]

#include <algorithm>
#include <cmath>

#include "hone/ops/common.h"
#include "hone/ops/norm/moments.h"
#include "hone/ops/onnx_import.h"
#include "hone/ops/op_def.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

// Scale and bias have one element per channel of x.
Status check_channels(const InferContext& in) {
  const TensorType& x = in.type(0);
  if (!x.ranked) return Done{};
  if (x.rank() < 2) return bad_input("x has rank ", x.rank(), ", expected 2 or more");
  for (const size_t input : {size_t{1}, size_t{2}}) {
    const TensorType& type = in.type(input);
    if (!type.ranked) continue;
    const bool fits = type.rank() == 1 && (type.shape[0] == x.shape[1] ||
                                           type.shape[0] == kUnknown || x.shape[1] == kUnknown);
    if (!fits) {
      return bad_input(in.op().inputs[input].name, " is of shape ", text_of(type.shape),
                       ", expected one number for each of ", x.shape[1], " channels");
    }
  }
  return Done{};
}

Status normalize(EvalContext& in, int64_t groups) {
  const Shape& shape = in.in(0).shape();
  const int64_t channels = shape[1];
  const int64_t pixels = elements(std::span(shape).subspan(2));
  const int64_t length = channels / groups * pixels;
  if (in.out().elements() == 0) return Done{};
  const std::vector<double> scale = to_doubles(in.in(1));
  const std::vector<double> bias = to_doubles(in.in(2));
  const double epsilon = in.real("epsilon");
  dispatch_float(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* x = in.in(0).data<T>().data();
    T* y = in.out().template mutable_data<T>().data();
    for (int64_t first = 0; first < in.in(0).elements(); first += length) {
      const Moments moments = moments_of(x + first, length);
      const double factor = 1 / std::sqrt(moments.var + epsilon);
      for (int64_t i = first; i < first + length; ++i) {
        const auto c = static_cast<size_t>(i / pixels % channels);
        const double value = (Compute<T>(x[i]) - moments.mean) * factor;
        y[i] = T(static_cast<Compute<T>>(value * scale[c] + bias[c]));
      }
    }
  });
  return Done{};
}

Result<std::vector<ValueType>> infer_instance(const InferContext& in) {
  HONE_RETURN_IF_ERROR(check_channels(in));
  return infer_same(in);
}

Status eval_instance(EvalContext& in) {
  return normalize(in, std::max<int64_t>(in.in(0).shape()[1], 1));
}

Result<std::vector<ValueType>> infer_group(const InferContext& in) {
  HONE_RETURN_IF_ERROR(check_channels(in));
  const int64_t groups = in.integer("num_groups");
  if (groups < 1) return bad_input("num_groups is ", groups, ", expected 1 or more");
  const TensorType& x = in.type(0);
  if (x.ranked && x.shape[1] != kUnknown && x.shape[1] % groups != 0) {
    return bad_input(x.shape[1], " channels do not divide into ", groups, " groups");
  }
  return infer_same(in);
}

Status eval_group(EvalContext& in) {
  return normalize(in, in.integer("num_groups"));
}

Status upgrade_instance(OnnxImport& in) {
  in.take<Ints>("consumed_inputs", {});
  return Done{};
}

// Before opset 21 scale and bias had one element per group, which makes it an instance_norm of x
// with each group seen as one channel.
Status upgrade_group(OnnxImport& in) {
  if (in.opset >= 21) return Done{};
  const int64_t groups = in.take<int64_t>("num_groups", 0);
  const double epsilon = in.take<double>("epsilon", static_cast<double>(1e-5f));
  if (in.inputs.size() != 3 || groups < 1) {
    return bad_input("expected 3 inputs and num_groups, found ", in.inputs.size(), " and ", groups);
  }
  Value* shape = in.add("shape", {in.input(0)})->outputs[0];
  Value* grouped = in.constant(Tensor::of_ints({0, groups, -1}));
  Value* x = in.add("reshape", {in.input(0), grouped})->outputs[0];
  Value* y =
      in.add("instance_norm", {x, in.input(1), in.input(2)}, {{"epsilon", epsilon}})->outputs[0];
  in.results = {in.add("reshape", {y, shape})->outputs[0]};
  return Done{};
}

}  // namespace

extern const OpDef op_instance_norm = {
    .name = "instance_norm",
    .summary = "Normalises each channel of each image to mean 0 and variance 1, then scales.",
    .inputs = {{"x", kFloat, 'T'}, {"scale", kFloat, 'T'}, {"b", kFloat, 'T'}},
    .attrs = {{"epsilon", static_cast<double>(1e-5f)}},
    .infer = infer_instance,
    .cost = cost_per_element<8>,
    .eval = eval_instance,
    .onnx = {{"InstanceNormalization", upgrade_instance}},
    .cases = {"(f32[2,3,4,4], const f32[3], const f32[3])"},
};

extern const OpDef op_group_norm = {
    .name = "group_norm",
    .summary = "Normalises groups of channels of each image, then scales each channel.",
    .inputs = {{"x", kFloat, 'T'}, {"scale", kFloat, 'T'}, {"b", kFloat, 'T'}},
    .attrs = {{"epsilon", static_cast<double>(1e-5f)},
              {"num_groups", int64_t{1}, kRequired},
              {"stash_type", DType::F32}},
    .infer = infer_group,
    .cost = cost_per_element<8>,
    .eval = eval_group,
    .onnx = {{"GroupNormalization", upgrade_group}},
    .cases = {"(f32[2,4,3,3], const f32[4], const f32[4]) num_groups=2"},
};

}  // namespace hone
