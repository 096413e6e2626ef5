// batch_norm(x, scale, b, mean, var) = (x - mean) / sqrt(var + epsilon) * scale + b per channel.
// With training_mode the mean and variance are those of x, and the further outputs are mean *
// momentum + (mean of x) * (1 - momentum), and the same for the variance.

#include <cmath>

#include "hone/ops/common.h"
#include "hone/ops/conv/geometry.h"
#include "hone/ops/onnx_import.h"
#include "hone/ops/op_def.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

constexpr size_t kScale = 1, kBias = 2, kMean = 3, kVar = 4;

// An input of rank 1 is a batch of one channel.
int64_t channels_of(const Shape& shape, bool nhwc) {
  if (shape.size() < 2) return 1;
  return nhwc ? shape.back() : shape[1];
}

Result<std::vector<ValueType>> infer_batch_norm(const InferContext& in) {
  HONE_TRY(const bool nhwc, is_nhwc(in));
  HONE_RETURN_IF_ERROR(check_activation(in));
  const bool training = in.integer("training_mode") != 0;
  if (!training && in.outputs() > 1) {
    return bad_input("has ", in.outputs(), " outputs without training_mode, expected 1");
  }
  TensorType type = plain(in.type(0));
  int64_t channels = type.ranked ? channels_of(type.shape, nhwc) : kUnknown;
  for (size_t i = kScale; i <= kVar; ++i) {
    if (!in.type(i).ranked) continue;
    const Shape& shape = in.type(i).shape;
    if (shape.size() != 1) return bad_input(in.op().inputs[i].name, " has rank ", shape.size());
    if (channels == kUnknown) channels = shape[0];
    if (shape[0] != channels && shape[0] != kUnknown) {
      return bad_input(in.op().inputs[i].name, " has ", shape[0], " elements, expected ", channels);
    }
  }
  const TensorType statistics{in.dtype(kMean), {channels}};
  return std::vector<ValueType>{std::move(type), statistics, statistics};
}

// x as [outer][channel][inner].
AxisSplit channel_split(const Shape& shape, bool nhwc) {
  if (shape.size() < 2) return {elements(shape), 1, 1};
  return split_at(shape, nhwc ? shape.size() - 1 : 1);
}

struct Statistics {
  std::vector<double> mean;
  std::vector<double> var;
};

template <class T>
Statistics statistics_of(const T* x, const AxisSplit& split) {
  Statistics result;
  const auto count = static_cast<double>(split.outer * split.inner);
  for (int64_t c = 0; c < split.n; ++c) {
    const auto sum = [&](auto&& fn) {
      double total = 0;
      for (int64_t o = 0; o < split.outer; ++o) {
        const T* line = x + (o * split.n + c) * split.inner;
        for (int64_t i = 0; i < split.inner; ++i) total += fn(double{Compute<T>(line[i])});
      }
      return total / count;
    };
    const double mean = sum([](double value) { return value; });
    result.mean.push_back(mean);
    result.var.push_back(sum([mean](double value) { return (value - mean) * (value - mean); }));
  }
  return result;
}

template <class T>
void normalize(EvalContext& in, const AxisSplit& split, const Statistics& statistics) {
  const std::vector<double> scale = to_doubles(in.in(kScale));
  const std::vector<double> bias = to_doubles(in.in(kBias));
  const double epsilon = in.real("epsilon");
  const T* x = in.in(0).data<T>().data();
  T* y = in.out().template mutable_data<T>().data();
  for (int64_t line = 0; line < split.outer * split.n; ++line) {
    const auto c = static_cast<size_t>(line % split.n);
    const double factor = scale[c] / std::sqrt(statistics.var[c] + epsilon);
    for (int64_t i = line * split.inner; i < (line + 1) * split.inner; ++i) {
      const double value = (Compute<T>(x[i]) - statistics.mean[c]) * factor + bias[c];
      y[i] = T(static_cast<Compute<T>>(value));
    }
  }
}

// Output `output`: the running statistic of input `input` moved towards the one of this batch.
void update(EvalContext& in, size_t output, size_t input, const std::vector<double>& batch) {
  if (in.outputs() <= output) return;
  const double momentum = in.real("momentum");
  const std::vector<double> running = to_doubles(in.in(input));
  dispatch_float(in.in(input).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto y = in.out(output).template mutable_data<T>();
    for (size_t i = 0; i < y.size(); ++i) {
      y[i] = T(static_cast<Compute<T>>(running[i] * momentum + batch[i] * (1 - momentum)));
    }
  });
}

Status eval_batch_norm(EvalContext& in) {
  HONE_TRY(const bool nhwc, is_nhwc(in));
  const AxisSplit split = channel_split(in.in(0).shape(), nhwc);
  const bool training = in.integer("training_mode") != 0;
  dispatch_float(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Statistics statistics =
        training ? statistics_of(in.in(0).data<T>().data(), split)
                 : Statistics{to_doubles(in.in(kMean)), to_doubles(in.in(kVar))};
    normalize<T>(in, split, statistics);
    if (!training) return;
    update(in, 1, kMean, statistics.mean);
    update(in, 2, kVar, statistics.var);
  });
  activate_all(in.out(), in);
  return Done{};
}

// Before opset 14 it is a training step when there is more than one output; what those held
// differed.
Status upgrade_batch_norm(OnnxImport& in) {
  in.take<Ints>("consumed_inputs", {});
  if (in.opset < 9 && in.take<int64_t>("spatial", 1) == 0) {
    return unsupported("BatchNormalization with a mean per element (spatial = 0)");
  }
  if (in.opset < 7) in.take<int64_t>("is_test", 0);
  if (in.opset < 14 && in.outputs > 1) {
    return unsupported("BatchNormalization of opset ", in.opset, " in training mode");
  }
  return Done{};
}

}  // namespace

extern const OpDef op_batch_norm = {
    .name = "batch_norm",
    .summary = "Normalises each channel by given statistics, or in training by its own.",
    .half = true,
    .inputs = {{"x", kFloat},
               {"scale", kFloat, 'S'},
               {"b", kFloat, 'S'},
               {"mean", kFloat, 'M'},
               {"var", kFloat, 'M'}},
    .attrs = {{"epsilon", static_cast<double>(1e-5f)},
              {"momentum", static_cast<double>(0.9f)},
              {"training_mode", int64_t{0}},
              activation_attr(),
              activation_params_attr(),
              layout_attr()},
    .max_outputs = 3,
    .infer = infer_batch_norm,
    .cost = cost_per_element<2>,
    .eval = eval_batch_norm,
    .onnx = {{"BatchNormalization", upgrade_batch_norm}},
    .cases = {"(f32[2,3,4,4], const f32[3], const f32[3], const f32[3], f32[3]{1 2 0.5})",
              "(f32[2,4,4,3], const f32[3], const f32[3], const f32[3], f32[3]{1 2 0.5}) "
              "layout=\"nhwc\" activation=\"relu\""},
};

}  // namespace hone
