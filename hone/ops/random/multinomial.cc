// Draws sample_size classes for each row of unnormalised log probabilities [batch, classes].

#include <algorithm>
#include <cmath>

#include "hone/ops/common.h"
#include "hone/ops/random/random.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_multinomial(const InferContext& in) {
  const DType dtype = in.attr<DType>("dtype");
  if (!kIndex.contains(dtype))
    return unsupported("output of type ", dtype, ", expected i32 or i64");
  const int64_t samples = in.integer("sample_size");
  if (samples < 0) return bad_input("sample_size is ", samples);
  const TensorType& x = in.type(0);
  if (!x.ranked) return std::vector<ValueType>{ValueType(dtype, {kUnknown, samples})};
  if (x.rank() != 2) return bad_input("input is ", x, ", expected [batch,classes]");
  if (x.shape[1] == 0) return bad_input("input is ", x, ", expected one class or more");
  return std::vector<ValueType>{ValueType(dtype, {x.shape[0], samples})};
}

// The running sums of exp(x), scaled so that the largest term is 1.
std::vector<double> cumulated(std::span<const double> row) {
  const double max = std::ranges::max(row);
  std::vector<double> sums;
  double sum = 0;
  for (const double x : row) sums.push_back(sum += std::exp(x - max));
  return sums;
}

Status eval_multinomial(EvalContext& in) {
  std::mt19937_64 generator = generator_of(in);
  const std::vector<double> x = to_doubles(in.in(0));
  const auto classes = static_cast<size_t>(in.in(0).shape()[1]);
  const auto samples = static_cast<size_t>(in.integer("sample_size"));
  Ints drawn;
  for (size_t row = 0; row < x.size() / classes; ++row) {
    const std::vector<double> sums = cumulated(std::span(x).subspan(row * classes, classes));
    if (!std::isfinite(sums.back())) return bad_input("row ", row, " has no probabilities");
    for (size_t i = 0; i < samples; ++i) {
      const auto found = std::ranges::upper_bound(sums, uniform(generator) * sums.back());
      drawn.push_back(std::min<int64_t>(found - sums.begin(), static_cast<int64_t>(classes) - 1));
    }
  }
  Tensor& out = in.out();
  for (size_t i = 0; i < drawn.size(); ++i) {
    if (out.dtype() == DType::I64) {
      out.mutable_data<int64_t>()[i] = drawn[i];
    } else {
      out.mutable_data<int32_t>()[i] = static_cast<int32_t>(drawn[i]);
    }
  }
  return Done{};
}

}  // namespace

extern const OpDef op_multinomial = {
    .name = "multinomial",
    .summary = "Classes drawn from log probabilities.",
    .inputs = {{"x", kFloat}},
    .attrs = {{"dtype", DType::I32}, {"sample_size", int64_t{1}}, seed_attr()},
    .random = true,
    .infer = infer_multinomial,
    .eval = eval_multinomial,
    .onnx = {{"Multinomial"}},
};

}  // namespace hone
