#include "hone/targets/common/fused.h"

#include <algorithm>
#include <map>

#include "hone/base/infinity.h"
#include "hone/ops/fused_activation.h"
#include "hone/ops/op_def.h"

namespace hone {
namespace {

using Kind = Activation::Kind;
// min(max(x, low), high): of bounds that cross, the upper one is the result.
Activation clamp(float low, float high) {
  return {.kind = Kind::Clamp, .low = std::min(low, high), .high = high};
}

std::optional<Activation> named(std::string_view name, const Floats& params) {
  const auto param = [&](size_t i) { return static_cast<float>(params[i]); };
  if (name.empty()) return Activation{};
  if (name == "relu") return clamp(0, kInfinity<float>);
  if (name == "relu6") return clamp(0, 6);
  if (name == "relu_n1_to_1") return clamp(-1, 1);
  if (name == "clip") return clamp(param(0), param(1));
  if (name == "leaky_relu") return Activation{.kind = Kind::LeakyRelu, .alpha = param(0)};
  if (name == "hard_sigmoid") {
    return Activation{.kind = Kind::HardSigmoid, .alpha = param(0), .beta = param(1)};
  }
  static const std::map<std::string_view, Kind> kPlain = {
      {"sigmoid", Kind::Sigmoid},      {"silu", Kind::Silu}, {"tanh", Kind::Tanh},
      {"hard_swish", Kind::HardSwish}, {"gelu", Kind::Gelu}, {"gelu_tanh", Kind::GeluTanh}};
  const auto found = kPlain.find(name);
  if (found == kPlain.end()) return std::nullopt;
  return Activation{.kind = found->second};
}

}  // namespace

std::optional<Activation> fused_activation(const Node& node) {
  const NodeContext context(*find_op(node.op), node);
  return named(context.text("activation"), context.attr<Floats>("activation_params"));
}

std::optional<Activation> own_activation(const Node& node) {
  const auto activation = as_fused_activation(node);
  if (!activation) return std::nullopt;
  return named(activation->name, activation->params);
}

}  // namespace hone
