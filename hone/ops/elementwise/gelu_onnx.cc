#include "hone/ops/elementwise/gelu_onnx.h"

namespace hone {
namespace {

Status require_inputs(const OnnxImport& in, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (in.input(i) == nullptr) return bad_input("input ", i, " is left out, but required");
  }
  return Done{};
}

// x, or x and a bias, which is added first.
void add_bias(OnnxImport& in) {
  if (in.input(1) == nullptr) return;
  in.inputs = {in.add("add", {in.inputs[0], in.inputs[1]})->outputs[0]};
}

}  // namespace

Status import_fast_gelu(OnnxImport& in) {
  HONE_RETURN_IF_ERROR(require_inputs(in, 1));
  add_bias(in);
  in.attrs["approximate"] = std::string("tanh");
  return Done{};
}

Status import_bias_gelu(OnnxImport& in) {
  HONE_RETURN_IF_ERROR(require_inputs(in, 2));
  add_bias(in);
  return Done{};
}

// x * sigmoid(alpha * x)
Status import_quick_gelu(OnnxImport& in) {
  HONE_RETURN_IF_ERROR(require_inputs(in, 1));
  const auto alpha = in.take<double>("alpha", double{1.702f});
  Value* x = in.inputs[0];
  Value* scale = in.constant(Tensor::scalar(static_cast<float>(alpha)));
  // A constant of x's own type, which only a run may tell.
  Value* like = in.add("cast_like", {scale, x})->outputs[0];
  Value* scaled = in.add("mul", {x, like})->outputs[0];
  Value* gate = in.add("sigmoid", {scaled})->outputs[0];
  in.results = {in.add("mul", {x, gate})->outputs[0]};
  return Done{};
}

}  // namespace hone
