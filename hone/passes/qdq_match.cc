#include "hone/passes/qdq_match.h"

#include <algorithm>
#include <cmath>

#include "hone/passes/match.h"

namespace hone {

namespace {

constexpr DTypeSet kCodes = kInteger | kSmallInteger;

}  // namespace

Quant params_of(const Node& node) {
  const Value& codes = node.op == "quantize_linear" ? *node.outputs[0] : *node.inputs[0];
  if (!kCodes.contains(codes.type.tensor.dtype)) return nullptr;
  const Tensor* scale = constant_of(node, 1);
  const Tensor* zero = constant_of(node, 2);
  if (scale == nullptr || scale->dtype() != DType::F32 || scale->rank() > 1) return nullptr;
  if (input_of(node, 2) != nullptr && (zero == nullptr || !kCodes.contains(zero->dtype()))) {
    return nullptr;
  }
  if (attr_of<int64_t>(node, "block_size") != 0) return nullptr;
  Quantization quant;
  for (const float s : scale->data<float>()) quant.scales.push_back(s);
  quant.zero_points.resize(quant.scales.size());
  if (zero != nullptr) {
    const std::vector<int64_t> values = to_ints(*zero);
    for (size_t i = 0; i < values.size() && i < quant.scales.size(); ++i) {
      quant.zero_points[i] = static_cast<int32_t>(values[i]);
    }
  }
  if (scale->elements() != 1) {
    const int64_t rank = node.inputs[0]->type.tensor.rank();
    const int64_t axis = attr_of<int64_t>(node, "axis");
    quant.axis = static_cast<int>(axis < 0 ? axis + rank : axis);
  }
  const bool usable =
      std::ranges::all_of(quant.scales, [](float s) { return std::isfinite(s) && s > 0; });
  return usable ? std::make_shared<const Quantization>(std::move(quant)) : nullptr;
}

QuantizedOperand operand_of(const Value* value) {
  const Node* dequantize = made_by(value, "dequantize_linear");
  if (dequantize == nullptr) return {};
  Value* from = dequantize->inputs[0];
  Quant quant = params_of(*dequantize);
  if (quant == nullptr || !from->type.tensor.known()) return {};
  // A value that something else reads too, an integer operator of ONNX for one, keeps its type.
  const bool shared = std::ranges::any_of(from->users, [](const Use& use) {
    return use.node->op != "dequantize_linear" &&
           !use.node->inputs[use.input]->type.tensor.quantized();
  });
  if (from->type.tensor.quantized()) {
    if (*from->type.tensor.quant != *quant) return {};
  } else if (shared || (from->producer != nullptr && from->producer->op != "quantize_linear")) {
    return {};
  }
  return {from, std::move(quant)};
}

bool read_as_quantized(const Value& value) {
  return std::ranges::all_of(value.users, [](const Use& use) {
    return use.node->op == "dequantize_linear" || find_op(use.node->op)->quantized;
  });
}

}  // namespace hone
