// dequantize_linear(x, scale, zero_point) = (x - zero_point) * scale, of the scale's type.

#include "hone/ops/op_def.h"
#include "hone/ops/quant/qlinear_onnx.h"
#include "hone/ops/quant/scales.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

constexpr DTypeSet kDequantizeLinearFrom =
    DTypeSet{DType::I8, DType::U8, DType::I16, DType::U16, DType::I32} | kSmallInteger | kFloat8 |
    kFloat4;
constexpr DTypeSet kDequantizeLinearTo{DType::F32, DType::F16, DType::BF16};

Result<std::vector<ValueType>> infer_dequantize_linear(const InferContext& in) {
  const DType wanted = in.attr<DType>("output_dtype");
  if (wanted != DType::Undefined && !kDequantizeLinearTo.contains(wanted)) {
    return unsupported("output_dtype ", wanted, ", expected one of ", kDequantizeLinearTo);
  }
  HONE_RETURN_IF_ERROR(check_scales(in));
  TensorType type = plain(in.type(0));
  type.dtype = wanted == DType::Undefined ? in.dtype(1) : wanted;
  return std::vector<ValueType>{type};
}

Status eval_dequantize_linear(EvalContext& in) {
  HONE_TRY(const ScaleMap map, scale_map(in, in.in(0).shape(), in.in(1).shape()));
  const std::vector<double> x = to_doubles(in.in(0));
  const std::vector<double> scale = to_doubles(in.in(1));
  std::vector<double> zeros(scale.size());
  if (in.has(2)) zeros = to_doubles(in.in(2));
  dispatch<float, Half, BFloat16>(in.out_type().tensor.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto y = in.out().template mutable_data<T>();
    for_each_scaled(map, [&](size_t i, size_t s) {
      y[i] = T(static_cast<float>(x[i] - zeros[s]) * static_cast<float>(scale[s]));
    });
  });
  return Done{};
}

}  // namespace

extern const OpDef op_dequantize_linear = {
    .name = "dequantize_linear",
    .summary = "Subtracts a zero point and multiplies by a scale.",
    .kind = OpKind::Conversion,
    .inputs = {{"x", kDequantizeLinearFrom, 'T'},
               {"x_scale", kDequantizeLinearTo},
               {"x_zero_point", kDequantizeLinearFrom, 'T', kOptional}},
    .attrs = {{"axis", int64_t{1}}, {"block_size", int64_t{0}}, {"output_dtype", DType::Undefined}},
    .infer = infer_dequantize_linear,
    .cost = cost_per_element<2>,
    .eval = eval_dequantize_linear,
    .onnx = {{"DequantizeLinear"}, {"DequantizeLinear", nullptr, kOnnxRuntime}},
    .cases = {"(i8[2,3,4], f32[]{0.05}, i8[]{3})",
              "(u8[2,3,4], f32[3]{0.1 0.05 0.02}, u8[3]{128 0 5}) axis=1", "(i32[5], f32[]{0.01})"},
};

}  // namespace hone
