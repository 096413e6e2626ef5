// Losses of scores [N, C, d...] against labels [N, d...]:
//   negative log likelihood   l = -weight[label] * x[n, label, d]
//   softmax cross entropy     the same of log_softmax(x) along C
// Labels equal to ignore_index give 0. `mean` divides by the sum of the weights of those not
// ignored.

#include <algorithm>
#include <cmath>

#include "hone/ops/common.h"
#include "hone/ops/op_def.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

enum Input { kScores, kLabels, kWeights };

Status check_labels(const TensorType& x, const TensorType& labels) {
  if (x.ranked && x.rank() < 2) return bad_input("scores are ", x, ", expected [N,C,d...]");
  if (!x.ranked || !labels.ranked) return Done{};
  Shape expected = x.shape;
  expected.erase(expected.begin() + 1);
  bool fits = labels.shape.size() == expected.size();
  for (size_t i = 0; fits && i < expected.size(); ++i) {
    fits = expected[i] == labels.shape[i] || expected[i] == kUnknown || labels.shape[i] == kUnknown;
  }
  if (fits) return Done{};
  return bad_input("labels are ", labels, " for scores ", x, ", expected [N,d...] for [N,C,d...]");
}

Status check_weights(const InferContext& in) {
  if (!in.has(kWeights) || !in.type(kWeights).ranked || !in.type(kScores).ranked) return Done{};
  const TensorType& weights = in.type(kWeights);
  const int64_t classes = in.type(kScores).shape[1];
  const bool fits = weights.rank() == 1 && (weights.shape[0] == classes ||
                                            weights.shape[0] == kUnknown || classes == kUnknown);
  if (fits) return Done{};
  return bad_input("weights are ", weights, ", expected one for each of ", classes, " classes");
}

Result<std::vector<ValueType>> infer_cross_entropy(const InferContext& in) {
  const std::string& reduction = in.text("reduction");
  if (reduction != "none" && reduction != "mean" && reduction != "sum") {
    return bad_input("reduction is '", reduction, "', expected none, mean or sum");
  }
  HONE_RETURN_IF_ERROR(check_labels(in.type(kScores), in.type(kLabels)));
  HONE_RETURN_IF_ERROR(check_weights(in));
  TensorType loss{in.dtype(kScores), {}};
  if (reduction == "none") {
    loss = plain(in.type(kLabels));
    loss.dtype = in.dtype(kScores);
  }
  return std::vector<ValueType>{loss, plain(in.type(kScores))};
}

// log_softmax along axis 1, as doubles.
void log_softmax(std::vector<double>& x, const AxisSplit& split) {
  for (int64_t line = 0; line < split.outer * split.inner; ++line) {
    double* first = x.data() + line / split.inner * split.n * split.inner + line % split.inner;
    double max = -INFINITY;
    for (int64_t c = 0; c < split.n; ++c) max = std::max(max, first[c * split.inner]);
    double sum = 0;
    for (int64_t c = 0; c < split.n; ++c) sum += std::exp(first[c * split.inner] - max);
    for (int64_t c = 0; c < split.n; ++c) first[c * split.inner] -= max + std::log(sum);
  }
}

struct Losses {
  std::vector<double> each;
  double weight = 0;  // Of all that count.
};

Result<Losses> losses(const EvalContext& in, const std::vector<double>& scores,
                      const AxisSplit& split) {
  const Ints labels = to_ints(in.in(kLabels));
  std::vector<double> weights;
  if (in.has(kWeights)) weights = to_doubles(in.in(kWeights));
  Losses result;
  result.each.resize(labels.size());
  for (size_t i = 0; i < labels.size(); ++i) {
    if (in.has_attr("ignore_index") && labels[i] == in.integer("ignore_index")) continue;
    if (labels[i] < 0 || labels[i] >= split.n) {
      return bad_input("label ", labels[i], " is outside ", split.n, " classes");
    }
    const auto at = static_cast<int64_t>(i);
    const int64_t place = (at / split.inner * split.n + labels[i]) * split.inner + at % split.inner;
    const double weight = weights.empty() ? 1.0 : weights[static_cast<size_t>(labels[i])];
    result.each[i] = -weight * scores[static_cast<size_t>(place)];
    result.weight += weight;
  }
  return result;
}

void store(Tensor& out, const std::vector<double>& values) {
  dispatch_float(out.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto y = out.mutable_data<T>();
    for (size_t i = 0; i < y.size(); ++i) y[i] = T(values[i]);
  });
}

template <bool kFromScores>
Status eval_cross_entropy(EvalContext& in) {
  const AxisSplit split = split_at(in.in(kScores).shape(), 1);
  std::vector<double> scores = to_doubles(in.in(kScores));
  if (kFromScores) log_softmax(scores, split);
  HONE_TRY(Losses loss, losses(in, scores, split));
  const std::string& reduction = in.text("reduction");
  if (reduction != "none") {
    double sum = 0;
    for (const double each : loss.each) sum += each;
    loss.each = {reduction == "mean" ? sum / loss.weight : sum};
  }
  store(in.out(), loss.each);
  if (in.outputs() > 1) store(in.out(1), scores);
  return Done{};
}

std::vector<InputDef> inputs() {
  return {{"scores", kFloat, 'T'}, {"labels", kIndex}, {"weights", kFloat, 'T', kOptional}};
}

std::vector<AttrDef> attrs() {
  return {{"ignore_index", int64_t{0}, kAbsent}, {"reduction", std::string("mean")}};
}

}  // namespace

extern const OpDef op_negative_log_likelihood_loss = {
    .name = "negative_log_likelihood_loss",
    .summary = "Negative log likelihood of labels.",
    .inputs = inputs(),
    .attrs = attrs(),
    .infer = infer_cross_entropy,
    .cost = cost_per_element<1>,
    .eval = eval_cross_entropy<false>,
    .onnx = {{"NegativeLogLikelihoodLoss"}},
    .cases = {"(f32[3,4], i64[3]{0 3 1})"},
};

extern const OpDef op_softmax_cross_entropy_loss = {
    .name = "softmax_cross_entropy_loss",
    .summary = "Cross entropy between the softmax of scores and labels.",
    .inputs = inputs(),
    .attrs = attrs(),
    .max_outputs = 2,
    .infer = infer_cross_entropy,
    .cost = cost_per_element<5>,
    .eval = eval_cross_entropy<true>,
    .onnx = {{"SoftmaxCrossEntropyLoss"}},
    .cases = {"(f32[3,4], i64[3]{0 3 1})"},
};

}  // namespace hone
