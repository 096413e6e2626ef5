// Sums, products and the like of two float tensors.

#include "hone/kernels/binary/binary.h"

#include "hone/ops/op_def.h"
#include "hone/targets/common/fused.h"
#include "hone/targets/cpu/activate_fn.h"
#include "hone/targets/cpu/lowering.h"
#include "hone/targets/cpu/pair_step.h"

namespace hone::cpu {
namespace {

template <class T>
Binary<T> best_binary();
template <>
BinaryF32 best_binary<float>() {
  return best_variant(binary_f32_variants()).run;
}
template <>
BinaryF16 best_binary<Half>() {
  return best_variant(binary_f16_variants()).run;
}

template <class T>
class BinaryStep final : public PairStep<T> {
 public:
  BinaryStep(const Pair& pair, const Value* y, BinaryOp op, const Activation& activation,
             StepBuilder& builder)
      : PairStep<T>(pair, y, builder),
        activation_(activation),
        variant_(best_binary<T>()),
        activate_(best_activate<T>()) {
    this->kind = step_kind(StepFamily::Elementwise, sizeof(T) == 4 ? "binary_f32" : "binary_f16");
    args_.op = op;
    if (clamps()) {
      args_.low = activation.low;
      args_.high = activation.high;
    }
  }

  bool write_apart(const RowsApart& rows) override { return this->space_rows(rows); }

  Status run(const Frame& frame) const override {
    return this->run_parts(frame, args_, [&](const BinaryArgs<T>& part) {
      variant_(part);
      if (clamps()) return;
      activate_(activation_, part.rows, part.cols, part.y, part.y_stride, part.y, part.y_stride);
    });
  }

 private:
  bool clamps() const { return activation_.kind == Activation::Kind::Clamp; }

  Activation activation_;
  BinaryArgs<T> args_{};
  Binary<T> variant_;
  Activate<T> activate_;
};

std::unique_ptr<Step> lower_pair(const Pair& pair, const Value* y, BinaryOp op,
                                 const Activation& activation, StepBuilder& builder) {
  const TensorType& type = y->type.tensor;
  if (!builder.planned(y) || type.elements() == 0) return nullptr;
  for (const Value* input : pair) {
    const TensorType& own = input->type.tensor;
    if (!builder.planned(input) || own.quantized() || own.dtype != type.dtype) return nullptr;
  }
  if (type.dtype == DType::F32) {
    return std::make_unique<BinaryStep<float>>(pair, y, op, activation, builder);
  }
  if (type.dtype == DType::F16) {
    return std::make_unique<BinaryStep<Half>>(pair, y, op, activation, builder);
  }
  return nullptr;
}

std::unique_ptr<Step> lower_binary(const Node& node, StepBuilder& builder, BinaryOp op,
                                   const std::optional<Activation>& activation) {
  if (node.inputs.size() != 2 || !activation) return nullptr;
  return lower_pair({node.inputs[0], node.inputs[1]}, node.outputs[0], op, *activation, builder);
}

// A square is a product.
std::unique_ptr<Step> lower_square(const Node& node, StepBuilder& builder) {
  const Value* x = node.inputs[0];
  const auto& exponent = node.inputs[1]->constant;
  const Value* y = node.outputs[0];
  if (!exponent || exponent->elements() != 1 || to_doubles(*exponent)[0] != 2 ||
      x->type.tensor.shape != y->type.tensor.shape) {
    return nullptr;
  }
  return lower_pair({x, x}, y, BinaryOp::Mul, Activation{}, builder);
}

template <BinaryOp op>
std::unique_ptr<Step> lower_fused(const Node& node, StepBuilder& builder) {
  return lower_binary(node, builder, op, fused_activation(node));
}
template <BinaryOp op>
std::unique_ptr<Step> lower_plain(const Node& node, StepBuilder& builder) {
  return lower_binary(node, builder, op, Activation{});
}

}  // namespace

extern const LoweringDef lower_add = {.op = "add", .lower = lower_fused<BinaryOp::Add>};
extern const LoweringDef lower_sub = {.op = "sub", .lower = lower_fused<BinaryOp::Sub>};
extern const LoweringDef lower_mul = {.op = "mul", .lower = lower_fused<BinaryOp::Mul>};
extern const LoweringDef lower_div = {.op = "div", .lower = lower_fused<BinaryOp::Div>};
extern const LoweringDef lower_max = {.op = "max", .lower = lower_plain<BinaryOp::Max>};
extern const LoweringDef lower_pow = {.op = "pow", .lower = lower_square};
extern const LoweringDef lower_min = {.op = "min", .lower = lower_plain<BinaryOp::Min>};

}  // namespace hone::cpu
