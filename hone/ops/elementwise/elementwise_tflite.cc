#include "hone/ops/elementwise/elementwise_tflite.h"

#include <cmath>

#include "hone/ops/quant/integer.h"

namespace hone {
namespace {

Status check_float(const TfliteImport& in) {
  if (in.in_type(0).dtype == DType::F32) return Done{};
  return unsupported("elements of ", in.in_type(0).dtype, ", expected f32");
}

// Quantized activations may change the scale, which a requantize does; it also cuts.
Status import_clamp(TfliteImport& in, std::string activation, float low, float high) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  if (in.in_type(0).quantized()) {
    in.finish("requantize", {in.in(0)}, {{"activation", std::move(activation)}});
    return Done{};
  }
  HONE_RETURN_IF_ERROR(check_float(in));
  in.finish("clip", {in.in(0), in.add_constant(Tensor::scalar(low)),
                     in.add_constant(Tensor::scalar(high))});
  return Done{};
}

// The type of an intermediate that is as the output, whose inputs are plain numbers.
Value* add_like_output(TfliteImport& in, std::string_view op_name, std::vector<Value*> from) {
  return in.add(op_name, std::move(from), in.out_type(0));
}

// A relu, and no more than the number that stands for 1.
Status import_quantized_relu_0_to_1(TfliteImport& in) {
  const TensorType& out = in.out_type(0);
  if (!out.quantized() || !DTypeSet{DType::I8, DType::U8}.contains(out.dtype)) {
    return unsupported("RELU_0_TO_1 of quantized ", in.in_type(0).dtype, " to ", out.dtype);
  }
  const float steps = std::min(std::round(1.0f / out.quant->scale()), 255.0f);
  const int32_t one = range_of(out.dtype).clamp(out.quant->zero_point() + int64_t(steps));
  Tensor limit(TensorType{out.dtype, {}, out.quant});
  limit.mutable_bytes()[0] = static_cast<std::byte>(one);
  Value* above = in.add("requantize", {in.in(0)}, out, {{"activation", std::string("relu")}});
  in.finish("min", {above, in.add_constant(std::move(limit))});
  return Done{};
}

}  // namespace

Status import_relu(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  if (in.in_type(0).quantized()) {
    in.finish("requantize", {in.in(0)}, {{"activation", std::string("relu")}});
  } else {
    in.finish("relu", {in.in(0)});
  }
  return Done{};
}

Status import_relu6(TfliteImport& in) {
  return import_clamp(in, "relu6", 0, 6);
}

Status import_relu_n1_to_1(TfliteImport& in) {
  return import_clamp(in, "relu_n1_to_1", -1, 1);
}

Status import_relu_0_to_1(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  if (in.in_type(0).quantized()) return import_quantized_relu_0_to_1(in);
  HONE_RETURN_IF_ERROR(check_float(in));
  in.finish("clip", {in.in(0), in.add_constant(Tensor::scalar(0.0f)),
                     in.add_constant(Tensor::scalar(1.0f))});
  return Done{};
}

Status import_leaky_relu(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  in.finish("leaky_relu", {in.in(0)}, {{"alpha", in.option<double>("alpha", 0)}});
  return Done{};
}

Status import_gelu(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  const bool approximate = in.option<bool>("approximate", false);
  in.finish("gelu", {in.in(0)}, {{"approximate", std::string(approximate ? "tanh" : "none")}});
  return Done{};
}

Status import_cast(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  in.finish("cast", {in.in(0)}, {{"to", in.out_type(0).dtype}});
  return Done{};
}

// ONNX has no such operator: floats are left to two of its own.
Status import_rsqrt(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  if (in.in_type(0).quantized()) {
    in.finish("rsqrt", {in.in(0)});
    return Done{};
  }
  HONE_RETURN_IF_ERROR(check_float(in));
  Value* root = add_like_output(in, "sqrt", {in.in(0)});
  in.finish("reciprocal", {root});
  return Done{};
}

Status import_square(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  HONE_RETURN_IF_ERROR(check_float(in));
  in.finish("mul", {in.in(0), in.in(0)});
  return Done{};
}

// As with rsqrt.
Status import_squared_difference(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(2, 1));
  if (in.in_type(0).quantized()) {
    in.finish("squared_difference", {in.in(0), in.in(1)});
    return Done{};
  }
  Value* difference = add_like_output(in, "sub", {in.in(0), in.in(1)});
  in.finish("mul", {difference, difference});
  return Done{};
}

