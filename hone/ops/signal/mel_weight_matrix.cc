// Triangular filters that turn a spectrum of dft_length / 2 + 1 bins into mel bins.
//   mel(f) = 2595 log10(1 + f / 700)
// The edges of the triangles lie equally far apart in mel from the lower edge on, num_mel_bins + 2
// of them, each moved down to a whole bin: floor((dft_length + 1) f / sample_rate).

#include <cmath>

#include "hone/ops/common.h"
#include "hone/ops/op_def.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

enum MelInput { kMelBins, kDftLength, kSampleRate, kLowerEdge, kUpperEdge };

constexpr int64_t kLargest = int64_t{1} << 32;

Result<int64_t> scalar_input(const InferContext& in, size_t input) {
  const std::optional<Ints> known = in.known_ints(input);
  if (!known) return kUnknown;
  const std::string_view name = in.op().inputs[input].name;
  if (known->size() != 1) return bad_input(name, " has ", known->size(), " elements, expected one");
  if ((*known)[0] < 1 || (*known)[0] > kLargest) return bad_input(name, " is ", (*known)[0]);
  return (*known)[0];
}

Result<std::vector<ValueType>> infer_mel_weight_matrix(const InferContext& in) {
  const DType dtype = in.attr<DType>("output_datatype");
  if (!kNumeric.contains(dtype)) return unsupported("output of type ", dtype);
  HONE_TRY(const int64_t mel_bins, scalar_input(in, kMelBins));
  HONE_TRY(const int64_t length, scalar_input(in, kDftLength));
  HONE_RETURN_IF_ERROR(scalar_input(in, kSampleRate));
  const int64_t bins = length == kUnknown ? kUnknown : length / 2 + 1;
  return std::vector<ValueType>{ValueType(dtype, {bins, mel_bins})};
}

// The spectrum bins at which the triangles begin, peak and end.
Result<Ints> edges(const EvalContext& in, int64_t count, int64_t bins) {
  for (const MelInput edge : {kLowerEdge, kUpperEdge}) {
    if (in.in(edge).elements() != 1)
      return bad_input(in.op().inputs[edge].name, " is not one number");
  }
  const auto mel = [&](MelInput edge) {
    return 2595 * std::log10(1 + to_doubles(in.in(edge))[0] / 700);
  };
  const double low = mel(kLowerEdge);
  const double step = (mel(kUpperEdge) - low) / static_cast<double>(count);
  const auto length = static_cast<double>(to_ints(in.in(kDftLength))[0]);
  const auto rate = static_cast<double>(to_ints(in.in(kSampleRate))[0]);
  Ints result;
  for (int64_t i = 0; i < count; ++i) {
    const double hertz = 700 * (std::pow(10, (static_cast<double>(i) * step + low) / 2595) - 1);
    const double bin = std::floor((length + 1) * hertz / rate);
    if (!(bin >= 0 && bin < static_cast<double>(bins))) {
      return bad_input("a filter edge at ", hertz, " Hz is outside the spectrum");
    }
    result.push_back(static_cast<int64_t>(bin));
    if (i > 0 && result[static_cast<size_t>(i - 1)] > result.back()) {
      return bad_input("the upper edge is below the lower edge");
    }
  }
  return result;
}

Status eval_mel_weight_matrix(EvalContext& in) {
  const int64_t bins = in.out().shape()[0];
  const int64_t mel_bins = in.out().shape()[1];
  HONE_TRY(const Ints edge, edges(in, mel_bins + 2, bins));
  dispatch_numeric(in.out().dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* y = in.out().template mutable_data<T>().data();
    for (int64_t m = 0; m < mel_bins; ++m) {
      const auto at = static_cast<size_t>(m);
      const int64_t first = edge[at], peak = edge[at + 1], last = edge[at + 2];
      for (int64_t i = first; i < peak; ++i) {
        y[i * mel_bins + m] = T(static_cast<double>(i - first) / static_cast<double>(peak - first));
      }
      y[peak * mel_bins + m] = T(1.0);
      for (int64_t i = peak + 1; i < last; ++i) {
        y[i * mel_bins + m] = T(static_cast<double>(last - i) / static_cast<double>(last - peak));
      }
    }
  });
  return Done{};
}

}  // namespace

extern const OpDef op_mel_weight_matrix = {
    .name = "mel_weight_matrix",
    .summary = "Triangular mel filters as a matrix.",
    .inputs = {{"num_mel_bins", kIndex},
               {"dft_length", kIndex},
               {"sample_rate", kIndex},
               {"lower_edge_hertz", kFloat},
               {"upper_edge_hertz", kFloat}},
    .attrs = {{"output_datatype", DType::F32}},
    .infer = infer_mel_weight_matrix,
    .eval = eval_mel_weight_matrix,
    .onnx = {{"MelWeightMatrix"}},
    .cases = {"(i64[]{4}, i64[]{16}, i64[]{8000}, f32[]{20}, f32[]{4000})"},
};

}  // namespace hone
