#include "hone/ops/rnn/rnn_tflite.h"

#include "hone/ops/movement/reshape_tflite.h"
#include "hone/ops/rnn/sequence_tflite.h"

namespace hone {
namespace {

// The inputs of one direction, in TFLite's order.
struct RnnParts {
  Value* x;
  Value* w;
  Value* r;
  Value* b;
  Value* h;
};

RnnParts parts_from(const TfliteImport& in, size_t x, size_t first) {
  return {in.in_or_null(x), in.in_or_null(first), in.in_or_null(first + 1),
          in.in_or_null(first + 2), in.in_or_null(first + 3)};
}

// The name of the activation as ONNX has it.
Result<std::string> function_name(const TfliteImport& in) {
  HONE_TRY(const std::string activation, in.activation());
  if (activation == "tanh") return std::string("Tanh");
  if (activation == "relu") return std::string("Relu");
  if (activation.empty()) return std::string("Affine");
  return unsupported("activation '", activation, "' in a sequence");
}

Status check_parts(const RnnParts& parts) {
  if (parts.x == nullptr || parts.h == nullptr || parts.b == nullptr) {
    return bad_input("an input is left out, but required");
  }
  if (!is_matrix(parts.w) || !is_matrix(parts.r)) return bad_input("the weights are no matrices");
  if (parts.w->type.tensor.quantized()) {
    return unsupported("weights of ", parts.w->type.tensor.dtype, " on a sequence of float");
  }
  HONE_RETURN_IF_ERROR(check_float_sequence(parts.x));
  const Shape& w = parts.w->type.tensor.shape;
  const int64_t hidden = w[0];
  if (!is_float_constant(parts.w, w) || !is_float_constant(parts.r, {hidden, hidden}) ||
      !is_float_constant(parts.b, {hidden})) {
    return unsupported("weights that are no constants of f32, or of other sizes");
  }
  if (!is_zero_constant(parts.h)) return unsupported("a state that is not zero at first");
  return Done{};
}

// Weights with an axis of one direction in front.
Value* directed(TfliteImport& in, const Value* weights) {
  Shape shape = weights->constant->shape();
  shape.insert(shape.begin(), 1);
  return in.add_constant(weights->constant->reshaped(std::move(shape)));
}

Value* add_rnn(TfliteImport& in, const RnnParts& parts, const std::string& function, bool reverse) {
  const bool time_major = in.option<bool>("time_major", false);
  const int64_t hidden = parts.w->constant->shape()[0];
  std::vector<float> bias(static_cast<size_t>(2 * hidden));
  std::ranges::copy(parts.b->constant->data<float>(), bias.begin());
  Value* x = steps_first(in, parts.x, time_major);
  const Shape& shape = x->type.tensor.shape;
  Value* y = in.add("rnn",
                    {x, directed(in, parts.w), directed(in, parts.r),
                     in.add_constant(Tensor::of<float>({1, 2 * hidden}, bias))},
                    TensorType{DType::F32, {shape[0], 1, shape[1], hidden}},
                    {{"activations", Strings{function}},
                     {"direction", std::string(reverse ? "reverse" : "forward")},
                     {"hidden_size", hidden}});
  return without_directions(in, y, time_major);
}

}  // namespace

Status import_svdf(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(3, 1));
  if (!in.has(4)) return bad_input("input 4, the state, is left out, but required");
  const bool hybrid = !in.in_type(0).quantized() && in.in_type(1).quantized();
  if (hybrid && in.option<bool>("asymmetric_quantize_inputs", false)) {
    return unsupported("inputs that are to be quantized asymmetrically");
  }
  HONE_TRY(std::string activation, in.activation());
  in.finish("svdf", {in.in(0), in.in(1), in.in(2), in.in_or_null(3), in.in(4)},
            {{"activation", std::move(activation)}, {"rank", in.option<int64_t>("rank", 0)}});
  return Done{};
}

// One step: activation(w x + b + r h).
Status import_rnn(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(5, 1));
  HONE_TRY(std::string activation, in.activation());
  if (in.in_type(0).dtype != DType::F32) return unsupported("steps of ", in.in_type(0).dtype);
  const bool hybrid = in.in_type(1).quantized();
  if (hybrid && in.option<bool>("asymmetric_quantize_inputs", false)) {
    return unsupported("inputs that are to be quantized asymmetrically");
  }
  const TensorType& type = in.out_type(0);
  Value* fresh = in.add("gemm", {in.in(0), in.in(1), in.in(3)}, type, {{"transB", int64_t{1}}});
  Value* kept = in.add("gemm", {in.in(4), in.in(2)}, type, {{"transB", int64_t{1}}});
  in.finish("add", {fresh, kept}, {{"activation", std::move(activation)}});
  return Done{};
}

Status import_sequence_rnn(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(5, 1));
  HONE_TRY(const std::string function, function_name(in));
  const RnnParts parts = parts_from(in, 0, 1);
  HONE_RETURN_IF_ERROR(check_parts(parts));
  in.set_output(0, add_rnn(in, parts, function, false));
  return Done{};
}

Status import_bidirectional_rnn(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(9, 1));
  if (in.has(10) || in.has(11)) return unsupported("weights of an auxiliary input");
  HONE_TRY(const std::string function, function_name(in));
  const bool merge = in.option<bool>("merge_outputs", false);
  HONE_RETURN_IF_ERROR(check_both_outputs(in, merge));
  // An auxiliary input without weights of its own is what the way back reads.
  const RnnParts forward = parts_from(in, 0, 1);
  const RnnParts backward = parts_from(in, in.has(9) ? 9 : 0, 5);
  HONE_RETURN_IF_ERROR(check_parts(forward));
  HONE_RETURN_IF_ERROR(check_parts(backward));
  Value* there = add_rnn(in, forward, function, false);
  Value* back = add_rnn(in, backward, function, true);
  set_both_outputs(in, there, back, merge);
  return Done{};
}

}  // namespace hone
