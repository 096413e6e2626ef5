#include "hone/targets/cpu/gated_product.h"

#include <algorithm>

#include "hone/base/infinity.h"
#include "hone/ops/op_def.h"
#include "hone/targets/common/fused.h"
#include "hone/targets/cpu/product_step.h"

namespace hone::cpu {
namespace {

// Others could take g * w beyond what a float holds.
bool is_in_unit_range(const Value& value) {
  if (value.producer == nullptr) return false;
  auto activation = own_activation(*value.producer);
  if (!activation && value.producer->find_attr<std::string>("activation") != nullptr) {
    activation = fused_activation(*value.producer);
  }
  return activation && (activation->kind == Activation::Kind::Sigmoid ||
                        activation->kind == Activation::Kind::HardSigmoid);
}

bool is_gate_for(const Value& gate, const Value& x, const StepBuilder& builder) {
  const Shape& shape = gate.type.tensor.shape;
  const Shape& image = x.type.tensor.shape;
  return shape.size() == 4 && image.size() == 4 && shape[0] == 1 && shape[1] == 1 &&
         shape[2] == 1 && shape[3] == image[3] && image[0] == 1 && !gate.constant &&
         builder.planned(&gate) && is_in_unit_range(gate);
}

bool is_identity(const std::optional<Activation>& activation) {
  return activation && activation->kind == Activation::Kind::Clamp &&
         activation->low == -kInfinity<float> && activation->high == kInfinity<float>;
}

std::optional<GatedInput> operands_of(const Value& product, const StepBuilder& builder) {
  const Node* mul = product.producer;
  if (mul == nullptr || mul->op != "mul" || mul->inputs.size() != 2) return std::nullopt;
  if (!is_identity(fused_activation(*mul))) return std::nullopt;
  for (const size_t image : {0, 1}) {
    const Value* x = mul->inputs[image];
    const Value* gate = mul->inputs[1 - image];
    const bool plain = builder.planned(x) && !x->constant && x->type.tensor.dtype == DType::F32;
    if (plain && is_gate_for(*gate, *x, builder)) return GatedInput{x, gate};
  }
  return std::nullopt;
}

bool is_pointwise(const ConvGeometry& conv) {
  const auto one = [](const WindowAxis& axis) {
    return axis.kernel == 1 && axis.stride == 1 && axis.pad_begin == 0 && axis.pad_end == 0;
  };
  return conv.nhwc && conv.window.rank == 2 && conv.groups == 1 && one(conv.window.axes[1]) &&
         one(conv.window.axes[2]);
}

}  // namespace

std::optional<GatedInput> gated_input(const Node& conv, const StepBuilder& builder) {
  if (conv.op != "conv" || builder.options().keep_values || multiplies_in_bf16(builder.options())) {
    return std::nullopt;
  }
  const Value& weights = *conv.inputs[1];
  const Value* bias = conv.inputs.size() > 2 ? conv.inputs[2] : nullptr;
  if (!weights.constant || weights.constant->dtype() != DType::F32 ||
      weights.type.tensor.elements() == 0 || (bias != nullptr && !bias->constant) ||
      !builder.planned(conv.outputs[0]) || !fused_activation(conv)) {
    return std::nullopt;
  }
  const auto operands = operands_of(*conv.inputs[0], builder);
  if (!operands) return std::nullopt;
  const NodeContext context(*find_op(conv.op), conv);
  const auto geometry =
      conv_geometry(context, conv.inputs[0]->type.tensor.shape, weights.type.tensor.shape);
  if (!geometry.ok() || !is_pointwise(*geometry)) return std::nullopt;
  // Weights come from afar and are written, an image mostly is near: a weight takes three times as
  // long as an element.
  const bool pays = geometry->window.out_pixels() >= 4 * geometry->out_channels;
  return pays ? operands : std::nullopt;
}

bool is_gated_input(const Node& mul, const StepBuilder& builder) {
  if (mul.op != "mul") return false;
  const Value& product = *mul.outputs[0];
  const auto takes_operands = [&](const Use& use) {
    return use.input == 0 && gated_input(*use.node, builder).has_value();
  };
  return !product.users.empty() && std::ranges::all_of(product.users, takes_operands);
}

}  // namespace hone::cpu