namespace {

// One less than the quotient cut towards zero where the rests of the two kinds differ.
void finish_integer_floor_div(TfliteImport& in) {
  const std::vector<Value*> operands{in.in(0), in.in(1)};
  TensorType truth = in.out_type(0);
  truth.dtype = DType::Bool;
  Value* quotient = add_like_output(in, "div", operands);
  Value* rest = in.add("mod", operands, in.out_type(0), {{"fmod", int64_t{1}}});
  Value* floor_rest = add_like_output(in, "mod", operands);
  Value* same = in.add("equal", {rest, floor_rest}, truth);
  Value* differs = in.add("not", {same}, truth);
  Value* one = in.add("cast", {differs}, in.out_type(0), {{"to", in.out_type(0).dtype}});
  in.finish("sub", {quotient, one});
}

// The rest with the sign of a, plus b where that is not b's.
void finish_float_floor_mod(TfliteImport& in) {
  TensorType truth = in.out_type(0);
  truth.dtype = DType::Bool;
  Value* zero = in.add_constant(Tensor::scalar(0.0f));
  Value* rest = in.add("mod", {in.in(0), in.in(1)}, in.out_type(0), {{"fmod", int64_t{1}}});
  Value* none = in.add("equal", {rest, zero}, truth);
  Value* some = in.add("not", {none}, truth);
  Value* below = in.add("less", {rest, zero}, truth);
  Value* divisor_below = in.add("less", {in.in(1), zero}, truth);
  Value* differ = in.add("xor", {below, divisor_below}, truth);
  Value* moves = in.add("and", {some, differ}, truth);
  Value* moved = add_like_output(in, "add", {rest, in.in(1)});
  in.finish("where", {moves, moved, rest});
}

}  // namespace

// floor(a / b).
Status import_floor_div(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(2, 1));
  if (in.in_type(0).dtype == DType::I32 && !in.in_type(0).quantized()) {
    finish_integer_floor_div(in);
    return Done{};
  }
  HONE_RETURN_IF_ERROR(check_float(in));
  Value* quotient = add_like_output(in, "div", {in.in(0), in.in(1)});
  in.finish("floor", {quotient});
  return Done{};
}

// The result has the sign of the divisor, as that of ONNX's Mod has for integers.
Status import_floor_mod(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(2, 1));
  if (in.in_type(0).dtype == DType::F32) {
    finish_float_floor_mod(in);
    return Done{};
  }
  if (!kInteger.contains(in.in_type(0).dtype) || in.in_type(0).quantized()) {
    return unsupported("FLOOR_MOD of ", in.in_type(0).dtype);
  }
  in.finish("mod", {in.in(0), in.in(1)});
  return Done{};
}

Status import_not_equal(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(2, 1));
  Value* equal = add_like_output(in, "equal", {in.in(0), in.in(1)});
  in.finish("not", {equal});
  return Done{};
}

// Without broadcasting, but a condition of rank 0 chooses everything and one of rank 1 whole rows.
Status import_select(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(3, 1));
  const TensorType& condition = in.in_type(0);
  const TensorType& a = in.in_type(1);
  const bool fits = condition.ranked && a.ranked &&
                    (condition.rank() == a.rank() || (condition.rank() <= 1 && a.rank() >= 1));
  if (!fits) return unsupported("a condition of ", condition, " for ", a);
  Value* chosen = in.in(0);
  if (condition.rank() == 1 && a.rank() > 1) {
    TensorType rows = condition;
    rows.shape.resize(a.shape.size(), 1);
    Ints axes;
    for (int64_t i = 1; i < a.rank(); ++i) axes.push_back(i);
    chosen = in.add("unsqueeze", {chosen, in.add_constant(Tensor::of_ints(axes))}, rows);
  }
  in.finish("where", {chosen, in.in(1), in.in(2)});
  return Done{};
}

// In the order of the inputs.
Status import_add_n(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
  if (in.in_type(0).quantized()) return unsupported("quantized values");
  for (size_t i = 0; i < in.inputs(); ++i) {
    if (!in.has(i)) return bad_input("input ", i, " is left out");
  }
  Value* sum = in.in(0);
  for (size_t i = 1; i < in.inputs(); ++i) sum = add_like_output(in, "add", {sum, in.in(i)});
  in.set_output(0, sum);
  return Done{};
}

}  // namespace hone
