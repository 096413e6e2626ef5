// A function of one byte, as the table of its 256 values: y = table[x - smallest x].

#include "hone/ops/common.h"

namespace hone {
namespace {

constexpr DTypeSet kBytes{DType::I8, DType::U8};

Result<std::vector<ValueType>> infer_lookup(const InferContext& in) {
  if (in.type(1).known() && in.type(1).shape != Shape{256}) {
    return bad_input("a table of ", in.type(1), ", expected 256 entries");
  }
  TensorType type = in.type(0);
  type.dtype = in.dtype(1);
  type.quant = nullptr;
  return std::vector<ValueType>{type};
}

Status eval_lookup(EvalContext& in) {
  const Tensor& x = in.in(0);
  const auto table = in.in(1).bytes();
  const auto from = x.bytes();
  const auto to = in.out().mutable_bytes();
  const uint8_t flip = x.dtype() == DType::I8 ? 128 : 0;  // Code -128 is entry 0.
  for (size_t i = 0; i < from.size(); ++i) to[i] = table[static_cast<uint8_t>(from[i]) ^ flip];
  return Done{};
}

}  // namespace

extern const OpDef op_lookup = {
    .name = "lookup",
    .summary = "A function of one 8-bit number, read from a table of its 256 values.",
    .kind = OpKind::Function,
    .inputs = {{"x", kBytes}, {"table", kBytes}},
    .quantized = true,
    .infer = infer_lookup,
    .cost = cost_per_element<1>,
    .eval = eval_lookup,
    .cases = {"i8[2,5]<0.5:0> = (i8[2,5]<0.25:0>, const i8[256])",
              "u8[3,4]<0.5:0> = (u8[3,4]<0.25:0>, const u8[256])"},
};

}  // namespace hone
