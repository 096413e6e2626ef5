// Between float32 and the 16-bit floats.

#include "hone/kernels/convert/convert.h"
#include "hone/targets/cpu/chunks.h"
#include "hone/targets/cpu/lowering.h"

namespace hone::cpu {
namespace {

template <class From, class To>
class CastStep final : public Step {
 public:
  CastStep(const Node& cast, const KernelVariant<Convert<From, To>>& variant, StepBuilder& builder)
      : chunks_(static_cast<size_t>(cast.outputs[0]->type.tensor.elements()), sizeof(float)),
        variant_(variant) {
    kernel = str("convert ", variant.name);
    x_ = builder.read(cast.inputs[0]);
    y_ = builder.write(cast.outputs[0]);
  }

  Status run(const Frame& frame) const override {
    frame.workers->run(chunks_.count(), [&](size_t chunk, size_t) {
      const size_t first = chunks_.begin(chunk);
      variant_.run(chunks_.end(chunk) - first, frame.in<From>(x_) + first,
                   frame.out<To>(y_) + first);
    });
    return Done{};
  }

 private:
  Chunks chunks_;
  const KernelVariant<Convert<From, To>>& variant_;
  Slot x_ = 0;
  Slot y_ = 0;
};

template <class From, class To>
std::unique_ptr<Step> make_step(const Node& node,
                                std::span<const KernelVariant<Convert<From, To>>> variants,
                                StepBuilder& builder) {
  return std::make_unique<CastStep<From, To>>(node, best_variant(variants), builder);
}

std::unique_ptr<Step> lower(const Node& node, StepBuilder& builder) {
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

extern const LoweringDef lower_cast = {.op = "cast", .lower = lower};

}  // namespace hone::cpu
