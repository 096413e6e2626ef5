// CausalConvWithState: a depthwise convolution along the last axis behind the last k - 1 inputs of
// the call before, or zeros; what the next call needs is its second result.

#include "hone/ops/conv/causal_conv_onnx.h"

#include <limits>

namespace hone {
namespace {

// x with what was before it in front.
Value* with_past(OnnxImport& in, int64_t kernel) {
  if (in.input(3) != nullptr) {
    return in.add("concat", {in.input(3), in.input(0)}, {{"axis", int64_t{2}}})->outputs[0];
  }
  Value* pads = in.constant(Tensor::of_ints({0, 0, kernel - 1, 0, 0, 0}));
  return in.add("pad", {in.input(0), pads})->outputs[0];
}

Value* last_inputs(OnnxImport& in, Value* padded, int64_t kernel) {
  constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
  const auto ints = [&](int64_t value) { return in.constant(Tensor::of_ints({value})); };
  const int64_t start = kernel == 1 ? kEnd : -(kernel - 1);
  return in.add("slice", {padded, ints(start), ints(kEnd), ints(2)})->outputs[0];
}

}  // namespace

Status import_causal_conv(OnnxImport& in) {
  if (in.input(0) == nullptr || in.input(1) == nullptr) return bad_input("lacks input or weight");
  const TensorType& weight = in.input(1)->type.tensor;
  if (!weight.known() || weight.rank() != 3) {
    return unsupported("weights of ", weight, ", expected three known extents");
  }
  const auto activation = in.take<std::string>("activation", "none");
  if (activation != "none" && activation != "silu" && activation != "swish") {
    return unsupported("activation '", activation, "'");
  }
  const int64_t kernel = weight.shape[2];
  if (kernel < 1) return bad_input("weights of ", weight);
  Value* padded = with_past(in, kernel);
  std::vector<Value*> operands{padded, in.input(1)};
  if (in.input(2) != nullptr) operands.push_back(in.input(2));
  Value* y = in.add("conv", std::move(operands), {{"group", weight.shape[0]}})->outputs[0];
  if (activation != "none") y = in.add("swish", {y})->outputs[0];
  in.results = {y, in.wants(1) ? last_inputs(in, padded, kernel) : nullptr};
  return Done{};
}

}  // namespace hone
