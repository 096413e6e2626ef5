// matmul_integer: a matrix product of 8-bit integers less their zero points, in int32.
// qlinear_matmul: y = saturate(round(product * (a_scale * b_scale / y_scale)) + y_zero_point).
// Parameters are one number, or one per row (of a and y) or column (of b), or of as many axes as
// the operand, broadcasting to it.

#include "hone/ops/matmul/batch_product.h"
#include "hone/ops/op_def.h"
#include "hone/ops/quant/centered.h"
#include "hone/ops/quant/rounding.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

constexpr DTypeSet kBytes{DType::I8, DType::U8};

enum class Along { Rows, Columns };

// The parameter's shape in a form that broadcasts to the operand.
Shape aligned(const Shape& parameter, Along along) {
  if (parameter.size() != 1 || parameter[0] == 1) {
    return parameter.size() == 1 ? Shape{} : parameter;
  }
  return along == Along::Rows ? Shape{parameter[0], 1} : parameter;
}

Status check_parameter(const InferContext& in, size_t input, Along along, const TensorType& of) {
  if (!in.has(input) || !in.type(input).known() || !of.known()) return Done{};
  const Shape shape = aligned(in.type(input).shape, along);
  const auto both = broadcast(of.shape, shape);
  if (both.ok() && *both == of.shape) return Done{};
  return bad_input(in.op().inputs[input].name, " of shape ", text_of(in.type(input).shape),
                   " does not broadcast to ", text_of(of.shape));
}

std::vector<uint32_t> centered_input(EvalContext& in, size_t input, size_t zero, Along along) {
  if (!in.has(zero)) return centered(in.in(input), nullptr, {});
  return centered(in.in(input), &in.in(zero), aligned(in.in(zero).shape(), along));
}

namespace plain_integer {

Result<std::vector<ValueType>> infer(const InferContext& in) {
  HONE_RETURN_IF_ERROR(check_parameter(in, 2, Along::Rows, in.type(0)));
  HONE_RETURN_IF_ERROR(check_parameter(in, 3, Along::Columns, in.type(1)));
  HONE_TRY(const TensorType type, product_type(in, DType::I32, 0, 1));
  return std::vector<ValueType>{type};
}

Cost cost(const InferContext& in) {
  return product_cost(in, 0, 1);
}

Status eval(EvalContext& in) {
  const auto a = centered_input(in, 0, 2, Along::Rows);
  const auto b = centered_input(in, 1, 3, Along::Columns);
  const BatchProduct product(in.in(0).shape(), in.in(1).shape());
  product.run(a.data(), b.data(), mutable_raw<uint32_t>(in.out()));
  return Done{};
}

}  // namespace plain_integer

namespace qlinear {

constexpr size_t kA = 0, kAScale = 1, kAZero = 2, kB = 3, kBScale = 4, kBZero = 5, kYScale = 6,
                 kYZero = 7;

Result<std::vector<ValueType>> infer(const InferContext& in) {
  HONE_TRY(const TensorType y, product_type(in, in.dtype(kYZero), kA, kB));
  HONE_RETURN_IF_ERROR(check_parameter(in, kAZero, Along::Rows, in.type(kA)));
  HONE_RETURN_IF_ERROR(check_parameter(in, kBZero, Along::Columns, in.type(kB)));
  HONE_RETURN_IF_ERROR(check_parameter(in, kAScale, Along::Rows, y));
  HONE_RETURN_IF_ERROR(check_parameter(in, kBScale, Along::Columns, y));
  HONE_RETURN_IF_ERROR(check_parameter(in, kYScale, Along::Rows, y));
  HONE_RETURN_IF_ERROR(check_parameter(in, kYZero, Along::Rows, y));
  return std::vector<ValueType>{y};
}

Cost cost(const InferContext& in) {
  return product_cost(in, kA, kB);
}

template <class T>
void requantize(EvalContext& in, const std::vector<uint32_t>& sums) {
  const Shape& shape = in.out().shape();
  const auto strides = [&](size_t input, Along along) {
    return broadcast_strides(aligned(in.in(input).shape(), along), shape);
  };
  const std::vector<double> a_scale = to_doubles(in.in(kAScale));
  const std::vector<double> b_scale = to_doubles(in.in(kBScale));
  const std::vector<double> y_scale = to_doubles(in.in(kYScale));
  const std::vector<int64_t> y_zero = to_ints(in.in(kYZero));
  const auto y = in.out().mutable_data<T>();
  IndexWalk walk(shape, {strides(kAScale, Along::Rows), strides(kBScale, Along::Columns),
                         strides(kYScale, Along::Rows), strides(kYZero, Along::Rows)});
  for (size_t i = 0; !walk.done(); walk.next(), ++i) {
    const auto at = [&](const auto& values, size_t which) {
      return values[static_cast<size_t>(walk.offset(which))];
    };
    const float scale = static_cast<float>(at(a_scale, 0)) * static_cast<float>(at(b_scale, 1)) /
                        static_cast<float>(at(y_scale, 2));
    const auto sum = static_cast<float>(static_cast<int32_t>(sums[i]));
    y[i] = round_and_saturate<T>(sum * scale, at(y_zero, 3));
  }
}

Status eval(EvalContext& in) {
  const auto a = centered_input(in, kA, kAZero, Along::Rows);
  const auto b = centered_input(in, kB, kBZero, Along::Columns);
  std::vector<uint32_t> sums(static_cast<size_t>(in.out().elements()));
  const BatchProduct product(in.in(kA).shape(), in.in(kB).shape());
  product.run(a.data(), b.data(), sums.data());
  dispatch<int8_t, uint8_t>(in.in(kYZero).dtype(),
                            [&](auto tag) { requantize<typename decltype(tag)::type>(in, sums); });
  return Done{};
}

}  // namespace qlinear
}  // namespace

extern const OpDef op_matmul_integer = {
    .name = "matmul_integer",
    .summary = "Matrix product of 8-bit integers with an int32 result.",
    .inputs = {{"a", kBytes, 'A'},
               {"b", kBytes, 'B'},
               {"a_zero_point", kBytes, 'A', kOptional},
               {"b_zero_point", kBytes, 'B', kOptional}},
    .infer = plain_integer::infer,
    .cost = plain_integer::cost,
    .eval = plain_integer::eval,
    .onnx = {{"MatMulInteger"}},
    .cases = {"(u8[2,4], i8[4,3], u8[]{3})"},
};

extern const OpDef op_qlinear_matmul = {
    .name = "qlinear_matmul",
    .summary = "Matrix product of 8-bit integers, rescaled to 8 bits.",
    .inputs = {{"a", kBytes, 'A'},
               {"a_scale", kFloat, 'S'},
               {"a_zero_point", kBytes, 'A'},
               {"b", kBytes, 'B'},
               {"b_scale", kFloat, 'S'},
               {"b_zero_point", kBytes, 'B'},
               {"y_scale", kFloat, 'S'},
               {"y_zero_point", kBytes}},
    .infer = qlinear::infer,
    .cost = qlinear::cost,
    .eval = qlinear::eval,
    .onnx = {{"QLinearMatMul"}},
    .cases = {"(u8[2,4], f32[]{0.1}, u8[]{3}, const i8[4,3], f32[]{0.05}, i8[]{0}, f32[]{0.5}, "
              "u8[]{128})"},
};

}  // namespace hone
