// Activations as layers of their own.

#include "hone/targets/cpu/activate_fn.h"
#include "hone/targets/cpu/chunks.h"
#include "hone/targets/cpu/fused.h"
#include "hone/targets/cpu/lowering.h"

namespace hone::cpu {
namespace {

template <class T>
class ActivationStep final : public Step {
 public:
  ActivationStep(const Node& act, const Activation& activation, StepBuilder& builder)
      : activation_(activation),
        variant_(best_activate<T>()),
        chunks_(static_cast<size_t>(act.outputs[0]->type.tensor.elements()), sizeof(T)) {
    kernel = sizeof(T) == 4 ? "activate_f32" : "activate_f16";
    in_place = 0;
    x_ = builder.read(act.inputs[0]);
    y_ = builder.write(act.outputs[0]);
  }

  Status run(const Frame& frame) const override {
    frame.workers->run(chunks_.count(), [&](size_t chunk, size_t) {
      const size_t first = chunks_.begin(chunk);
      const size_t n = chunks_.end(chunk) - first;
      variant_(activation_, 1, n, frame.in<T>(x_) + first, n, frame.out<T>(y_) + first, n);
    });
    return Done{};
  }

 private:
  Activation activation_;
  Activate<T> variant_;
  Chunks chunks_;
  Slot x_ = 0;
  Slot y_ = 0;
};

std::unique_ptr<Step> lower(const Node& node, StepBuilder& builder) {
  const TensorType& type = node.outputs[0]->type.tensor;
  if (!builder.planned(node.inputs[0]) || !builder.planned(node.outputs[0]) || type.quantized() ||
      node.inputs[0]->constant) {
    return nullptr;
  }
  const auto activation = own_activation(node);
  if (!activation) return nullptr;
  if (type.dtype == DType::F32) {
    return std::make_unique<ActivationStep<float>>(node, *activation, builder);
  }
  if (type.dtype == DType::F16) {
    return std::make_unique<ActivationStep<Half>>(node, *activation, builder);
  }
  return nullptr;
}

}  // namespace

extern const LoweringDef lower_relu = {.op = "relu", .lower = lower};
extern const LoweringDef lower_clip = {.op = "clip", .lower = lower};
extern const LoweringDef lower_sigmoid = {.op = "sigmoid", .lower = lower};
extern const LoweringDef lower_tanh = {.op = "tanh", .lower = lower};
extern const LoweringDef lower_swish = {.op = "swish", .lower = lower};
extern const LoweringDef lower_gelu = {.op = "gelu", .lower = lower};
extern const LoweringDef lower_leaky_relu = {.op = "leaky_relu", .lower = lower};
extern const LoweringDef lower_hard_swish = {.op = "hard_swish", .lower = lower};
extern const LoweringDef lower_hard_sigmoid = {.op = "hard_sigmoid", .lower = lower};

}  // namespace hone::cpu
