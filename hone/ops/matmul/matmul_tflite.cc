#include "hone/ops/matmul/matmul_tflite.h"

#include <algorithm>
#include <numeric>

#include "hone/ops/movement/reshape_tflite.h"
#include "hone/ops/movement/transpose_tflite.h"
#include "hone/ops/tflite_import.h"

namespace hone {
namespace {

// The input seen as rows of `depth` elements.
TensorType as_rows(const TensorType& x, int64_t depth) {
  TensorType rows = x;
  rows.ranked = true;
  int64_t total = 1;
  for (const int64_t extent : x.shape) {
    const bool unknown = extent == kUnknown || __builtin_mul_overflow(total, extent, &total);
    if (unknown) total = kUnknown;
    if (unknown) break;
  }
  const bool known = x.ranked && total >= 0;
  rows.shape = {known ? total / depth : kUnknown, depth};
  return rows;
}

Status check_fully_connected(const TfliteImport& in) {
  const TensorType& w = in.in_type(1);
  if (!w.ranked || w.rank() != 2 || w.shape[0] < 1 || w.shape[1] < 1) {
    return bad_input("the weights are ", w, ", expected a matrix");
  }
  const auto format = in.option<std::string>("weights_format", "DEFAULT");
  if (format != "DEFAULT") return unsupported("weights in format ", format);
  const bool hybrid = !in.in_type(0).quantized() && w.quantized();
  if (hybrid && in.option<bool>("asymmetric_quantize_inputs", false)) {
    return unsupported("inputs that are to be quantized asymmetrically");
  }
  return Done{};
}

// int16 is summed in the width of its bias, which is 64 bits where none is given and none asked
// for.
Value* bias_or_wide_zeros(TfliteImport& in) {
  const bool wide = in.in_type(0).dtype == DType::I16 && in.in_type(0).quantized() &&
                    in.option<std::string>("quantized_bias_type", "f32") != "i32";
  if (in.has(2) || !wide) return in.in_or_null(2);
  return in.add_constant(Tensor(TensorType{DType::I64, {in.in_type(1).shape[0]}}));
}

}  // namespace

// Whatever the rank, the input is seen as rows as long as those of the weights.
Status import_fully_connected(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(2, 1));
  HONE_RETURN_IF_ERROR(check_fully_connected(in));
  HONE_TRY(std::string activation, in.activation());
  const TensorType& out = in.out_type(0);
  if (std::ranges::count(out.shape, kUnknown) > 1) {
    return unsupported("an output of ", out, ", with several unknown extents");
  }
  const int64_t depth = in.in_type(1).shape[1];
  Value* x = in.in(0);
  const bool matrix =
      in.in_type(0).ranked && in.in_type(0).rank() == 2 && in.in_type(0).shape[1] == depth;
  if (!matrix) x = add_reshape(in, x, as_rows(in.in_type(0), depth));
  std::vector<Value*> operands{x, in.in(1)};
  if (Value* bias = bias_or_wide_zeros(in)) operands.push_back(bias);
  const TensorType rows = as_rows(x->type.tensor, depth);
  TensorType type{out.dtype, {rows.shape[0], in.in_type(1).shape[0]}, out.quant};
  Value* y = in.add("gemm", std::move(operands), std::move(type),
                    {{"transB", int64_t{1}}, {"activation", std::move(activation)}});
  if (out.ranked && out.rank() != 2) y = add_reshape(in, y, out);
  in.set_output(0, y);
  return Done{};
}

namespace {

bool is_wide_by_narrow(const TfliteImport& in) {
  return in.in_type(0).dtype == DType::I16 && in.in_type(0).quantized() &&
         in.in_type(1).dtype == DType::I8 && in.in_type(1).quantized();
}

// int8 beside int16: the same steps in 16 bits.
Value* add_widened(TfliteImport& in, Value* narrow) {
  TensorType type = narrow->type.tensor;
  type.dtype = DType::I16;
  return in.add("cast", {narrow}, std::move(type), {{"to", DType::I16}});
}

Status check_operands(const TfliteImport& in) {
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const TensorType& type = in.in_type(i);
    if (!type.ranked || type.rank() < 2) return bad_input("input ", i, " is ", type);
    const bool alike =
        type.dtype == in.in_type(0).dtype && type.quantized() == in.in_type(0).quantized();
    if (!alike && !is_wide_by_narrow(in)) {
      return unsupported("a product of ", in.in_type(0), " and ", type);
    }
    if (type.dtype != DType::F32 && !type.quantized()) {
      return unsupported("a product of ", type.dtype);
    }
  }
  return Done{};
}

}  // namespace

Status import_batch_matmul(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(2, 1));
  HONE_RETURN_IF_ERROR(check_operands(in));
  const bool turn[2] = {in.option<bool>("adj_x", false), in.option<bool>("adj_y", false)};
  std::vector<Value*> operands{in.in(0), in.in(1)};
  if (is_wide_by_narrow(in)) operands[1] = add_widened(in, in.in(1));
  for (size_t i = 0; i < 2; ++i) {
    if (!turn[i]) continue;
    Ints perm(in.in_type(i).shape.size());
    std::iota(perm.begin(), perm.end(), int64_t{0});
    std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
    operands[i] = add_transposed(in, operands[i], perm);
  }
  in.finish("matmul", std::move(operands));
  return Done{};
}

}  // namespace hone
