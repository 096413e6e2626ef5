// y = a to the power of b, of a's type. Integer powers of integers are exact modulo 2^bits;
// everything else is computed in double.

#include <algorithm>
#include <cmath>

#include "hone/ops/elementwise/arithmetic.h"
#include "hone/ops/elementwise/broadcast.h"
#include "hone/ops/tflite_import.h"

namespace hone {
namespace {

int64_t integer_power(int64_t base, uint64_t exponent) {
  int64_t result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result = multiply(result, base);
    base = multiply(base, base);
  }
  return result;
}

// 1 / base^-exponent, cut towards zero. Requires base != 0.
int64_t inverse_power(int64_t base, int64_t exponent) {
  if (base == 1) return 1;
  if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  return 0;
}

Status integer_eval(EvalContext& in) {
  const Tensor& a = in.in(0);
  const bool is_unsigned = in.in(1).dtype() == DType::U64;
  const std::vector<int64_t> exponents = to_ints(in.in(1));
  const Tensor b = Tensor::of(in.in(1).shape(), exponents);
  const bool negative =
      !is_unsigned && std::ranges::any_of(exponents, [](int64_t e) { return e < 0; });
  if (negative && std::ranges::count(to_ints(a), 0) > 0) {
    return bad_input("zero to a negative integer power");
  }
  dispatch<int32_t, int64_t>(a.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    broadcast_pairs<T, int64_t, T>(a, b, in.out(), [&](T x, int64_t e) {
      if (e < 0 && !is_unsigned) return static_cast<T>(inverse_power(x, e));
      return static_cast<T>(integer_power(x, static_cast<uint64_t>(e)));
    });
  });
  return Done{};
}

Status eval_pow(EvalContext& in) {
  const Tensor& a = in.in(0);
  if (kInteger.contains(a.dtype()) && kInteger.contains(in.in(1).dtype())) {
    return integer_eval(in);
  }
  const Tensor b = Tensor::of(in.in(1).shape(), to_doubles(in.in(1)));
  dispatch<float, double, Half, BFloat16, int32_t, int64_t>(a.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    broadcast_pairs<T, double, T>(a, b, in.out(), [](T x, double e) {
      const double power = std::pow(static_cast<double>(x), e);
      if constexpr (kIsInteger<T>) {
        return saturate_to<T>(power);
      } else {
        return static_cast<T>(power);
      }
    });
  });
  return Done{};
}

}  // namespace

extern const OpDef op_pow = {
    .name = "pow",
    .summary = "a to the power of b.",
    .kind = OpKind::Broadcast,
    .inputs = {{"a", kFloat | kIndex}, {"b", kNumeric}},
    .infer = infer_broadcast,
    .cost = cost_broadcast,
    .eval = eval_pow,
    .onnx = {{"Pow", upgrade_broadcast}},
    .tflite = {{"POW", import_as<"pow">}},
    .cases = {"(f32[2,3], f32[]{2})", "(f32[2,3], f32[3]{2 3 1})"},
};

}  // namespace hone
