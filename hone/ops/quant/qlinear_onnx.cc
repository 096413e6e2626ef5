#include "hone/ops/quant/qlinear_onnx.h"

namespace hone {
namespace {

Status require(const OnnxImport& in, std::initializer_list<size_t> inputs) {
  for (const size_t i : inputs) {
    if (in.input(i) == nullptr) return bad_input("input ", i, " is left out, but required");
  }
  return Done{};
}

// Inputs first, first + 1 and first + 2 are a tensor, its scale and its zero point.
Value* dequantized(OnnxImport& in, size_t first, Attrs attrs = {}) {
  std::vector<Value*> inputs{in.input(first), in.input(first + 1)};
  if (in.input(first + 2) != nullptr) inputs.push_back(in.input(first + 2));
  return in.add("dequantize_linear", std::move(inputs), std::move(attrs))->outputs[0];
}

// The result's type is that of its zero point, or of a stored input; one of the two must tell it.
Status check_quantized_output(const OnnxImport& in, size_t zero_point, const Value* stored) {
  if (in.input(zero_point) != nullptr || stored->type.tensor.dtype != DType::Undefined) {
    return Done{};
  }
  return unsupported("no zero point tells whether the result has a sign");
}

// `y` by the scale and the zero point that inputs first and first + 1 are. Requires
// check_quantized_output.
Status finish_quantized(OnnxImport& in, Value* y, size_t first, const Value* stored) {
  std::vector<Value*> inputs{y, in.input(first)};
  Attrs attrs;
  if (in.input(first + 1) != nullptr) {
    inputs.push_back(in.input(first + 1));
  } else {
    attrs["output_dtype"] = stored->type.tensor.dtype;
  }
  in.results = {in.add("quantize_linear", std::move(inputs), std::move(attrs))->outputs[0]};
  return Done{};
}

Status import_binary(OnnxImport& in, std::string_view op) {
  HONE_RETURN_IF_ERROR(require(in, {0, 1, 3, 4, 6}));
  HONE_RETURN_IF_ERROR(check_quantized_output(in, 7, in.input(0)));
  Value* a = dequantized(in, 0);
  Value* b = dequantized(in, 3);
  return finish_quantized(in, in.add(op, {a, b})->outputs[0], 6, in.input(0));
}

// X, its scale and zero point, then those of Y.
Status import_unary(OnnxImport& in, std::string_view op, Attrs attrs) {
  HONE_RETURN_IF_ERROR(require(in, {0, 1, 3}));
  HONE_RETURN_IF_ERROR(check_quantized_output(in, 4, in.input(0)));
  Value* x = dequantized(in, 0);
  Value* y = in.add(op, {x}, std::move(attrs))->outputs[0];
  return finish_quantized(in, y, 3, in.input(0));
}

// `channels_last` of pools.
void channels_to_layout(OnnxImport& in) {
  const bool last = in.take<int64_t>("channels_last", 0) != 0;
  in.attrs["layout"] = std::string(last ? "nhwc" : "nchw");
}

// alpha * a_scale * b_scale, which C of QGemm is quantized by.
Value* bias_scale(OnnxImport& in, double alpha) {
  Value* product = in.add("mul", {in.input(1), in.input(4)})->outputs[0];
  if (alpha == 1) return product;
  return in.add("mul", {product, in.constant(Tensor::scalar(static_cast<float>(alpha)))})
      ->outputs[0];
}

}  // namespace

Status import_qlinear_add(OnnxImport& in) {
  return import_binary(in, "add");
}

Status import_qlinear_mul(OnnxImport& in) {
  return import_binary(in, "mul");
}

Status import_qlinear_sigmoid(OnnxImport& in) {
  return import_unary(in, "sigmoid", {});
}

Status import_qlinear_leaky_relu(OnnxImport& in) {
  return import_unary(in, "leaky_relu", {{"alpha", in.take<double>("alpha", double{0.01f})}});
}

// The attribute `opset` says which Softmax it is: before 13 that of a matrix.
Status import_qlinear_softmax(OnnxImport& in) {
  const int64_t opset = in.take<int64_t>("opset", 0);
  const int64_t axis = in.take<int64_t>("axis", -1);
  if (opset >= 13) return import_unary(in, "softmax", {{"axis", axis}});
  HONE_RETURN_IF_ERROR(require(in, {0, 1, 3}));
  HONE_RETURN_IF_ERROR(check_quantized_output(in, 4, in.input(0)));
  Value* x = dequantized(in, 0);
  Value* flat = in.add("flatten", {x}, {{"axis", axis}})->outputs[0];
  Value* result = in.add("softmax", {flat}, {{"axis", int64_t{-1}}})->outputs[0];
  Value* shape = in.add("shape", {x})->outputs[0];
  Value* y = in.add("reshape", {result, shape}, {{"allowzero", int64_t{1}}})->outputs[0];
  return finish_quantized(in, y, 3, in.input(0));
}

Status import_qlinear_average_pool(OnnxImport& in) {
  channels_to_layout(in);
  return import_unary(in, "average_pool", in.attrs);
}

Status import_qlinear_global_average_pool(OnnxImport& in) {
  channels_to_layout(in);
  return import_unary(in, "global_average_pool", in.attrs);
}

// The scale and the zero point of Y, then three inputs for each part.
Status import_qlinear_concat(OnnxImport& in) {
  if (in.inputs.size() < 5) return bad_input("has ", in.inputs.size(), " inputs, expected 5");
  HONE_RETURN_IF_ERROR(require(in, {0, 2}));
  HONE_RETURN_IF_ERROR(check_quantized_output(in, 1, in.input(2)));
  for (size_t i = 2; i < in.inputs.size(); i += 3) HONE_RETURN_IF_ERROR(require(in, {i, i + 1}));
  std::vector<Value*> parts;
  for (size_t i = 2; i < in.inputs.size(); i += 3) parts.push_back(dequantized(in, i));
  Value* y = in.add("concat", parts, {{"axis", in.take<int64_t>("axis", 0)}})->outputs[0];
  return finish_quantized(in, y, 0, in.input(2));
}

// A, B and C with their scales; Y stays float where no scale for it is given.
Status import_qgemm(OnnxImport& in) {
  HONE_RETURN_IF_ERROR(require(in, {0, 1, 3, 4}));
  if (in.input(7) != nullptr) HONE_RETURN_IF_ERROR(check_quantized_output(in, 8, in.input(0)));
  const auto alpha = in.take<double>("alpha", 1.0);
  const auto turn_a = in.take<int64_t>("transA", 0);
  const auto turn_b = in.take<int64_t>("transB", 0);
  // Scales of B, where there are several, are those of its columns.
  std::vector<Value*> operands{dequantized(in, 0),
                               dequantized(in, 3, {{"axis", int64_t{turn_b != 0 ? 0 : 1}}})};
  if (in.input(6) != nullptr) {
    operands.push_back(
        in.add("dequantize_linear", {in.input(6), bias_scale(in, alpha)}, {{"axis", int64_t{-1}}})
            ->outputs[0]);
  }
  Value* y = in.add("gemm", std::move(operands),
                    {{"alpha", alpha}, {"transA", turn_a}, {"transB", turn_b}})
                 ->outputs[0];
  if (in.input(7) != nullptr) return finish_quantized(in, y, 7, in.input(0));
  in.results = {y};
  return Done{};
}

}  // namespace hone
