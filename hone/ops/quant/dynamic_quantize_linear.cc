// dynamic_quantize_linear(x) -> (y, scale, zero_point): the range of x, widened to hold zero, on
// the 256 steps of uint8:
//     scale = (max - min) / 255, zero_point = saturate(round(-min / scale)),
//     y = saturate(round(x / scale) + zero_point).

#include "hone/ops/common.h"
#include "hone/ops/op_def.h"
#include "hone/ops/quant/rounding.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_dynamic_quantize_linear(const InferContext& in) {
  TensorType y = plain(in.type(0));
  y.dtype = DType::U8;
  return std::vector<ValueType>{std::move(y), TensorType{DType::F32, {}},
                                TensorType{DType::U8, {}}};
}

Status eval_dynamic_quantize_linear(EvalContext& in) {
  const auto x = in.in(0).data<float>();
  float lowest = 0;
  float highest = 0;
  for (const float value : x) {
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
  }
  // Of zeros alone any scale is right; 1 keeps the division defined.
  const float scale = highest == lowest ? 1.0f : (highest - lowest) / 255.0f;
  const auto zero_point = round_and_saturate<uint8_t>(-lowest / scale, 0);
  const auto y = in.out(0).mutable_data<uint8_t>();
  for (size_t i = 0; i < x.size(); ++i) {
    y[i] = round_and_saturate<uint8_t>(x[i] / scale, zero_point);
  }
  in.out(1).mutable_data<float>()[0] = scale;
  in.out(2).mutable_data<uint8_t>()[0] = zero_point;
  return Done{};
}

}  // namespace

extern const OpDef op_dynamic_quantize_linear = {
    .name = "dynamic_quantize_linear",
    .summary = "Quantizes to uint8 by the range of the input.",
    .inputs = {{"x", DTypeSet{DType::F32}}},
    .min_outputs = 3,
    .max_outputs = 3,
    .infer = infer_dynamic_quantize_linear,
    .cost = cost_per_element<5>,
    .eval = eval_dynamic_quantize_linear,
    .onnx = {{"DynamicQuantizeLinear"}},
    .cases = {"?, ?, ? = (f32[2,5])"},
};

}  // namespace hone
