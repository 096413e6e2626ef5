// quantize_linear(x, scale, zero_point) = saturate(round(x / scale) + zero_point), ties to even. To
// 8-bit floats: x / scale rounded to the format, which the attribute `saturate` keeps finite.

#include <algorithm>

#include "hone/ops/op_def.h"
#include "hone/ops/quant/qlinear_onnx.h"
#include "hone/ops/quant/rounding.h"
#include "hone/ops/quant/scales.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

constexpr DTypeSet kQuantizeLinearTo =
    DTypeSet{DType::I8, DType::U8, DType::I16, DType::U16} | kSmallInteger | kFloat8 | kFloat4;
constexpr DTypeSet kQuantizeLinearFrom{DType::F32, DType::F16, DType::BF16, DType::I32};
// TensorProto's number of float: the one value of `precision` that differs from the default here.
constexpr int64_t kOnnxFloat = 1;

Result<DType> wanted_dtype(const InferContext& in) {
  const DType wanted = in.attr<DType>("output_dtype");
  if (!in.has(2)) return wanted == DType::Undefined ? DType::U8 : wanted;
  if (wanted != DType::Undefined && in.dtype(2) != DType::Undefined && wanted != in.dtype(2)) {
    return bad_input("output_dtype is ", wanted, ", but the zero point is of type ", in.dtype(2));
  }
  return in.dtype(2);
}

Result<std::vector<ValueType>> infer_quantize_linear(const InferContext& in) {
  HONE_TRY(const DType dtype, wanted_dtype(in));
  if (dtype != DType::Undefined && !kQuantizeLinearTo.contains(dtype)) {
    return unsupported("output_dtype ", dtype, ", expected one of ", kQuantizeLinearTo);
  }
  if (in.integer("precision") != 0 && in.integer("precision") != kOnnxFloat) {
    return unsupported("precision ", in.integer("precision"), " of the division");
  }
  HONE_RETURN_IF_ERROR(check_scales(in));
  TensorType type = plain(in.type(0));
  type.dtype = dtype;
  return std::vector<ValueType>{type};
}

// x / scale, in the precision of the scale's type.
std::vector<float> quotients(EvalContext& in, const ScaleMap& map) {
  const std::vector<double> x = to_doubles(in.in(0));
  const std::vector<double> scale = to_doubles(in.in(1));
  const DType dtype = in.in(1).dtype();
  const bool wide = in.integer("precision") == kOnnxFloat;
  std::vector<float> result(x.size());
  for_each_scaled(map, [&](size_t i, size_t s) {
    float quotient = static_cast<float>(x[i]) / static_cast<float>(scale[s]);
    if (!wide && dtype == DType::F16) quotient = Half(quotient);
    if (!wide && dtype == DType::BF16) quotient = BFloat16(quotient);
    result[i] = quotient;
  });
  return result;
}

const Float8Format& format_of(DType dtype) {
  switch (dtype) {
    case DType::F8E4M3FN:
      return kE4M3FN;
    case DType::F8E4M3FNUZ:
      return kE4M3FNUZ;
    case DType::F8E5M2:
      return kE5M2;
    default:
      return kE5M2FNUZ;
  }
}

void to_float8(EvalContext& in, const std::vector<float>& values) {
  const Float8Format& format = format_of(in.out_type().tensor.dtype);
  const bool saturate = in.integer("saturate") != 0;
  const std::span<std::byte> y = in.out().mutable_bytes();
  for (size_t i = 0; i < values.size(); ++i) {
    y[i] = static_cast<std::byte>(f32_to_f8(values[i], format, saturate));
  }
}

void to_float4(EvalContext& in, const std::vector<float>& values) {
  std::vector<int8_t> codes(values.size());
  std::ranges::transform(values, codes.begin(),
                         [](float value) { return static_cast<int8_t>(f32_to_f4(value)); });
  in.set(0, pack_small(in.out_type().tensor, codes));
}

void to_small_integer(EvalContext& in, const std::vector<int64_t>& zeros, const ScaleMap& map,
                      const std::vector<float>& values) {
  const DType dtype = in.out_type().tensor.dtype;
  const int64_t count = int64_t{1} << bits_of(dtype);
  const int64_t low = dtype == DType::I2 || dtype == DType::I4 ? -count / 2 : 0;
  std::vector<int8_t> y(values.size());
  for_each_scaled(map, [&](size_t i, size_t s) {
    y[i] = static_cast<int8_t>(round_and_saturate(values[i], zeros[s], low, low + count - 1));
  });
  in.set(0, pack_small(in.out_type().tensor, y));
}

Status eval_quantize_linear(EvalContext& in) {
  HONE_TRY(const ScaleMap map, scale_map(in, in.in(0).shape(), in.in(1).shape()));
  const std::vector<float> values = quotients(in, map);
  const DType dtype = in.out_type().tensor.dtype;
  if (kFloat8.contains(dtype)) {
    to_float8(in, values);
    return Done{};
  }
  if (kFloat4.contains(dtype)) {
    to_float4(in, values);
    return Done{};
  }
  std::vector<int64_t> zeros(static_cast<size_t>(in.in(1).elements()));
  if (in.has(2)) zeros = to_ints(in.in(2));
  if (kSmallInteger.contains(dtype)) {
    to_small_integer(in, zeros, map, values);
    return Done{};
  }
  dispatch<int8_t, uint8_t, int16_t, uint16_t>(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto y = in.out().template mutable_data<T>();
    for_each_scaled(map,
                    [&](size_t i, size_t s) { y[i] = round_and_saturate<T>(values[i], zeros[s]); });
  });
  return Done{};
}

}  // namespace

extern const OpDef op_quantize_linear = {
    .name = "quantize_linear",
    .summary = "Divides by a scale, rounds and adds a zero point.",
    .kind = OpKind::Conversion,
    .inputs = {{"x", kQuantizeLinearFrom},
               {"y_scale", DTypeSet{DType::F32, DType::F16, DType::BF16, DType::I32}},
               {"y_zero_point", kQuantizeLinearTo, 0, kOptional}},
    .attrs = {{"axis", int64_t{1}},
              {"block_size", int64_t{0}},
              {"output_dtype", DType::Undefined},
              {"precision", int64_t{0}},
              {"saturate", int64_t{1}}},
    .infer = infer_quantize_linear,
    .cost = cost_per_element<3>,
    .eval = eval_quantize_linear,
    .onnx = {{"QuantizeLinear"},
             {"QuantizeLinear", nullptr, kOnnxRuntime},
             {"QLinearAdd", import_qlinear_add, kOnnxRuntime},
             {"QLinearMul", import_qlinear_mul, kOnnxRuntime},
             {"QLinearSigmoid", import_qlinear_sigmoid, kOnnxRuntime},
             {"QLinearLeakyRelu", import_qlinear_leaky_relu, kOnnxRuntime},
             {"QLinearSoftmax", import_qlinear_softmax, kOnnxRuntime},
             {"QLinearAveragePool", import_qlinear_average_pool, kOnnxRuntime},
             {"QLinearGlobalAveragePool", import_qlinear_global_average_pool, kOnnxRuntime},
             {"QLinearConcat", import_qlinear_concat, kOnnxRuntime},
             {"QGemm", import_qgemm, kOnnxRuntime}},
    .cases = {"(f32[2,3,4], f32[]{0.05}, i8[]{3})",
              "(f32[2,3,4], f32[3]{0.1 0.05 0.02}, u8[3]{128 0 5}) axis=1",
              "(f32[5], f32[]{0.01}, i16[]{0})"},
};

}  // namespace hone
