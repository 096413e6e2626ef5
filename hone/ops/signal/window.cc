// Window functions of n = 0 .. size - 1 with N = size, or size - 1 when not periodic.
//   hann      0.5 - 0.5 cos(2 pi n / N)
//   hamming   25/46 - 21/46 cos(2 pi n / N)
//   blackman  0.42 - 0.5 cos(2 pi n / N) + 0.08 cos(4 pi n / N)
// A window of one point that is not periodic is 1.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "hone/ops/common.h"
#include "hone/ops/op_def.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

// Of a sum of cosines: a0 - a1 cos + a2 cos of the doubled angle.
struct Coefficients {
  double a0, a1, a2;
};
constexpr Coefficients kHann{0.5, 0.5, 0};
constexpr Coefficients kHamming{25.0 / 46, 21.0 / 46, 0};
constexpr Coefficients kBlackman{0.42, 0.5, 0.08};

Result<std::vector<ValueType>> infer_window(const InferContext& in) {
  const DType dtype = in.attr<DType>("output_datatype");
  if (!kNumeric.contains(dtype)) return unsupported("output of type ", dtype);
  const std::optional<Ints> size = in.known_ints(0);
  if (!size) return std::vector<ValueType>{ValueType(dtype, {kUnknown})};
  if (size->size() != 1 || (*size)[0] < 0)
    return bad_input("size is [", join(*size), "], expected one extent");
  return std::vector<ValueType>{ValueType(dtype, {(*size)[0]})};
}

template <const Coefficients& kOf>
Status eval_window(EvalContext& in) {
  dispatch_numeric(in.out_type().tensor.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto y = in.out().mutable_data<T>();
    const size_t points = in.integer("periodic") != 0 ? y.size() : y.size() - 1;
    for (size_t n = 0; n < y.size(); ++n) {
      const double turn =
          2 * std::numbers::pi * static_cast<double>(n) / static_cast<double>(points);
      const double value = kOf.a0 - kOf.a1 * std::cos(turn) + kOf.a2 * std::cos(2 * turn);
      // A tiny negative number where it should be zero would wrap an unsigned type.
      y[n] = T(points == 0 ? 1.0 : std::max(value, 0.0));
    }
  });
  return Done{};
}

template <const Coefficients& kOf>
OpDef window(std::string_view name, std::string_view onnx, std::string_view summary) {
  return {
      .name = name,
      .summary = summary,
      .inputs = {{"size", kIndex}},
      .attrs = {{"output_datatype", DType::F32}, {"periodic", int64_t{1}}},
      .infer = infer_window,
      .eval = eval_window<kOf>,
      .onnx = {{onnx}},
      .cases = {"(i64[]{8})", "(i64[]{8}) periodic=0"},
  };
}

}  // namespace

extern const OpDef op_blackman_window =
    window<kBlackman>("blackman_window", "BlackmanWindow", "Blackman window.");
extern const OpDef op_hamming_window =
    window<kHamming>("hamming_window", "HammingWindow", "Hamming window.");
extern const OpDef op_hann_window = window<kHann>("hann_window", "HannWindow", "Hann window.");

}  // namespace hone
