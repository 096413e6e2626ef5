// y = a modulo b. With fmod = 0 the result has the sign of b (integers only), else that of a.

#include <algorithm>

#include "hone/ops/elementwise/arithmetic.h"
#include "hone/ops/elementwise/broadcast.h"
#include "hone/ops/elementwise/elementwise_tflite.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_mod(const InferContext& in) {
  if (in.integer("fmod") == 0 && kFloat.contains(in.dtype(0))) {
    return bad_input("floats need fmod = 1");
  }
  return infer_broadcast(in);
}

template <class T>
T modulo(T a, T b, bool sign_of_a) {
  if constexpr (kIsInteger<T>) {
    if constexpr (std::is_signed_v<T>) {
      if (b == T(-1)) return 0;
      const T rest = static_cast<T>(a % b);
      return !sign_of_a && rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
    }
    return static_cast<T>(a % b);
  } else {
    return T(std::fmod(Compute<T>(a), Compute<T>(b)));
  }
}

Status eval_mod(EvalContext& in) {
  if (kInteger.contains(in.in(1).dtype()) && in.out().elements() > 0 &&
      std::ranges::count(to_ints(in.in(1)), 0) > 0) {
    return bad_input("an integer is divided by zero");
  }
  const bool sign_of_a = in.integer("fmod") != 0;
  dispatch_numeric(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    broadcast_pairs<T, T, T>(in.in(0), in.in(1), in.out(),
                             [&](T a, T b) { return modulo(a, b, sign_of_a); });
  });
  return Done{};
}

}  // namespace

extern const OpDef op_mod = {
    .name = "mod",
    .summary = "Rest of a / b.",
    .kind = OpKind::Broadcast,
    .inputs = {{"a", kNumeric, 'T'}, {"b", kNumeric, 'T'}},
    .attrs = {{"fmod", int64_t{0}}},
    .infer = infer_mod,
    .cost = cost_broadcast,
    .eval = eval_mod,
    .onnx = {{"Mod"}},
    .tflite = {{"FLOOR_MOD", import_floor_mod}},
    .cases = {"(i32[2,3], i32[3]{2 -3 5})", "(f32[2,3], f32[]{0.75}) fmod=1"},
};

}  // namespace hone
