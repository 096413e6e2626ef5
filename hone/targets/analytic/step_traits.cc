#include "hone/targets/analytic/step_traits.h"

namespace hone {

bool is_channels_last(const Node& conv) {
  const auto* layout = conv.find_attr<std::string>("layout");
  return layout != nullptr && *layout == "nhwc";
}

bool is_depthwise(const Node& conv) {
  const auto* groups = conv.find_attr<int64_t>("group");
  const Shape& shape = conv.inputs[0]->type.tensor.shape;
  if (groups == nullptr || *groups < 2 || shape.size() < 2) return false;
  return *groups == (is_channels_last(conv) ? shape.back() : shape[1]);
}

std::string_view precision_of(const Node& node, std::string_view floats) {
  const auto quantized = [](const Value* value) {
    return value != nullptr && value->type.tensor.quantized();
  };
  if (quantized(node.outputs[0]) || (!node.inputs.empty() && quantized(node.inputs[0]))) {
    return "int8";
  }
  return node.outputs[0]->type.tensor.dtype == DType::F16 ? "fp16" : floats;
}

}  // namespace hone
