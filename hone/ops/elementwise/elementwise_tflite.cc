#include "hone/ops/elementwise/elementwise_tflite.h"

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
  // Stored values would be converted, not what they stand for.
  if (in.in_type(0).quantized() || in.out_type(0).quantized()) {
    return unsupported("a cast of quantized values");
  }
  in.finish("cast", {in.in(0)}, {{"to", in.out_type(0).dtype}});
  return Done{};
}

Status import_rsqrt(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(1, 1));
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

Status import_squared_difference(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(2, 1));
  if (in.in_type(0).quantized()) return unsupported("squared differences of quantized values");
  Value* difference = add_like_output(in, "sub", {in.in(0), in.in(1)});
  in.finish("mul", {difference, difference});
  return Done{};
}

// floor(a / b); integers are divided exactly, so that only floats can go through div.
Status import_floor_div(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(2, 1));
  HONE_RETURN_IF_ERROR(check_float(in));
  Value* quotient = add_like_output(in, "div", {in.in(0), in.in(1)});
  in.finish("floor", {quotient});
  return Done{};
}

// The result has the sign of the divisor, as that of ONNX's Mod has for integers.
Status import_floor_mod(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(2, 1));
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

// Without broadcasting, but a condition of rank 1 may choose whole rows.
Status import_select(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(3, 1));
  const TensorType& condition = in.in_type(0);
  const TensorType& a = in.in_type(1);
  if (!condition.ranked || !a.ranked || condition.rank() != a.rank()) {
    return unsupported("a condition of ", condition, " for ", a);
  }
  in.finish("where", {in.in(0), in.in(1), in.in(2)});
  return Done{};
}

}  // namespace hone
