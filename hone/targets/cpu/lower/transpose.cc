#include "hone/kernels/transpose/transpose.h"

#include "hone/targets/cpu/lowering.h"

namespace hone::cpu {
namespace {

class TransposeStep final : public Step {
 public:
  TransposeStep(const Node& transpose, const TransposePlan& plan, StepBuilder& builder)
      : plan_(plan), variant_(best_variant(transpose_2d_variants())) {
    kind = step_kind(StepFamily::Movement, "transpose", variant_.name);
    const auto threads = static_cast<size_t>(builder.options().threads);
    per_task_ = threads == 1 ? plan_.units() : plan_.units() / (4 * threads) + 1;
    x_ = builder.read(transpose.inputs[0]);
    y_ = builder.write(transpose.outputs[0]);
  }

  Status run(const Frame& frame) const override {
    const size_t tasks = (plan_.units() + per_task_ - 1) / per_task_;
    frame.workers->run(tasks, [&](size_t task, size_t) {
      const size_t first = task * per_task_;
      plan_.run(variant_.run, frame.in<std::byte>(x_), frame.out<std::byte>(y_), first,
                std::min(plan_.units(), first + per_task_));
    });
    return Done{};
  }

 private:
  TransposePlan plan_;
  const KernelVariant<Transpose2d>& variant_;
  size_t per_task_ = 1;
  Slot x_ = 0;
  Slot y_ = 0;
};

std::unique_ptr<Step> lower_transpose_node(const Node& node, StepBuilder& builder) {
  const Value* x = node.inputs[0];
  if (!builder.planned(x) || !builder.planned(node.outputs[0]) || x->constant) return nullptr;
  const TensorType& type = x->type.tensor;
  const int bits = bits_of(type.dtype);
  const bool fits = bits == 8 || bits == 16 || bits == 32 || bits == 64;
  if (!fits || type.elements() == 0 || type.shape.size() > TransposePlan::kMostAxes) {
    return nullptr;
  }
  std::vector<size_t> shape(type.shape.begin(), type.shape.end());
  std::vector<size_t> perm;
  const Ints* given = node.find_attr<Ints>("perm");
  for (size_t i = 0; i < shape.size(); ++i) {
    perm.push_back(given == nullptr ? shape.size() - 1 - i : static_cast<size_t>((*given)[i]));
  }
  return std::make_unique<TransposeStep>(
      node, TransposePlan(shape, perm, static_cast<size_t>(bits) / 8), builder);
}

}  // namespace

extern const LoweringDef lower_transpose = {.op = "transpose", .lower = lower_transpose_node};

}  // namespace hone::cpu
