// The bits of each element, taken for another type of as many bits.

#include "hone/ops/common.h"
#include "hone/ops/op_def.h"

namespace hone {
namespace {

constexpr DTypeSet kBitCastTypes = kNumeric | kFloat8 | kFloat4 | kSmallInteger | kBoolean;

Result<std::vector<ValueType>> infer_bit_cast(const InferContext& in) {
  const DType to = in.attr<DType>("to");
  if (!kBitCastTypes.contains(to)) return unsupported("bits taken for ", to);
  const DType from = in.dtype(0);
  if (from != DType::Undefined && bits_of(from) != bits_of(to)) {
    return bad_input(bits_of(from), " bits of ", from, " taken for ", to);
  }
  TensorType type = plain(in.type(0));
  type.dtype = to;
  return std::vector<ValueType>{type};
}

Status eval_bit_cast(EvalContext& in) {
  const auto from = in.in(0).bytes();
  const auto to = in.out().mutable_bytes();
  for (size_t i = 0; i < to.size(); ++i) {
    to[i] = from[i];
    // C++ knows no other bools than these.
    if (in.out().dtype() == DType::Bool) to[i] = std::byte{from[i] != std::byte{0}};
  }
  return Done{};
}

}  // namespace

extern const OpDef op_bit_cast = {
    .name = "bit_cast",
    .summary = "The bits of elements, taken for another type of as many.",
    .inputs = {{"x", kBitCastTypes}},
    .attrs = {{"to", DType::Undefined, kRequired}},
    .infer = infer_bit_cast,
    .eval = eval_bit_cast,
    .onnx = {{"BitCast", nullptr, "", 26}},
    .cases = {"(f32[2,3]) to=i32"},
};

}  // namespace hone
