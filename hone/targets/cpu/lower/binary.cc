// Sums, products and the like of two float tensors.

#include "hone/kernels/binary/binary.h"

#include "hone/ops/op_def.h"
#include "hone/targets/cpu/activate_fn.h"
#include "hone/targets/cpu/broadcast_view.h"
#include "hone/targets/cpu/chunks.h"
#include "hone/targets/cpu/fused.h"
#include "hone/targets/cpu/lowering.h"

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
class BinaryStep final : public Step {
 public:
  BinaryStep(const Node& pair, BinaryOp op, const Activation& activation, const BroadcastView& view,
             StepBuilder& builder)
      : op_(op),
        activation_(activation),
        view_(view),
        // Rows are shared out; a single row is cut along its columns instead.
        chunks_(view.rows == 1 ? view.cols : view.rows,
                view.rows == 1 ? sizeof(T) : view.cols * sizeof(T)),
        variant_(best_binary<T>()),
        activate_(best_activate<T>()) {
    kernel = sizeof(T) == 4 ? "binary_f32" : "binary_f16";
    const int64_t elements = pair.outputs[0]->type.tensor.elements();
    for (size_t i = 0; i < 2; ++i) {
      operands_[i] = builder.read(pair.inputs[i]);
      const bool same_size = pair.inputs[i]->type.tensor.elements() == elements;
      if (in_place == kNone && same_size && !pair.inputs[i]->constant) in_place = i;
    }
    y_ = builder.write(pair.outputs[0]);
  }

  Status run(const Frame& frame) const override {
    frame.workers->run(view_.outer * chunks_.count(), [&](size_t task, size_t) {
      const size_t outer = task / chunks_.count();
      const size_t chunk = task % chunks_.count();
      run_part(frame, outer, chunks_.begin(chunk), chunks_.end(chunk));
    });
    return Done{};
  }

 private:
  void run_part(const Frame& frame, size_t outer, size_t begin, size_t end) const {
    const bool by_row = view_.rows > 1;
    const bool clamps = activation_.kind == Activation::Kind::Clamp;
    const auto operand = [&](size_t i) {
      const BroadcastView::Strides& strides = view_.of[i];
      const T* start = frame.in<T>(operands_[i]) + outer * strides.outer;
      return BinaryOperand<T>{start + begin * (by_row ? strides.row : strides.col), strides.row,
                              strides.col};
    };
    BinaryArgs<T> args{};
    args.op = op_;
    args.rows = by_row ? end - begin : 1;
    args.cols = by_row ? view_.cols : end - begin;
    args.a = operand(0);
    args.b = operand(1);
    args.y = frame.out<T>(y_) + outer * view_.rows * view_.cols + begin * (by_row ? view_.cols : 1);
    if (clamps) {
      args.low = activation_.low;
      args.high = activation_.high;
    }
    variant_(args);
    if (!clamps) {
      activate_(activation_, args.rows, args.cols, args.y, args.cols, args.y, args.cols);
    }
  }

  BinaryOp op_;
  Activation activation_;
  BroadcastView view_;
  Chunks chunks_;
  Binary<T> variant_;
  Activate<T> activate_;
  std::array<Slot, 2> operands_ = {};
  Slot y_ = 0;
};

std::unique_ptr<Step> lower(const Node& node, StepBuilder& builder, BinaryOp op,
                            const std::optional<Activation>& activation) {
  if (node.inputs.size() != 2 || !activation || !builder.planned(node.outputs[0])) return nullptr;
  const TensorType& y = node.outputs[0]->type.tensor;
  const TensorType& a = node.inputs[0]->type.tensor;
  const TensorType& b = node.inputs[1]->type.tensor;
  for (const Value* input : node.inputs) {
    const TensorType& type = input->type.tensor;
    if (!builder.planned(input) || type.quantized() || type.dtype != y.dtype) return nullptr;
  }
  const auto view = broadcast_view(a.shape, b.shape, y.shape);
  if (!view || y.elements() == 0) return nullptr;
  if (y.dtype == DType::F32) {
    return std::make_unique<BinaryStep<float>>(node, op, *activation, *view, builder);
  }
  if (y.dtype == DType::F16) {
    return std::make_unique<BinaryStep<Half>>(node, op, *activation, *view, builder);
  }
  return nullptr;
}

template <BinaryOp op>
std::unique_ptr<Step> lower_fused(const Node& node, StepBuilder& builder) {
  return lower(node, builder, op, fused_activation(node));
}
template <BinaryOp op>
std::unique_ptr<Step> lower_plain(const Node& node, StepBuilder& builder) {
  return lower(node, builder, op, Activation{});
}

}  // namespace

extern const LoweringDef lower_add = {.op = "add", .lower = lower_fused<BinaryOp::Add>};
extern const LoweringDef lower_sub = {.op = "sub", .lower = lower_fused<BinaryOp::Sub>};
extern const LoweringDef lower_mul = {.op = "mul", .lower = lower_fused<BinaryOp::Mul>};
extern const LoweringDef lower_div = {.op = "div", .lower = lower_fused<BinaryOp::Div>};
extern const LoweringDef lower_max = {.op = "max", .lower = lower_plain<BinaryOp::Max>};
extern const LoweringDef lower_min = {.op = "min", .lower = lower_plain<BinaryOp::Min>};

}  // namespace hone::cpu
