#include "hone/ops/fused_activation.h"

#include <limits>

#include "hone/ops/op_def.h"

namespace hone {
namespace {

// A bound of clip: `otherwise` when it is left out, nothing when it is computed.
std::optional<double> bound(const Node& clip, size_t input, double otherwise) {
  if (input >= clip.inputs.size() || clip.inputs[input] == nullptr) return otherwise;
  const Value& value = *clip.inputs[input];
  if (!value.constant || value.constant->elements() != 1) return std::nullopt;
  return to_doubles(*value.constant)[0];
}

std::optional<FusedActivation> fused_clip(const Node& clip) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto low = bound(clip, 1, -kInfinity);
  const auto high = bound(clip, 2, kInfinity);
  if (!low || !high) return std::nullopt;
  if (*low == 0 && *high == 6) return FusedActivation{"relu6"};
  if (*low == -1 && *high == 1) return FusedActivation{"relu_n1_to_1"};
  if (*low == 0 && *high > std::numeric_limits<float>::max()) return FusedActivation{"relu"};
  return FusedActivation{"clip", {*low, *high}};
}

}  // namespace

std::optional<FusedActivation> as_fused_activation(const Node& node) {
  const std::string& op = node.op;
  if (op == "clip") return fused_clip(node);
  if (op == "relu" || op == "tanh" || op == "sigmoid" || op == "hard_swish") {
    return FusedActivation{op};
  }
  const OpDef* def = find_op(op);
  if (def == nullptr) return std::nullopt;
  const NodeContext in(*def, node);
  if (op == "leaky_relu") return FusedActivation{op, {in.real("alpha")}};
  if (op == "hard_sigmoid") return FusedActivation{op, {in.real("alpha"), in.real("beta")}};
  if (op == "swish" && in.real("alpha") == 1) return FusedActivation{"silu"};
  if (op == "gelu") {
    return FusedActivation{in.text("approximate") == "tanh" ? "gelu_tanh" : "gelu"};
  }
  return std::nullopt;
}

}  // namespace hone
