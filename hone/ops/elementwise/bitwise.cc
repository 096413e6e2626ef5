// Operations on the bits of integers.

#include <functional>
#include <limits>

#include "hone/ops/elementwise/broadcast.h"
#include "hone/ops/tflite_import.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

template <class Fn>
Status eval_bitwise(EvalContext& in) {
  dispatch_integer(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    broadcast_pairs<T, T, T>(in.in(0), in.in(1), in.out(),
                             [](T a, T b) { return static_cast<T>(Fn()(a, b)); });
  });
  return Done{};
}

Status eval_not_bitwise(EvalContext& in) {
  dispatch_integer(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto x = in.in(0).data<T>();
    const auto y = in.out().template mutable_data<T>();
    for (size_t i = 0; i < x.size(); ++i) y[i] = static_cast<T>(~x[i]);
  });
  return Done{};
}

template <class Fn>
OpDef bitwise(std::string_view name, std::string_view onnx, std::string_view summary,
              std::vector<TfliteRule> tflite = {}) {
  return {
      .name = name,
      .summary = summary,
      .kind = OpKind::Broadcast,
      .inputs = {{"a", kInteger, 'T'}, {"b", kInteger, 'T'}},
      .infer = infer_broadcast,
      .cost = cost_broadcast,
      .eval = eval_bitwise<Fn>,
      .onnx = {{onnx}},
      .tflite = std::move(tflite),
      .cases = {"(u8[2,3], u8[3])"},
  };
}

Result<std::vector<ValueType>> infer_shift(const InferContext& in) {
  const std::string& direction = in.text("direction");
  if (direction != "LEFT" && direction != "RIGHT") {
    return bad_input("direction is '", direction, "', expected LEFT or RIGHT");
  }
  return infer_broadcast(in);
}

// Shifting by the width or more leaves nothing.
Status eval_shift(EvalContext& in) {
  const bool left = in.text("direction") == "LEFT";
  dispatch<uint8_t, uint16_t, uint32_t, uint64_t>(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    broadcast_pairs<T, T, T>(in.in(0), in.in(1), in.out(), [&](T a, T b) {
      if (b >= std::numeric_limits<T>::digits) return T{0};
      return static_cast<T>(left ? uint64_t{a} << b : uint64_t{a} >> b);
    });
  });
  return Done{};
}

}  // namespace

extern const OpDef op_bitwise_and =
    bitwise<std::bit_and<>>("bitwise_and", "BitwiseAnd", "Bits that both have.");
extern const OpDef op_bitwise_or =
    bitwise<std::bit_or<>>("bitwise_or", "BitwiseOr", "Bits that one or both have.");
extern const OpDef op_bitwise_xor =
    bitwise<std::bit_xor<>>("bitwise_xor", "BitwiseXor", "Bits that just one has.",
                            {{"BITWISE_XOR", import_as<"bitwise_xor">}});
extern const OpDef op_bitwise_not = {
    .name = "bitwise_not",
    .summary = "Every bit inverted.",
    .kind = OpKind::Function,
    .inputs = {{"x", kInteger}},
    .infer = infer_same,
    .cost = cost_per_element<1>,
    .eval = eval_not_bitwise,
    .onnx = {{"BitwiseNot"}},
    .cases = {"(u8[2,7])", "(i32[5])"},
};
extern const OpDef op_bit_shift = {
    .name = "bit_shift",
    .summary = "Bits shifted left or right by a number of places.",
    .kind = OpKind::Broadcast,
    .inputs = {{"x", kUnsigned, 'T'}, {"places", kUnsigned, 'T'}},
    .attrs = {{"direction", std::string(), kRequired}},
    .infer = infer_shift,
    .cost = cost_broadcast,
    .eval = eval_shift,
    .onnx = {{"BitShift"}},
    .cases = {"(u8[2,3], const u8[2,3]) direction=\"RIGHT\"",
              "(u32[2,3], u32[]{3}) direction=\"LEFT\""},
};

}  // namespace hone
