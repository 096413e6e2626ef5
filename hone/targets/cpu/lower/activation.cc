// Activations as layers of their own.

#include <algorithm>

#include "hone/ops/op_def.h"
#include "hone/targets/common/fused.h"
#include "hone/targets/cpu/activate_fn.h"
#include "hone/targets/cpu/lowering.h"
#include "hone/targets/cpu/map_step.h"

namespace hone::cpu {
namespace {

template <class T>
std::unique_ptr<Step> make_step(const Node& node, const Activation& activation,
                                StepBuilder& builder) {
  const auto map = [activation, run = best_activate<T>()](size_t n, const T* from, T* to) {
    run(activation, 1, n, from, n, to, n);
  };
  return make_map_step<T, T>(
      step_kind(StepFamily::Elementwise, sizeof(T) == 4 ? "activate_f32" : "activate_f16"),
      node.inputs[0], node.outputs[0], 1, map, builder);
}

// x * sigmoid(alpha * x), piece by piece: the sigmoid stands beside x, which may be where y is.
std::unique_ptr<Step> make_swish_step(const Node& node, float alpha, StepBuilder& builder) {
  const auto map = [alpha, run = best_activate<float>()](size_t n, const float* x, float* y) {
    constexpr size_t kPiece = 256;
    float gates[kPiece];
    for (size_t begin = 0; begin < n; begin += kPiece) {
      const size_t count = std::min(kPiece, n - begin);
      for (size_t i = 0; i < count; ++i) gates[i] = alpha * x[begin + i];
      run({.kind = Activation::Kind::Sigmoid}, 1, count, gates, count, gates, count);
      for (size_t i = 0; i < count; ++i) y[begin + i] = x[begin + i] * gates[i];
    }
  };
  return make_map_step<float, float>(step_kind(StepFamily::Elementwise, "swish_f32"),
                                     node.inputs[0], node.outputs[0], 1, map, builder);
}

std::unique_ptr<Step> lower_activation_node(const Node& node, StepBuilder& builder) {
  const TensorType& type = node.outputs[0]->type.tensor;
  if (!builder.planned(node.inputs[0]) || !builder.planned(node.outputs[0]) || type.quantized() ||
      node.inputs[0]->constant) {
    return nullptr;
  }
  const auto activation = own_activation(node);
  if (!activation && node.op == "swish" && type.dtype == DType::F32) {
    return make_swish_step(
        node, static_cast<float>(NodeContext(*find_op(node.op), node).real("alpha")), builder);
  }
  if (!activation) return nullptr;
  if (type.dtype == DType::F32) return make_step<float>(node, *activation, builder);
  if (type.dtype == DType::F16) return make_step<Half>(node, *activation, builder);
  return nullptr;
}

}  // namespace

extern const LoweringDef lower_relu = {.op = "relu", .lower = lower_activation_node};
extern const LoweringDef lower_clip = {.op = "clip", .lower = lower_activation_node};
extern const LoweringDef lower_sigmoid = {.op = "sigmoid", .lower = lower_activation_node};
extern const LoweringDef lower_tanh = {.op = "tanh", .lower = lower_activation_node};
extern const LoweringDef lower_swish = {.op = "swish", .lower = lower_activation_node};
extern const LoweringDef lower_gelu = {.op = "gelu", .lower = lower_activation_node};
extern const LoweringDef lower_leaky_relu = {.op = "leaky_relu", .lower = lower_activation_node};
extern const LoweringDef lower_hard_swish = {.op = "hard_swish", .lower = lower_activation_node};
extern const LoweringDef lower_hard_sigmoid = {.op = "hard_sigmoid",
                                               .lower = lower_activation_node};

}  // namespace hone::cpu
