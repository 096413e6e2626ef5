// Between float32 and the 16-bit floats.

#include "hone/kernels/convert/convert.h"
#include "hone/targets/cpu/lowering.h"
#include "hone/targets/cpu/map_step.h"

namespace hone::cpu {
namespace {

template <class From, class To>
std::unique_ptr<Step> make_step(const Node& node,
                                std::span<const KernelVariant<Convert<From, To>>> variants,
                                StepBuilder& builder) {
  const KernelVariant<Convert<From, To>>& variant = best_variant(variants);
  return make_map_step<From, To>(step_kind(StepFamily::Conversion, "convert", variant.name),
                                 node.inputs[0], node.outputs[0], 1, variant.run, builder);
}

std::unique_ptr<Step> lower_cast_node(const Node& node, StepBuilder& builder) {
  const Value* x = node.inputs[0];
  const Value* y = node.outputs[0];
  if (!builder.planned(x) || !builder.planned(y) || x->constant) return nullptr;
  const DType from = x->type.tensor.dtype;
  const DType to = y->type.tensor.dtype;
  if (from == DType::F32 && to == DType::F16) {
    return make_step(node, convert_f32_f16_variants(), builder);
  }
  if (from == DType::F16 && to == DType::F32) {
    return make_step(node, convert_f16_f32_variants(), builder);
  }
  if (from == DType::F32 && to == DType::BF16) {
    return make_step(node, convert_f32_bf16_variants(), builder);
  }
  if (from == DType::BF16 && to == DType::F32) {
    return make_step(node, convert_bf16_f32_variants(), builder);
  }
  return nullptr;
}

}  // namespace

extern const LoweringDef lower_cast = {.op = "cast", .lower = lower_cast_node};

}  // namespace hone::cpu
