// Sums and products of two int8 or uint8 tensors.

#include "hone/kernels/add_i8/add_i8.h"
#include "hone/kernels/mul_i8/mul_i8.h"
#include "hone/ops/elementwise/arithmetic_quantized.h"
#include "hone/ops/op_def.h"
#include "hone/ops/quant/integer.h"
#include "hone/targets/cpu/lowering.h"
#include "hone/targets/cpu/pair_step.h"

namespace hone::cpu {
namespace {

template <class T>
const KernelVariant<AddI8<T>>& best_of(const AddI8Args<T>&) {
  if constexpr (std::is_signed_v<T>) {
    return best_variant(add_i8_variants());
  } else {
    return best_variant(add_u8_variants());
  }
}
template <class T>
const KernelVariant<MulI8<T>>& best_of(const MulI8Args<T>&) {
  if constexpr (std::is_signed_v<T>) {
    return best_variant(mul_i8_variants());
  } else {
    return best_variant(mul_u8_variants());
  }
}

// Args is AddI8Args or MulI8Args, all set but for the places and sizes.
template <class T, class Args>
class BinaryI8Step final : public PairStep<T>, public Follower {
 public:
  BinaryI8Step(const Node& computed, const Pair& pair, const Args& args, StepBuilder& builder)
      : PairStep<T>(pair, computed.outputs[0], builder), args_(args), run_(best_of(args).run) {
    this->kind = step_kind(StepFamily::Elementwise, str(computed.op, "_i8"), best_of(args).name);
  }

  Status run(const Frame& frame) const override { return this->run_parts(frame, args_, run_); }

  bool follows(Slot operand) const override { return this->is_block_operand(operand); }

  void run_block(const Frame& frame, Slot operand, const std::byte* x,
                 const ElementBlock& block) const override {
    Args part = args_;
    this->place_block(frame, operand, reinterpret_cast<const T*>(x), block, part);
    run_(part);
  }

 private:
  Args args_;
  void (*run_)(const Args& args);
};

// What both kinds of arguments have.
template <class Args>
void set_common(const Pair& pair, const Node& node, const StepBuilder& builder, IntRange range,
                Args& args) {
  args.a_zero = pair[0]->type.tensor.quant->zero_point();
  args.b_zero = pair[1]->type.tensor.quant->zero_point();
  args.y_zero = node.outputs[0]->type.tensor.quant->zero_point();
  args.rounding = builder.options().eval.rounding;
  args.low = range.low;
  args.high = range.high;
}

// Smaller results take less time than it does to find their lines.
constexpr int64_t kLeastLineElements = 1 << 14;

// Whether an operand is one value for each of the last axis, as gates of squeeze and excite are.
bool is_per_column(const TensorType& x, const TensorType& y) {
  return x.rank() > 0 && x.shape.back() == y.shape.back() && x.elements() == y.shape.back() &&
         x.elements() < y.elements();
}

template <class T>
std::unique_ptr<Step> make_mul_step(const Node& node, IntRange range, StepBuilder& builder) {
  const TensorType& a = node.inputs[0]->type.tensor;
  const TensorType& b = node.inputs[1]->type.tensor;
  const TensorType& y = node.outputs[0]->type.tensor;
  MulI8Args<T> args{};
  Pair pair = {node.inputs[0], node.inputs[1]};
  if (is_per_column(a, y)) std::swap(pair[0], pair[1]);
  set_common(pair, node, builder, range, args);
  args.factor = product_factor(a, b, y);
  if (is_per_column(pair[1]->type.tensor, y) && y.elements() >= kLeastLineElements) {
    args.lines = mul_i8_lines(args);
  }
  return std::make_unique<BinaryI8Step<T, MulI8Args<T>>>(node, pair, args, builder);
}

template <class T>
std::unique_ptr<Step> make_step(const Node& node, IntRange range, StepBuilder& builder) {
  const TensorType& a = node.inputs[0]->type.tensor;
  const TensorType& b = node.inputs[1]->type.tensor;
  const TensorType& y = node.outputs[0]->type.tensor;
  if (node.op == "mul") return make_mul_step<T>(node, range, builder);
  const bool subtract = node.op == "sub";
  const auto factors = sum_factors(a, b, y, subtract);
  if (!factors.ok()) return nullptr;
  AddI8Args<T> args{};
  const Pair pair = {node.inputs[0], node.inputs[1]};
  set_common(pair, node, builder, range, args);
  args.subtract = subtract;
  args.a_factor = factors->a;
  args.b_factor = factors->b;
  args.y_factor = factors->y;
  if (y.elements() >= kLeastLineElements) args.line = add_i8_line(args);
  return std::make_unique<BinaryI8Step<T, AddI8Args<T>>>(node, pair, args, builder);
}

std::unique_ptr<Step> lower_binary_i8_node(const Node& node, StepBuilder& builder) {
  const TensorType& y = node.outputs[0]->type.tensor;
  if (!builder.planned(node.outputs[0]) || !y.quantized() || y.elements() == 0) return nullptr;
  for (const Value* input : node.inputs) {
    const TensorType& type = input->type.tensor;
    if (!builder.planned(input) || !type.quantized() || type.dtype != y.dtype) return nullptr;
  }
  const NodeContext context(*find_op(node.op), node);
  const auto range = activation_range(context.text("activation"), y);
  if (!range.ok()) return nullptr;
  if (y.dtype == DType::I8) return make_step<int8_t>(node, *range, builder);
  if (y.dtype == DType::U8) return make_step<uint8_t>(node, *range, builder);
  return nullptr;
}

}  // namespace

extern const LoweringDef lower_add_i8 = {.op = "add", .lower = lower_binary_i8_node};
extern const LoweringDef lower_sub_i8 = {.op = "sub", .lower = lower_binary_i8_node};
extern const LoweringDef lower_mul_i8 = {.op = "mul", .lower = lower_binary_i8_node};

}  // namespace hone::cpu
