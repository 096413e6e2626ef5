// Functions of rows: softmax and layer norm over the last axis.

#include "hone/kernels/layer_norm/layer_norm.h"
#include "hone/kernels/softmax/softmax.h"
#include "hone/ops/op_def.h"
#include "hone/targets/cpu/chunks.h"
#include "hone/targets/cpu/lowering.h"
#include "hone/targets/cpu/map_step.h"

namespace hone::cpu {
namespace {

template <class T>
const KernelVariant<Softmax<T>>& best_softmax() {
  if constexpr (sizeof(T) == 4) {
    return best_variant(softmax_f32_variants());
  } else {
    return best_variant(softmax_f16_variants());
  }
}
template <class T>
const KernelVariant<LayerNorm<T>>& best_layer_norm() {
  if constexpr (sizeof(T) == 4) {
    return best_variant(layer_norm_f32_variants());
  } else {
    return best_variant(layer_norm_f16_variants());
  }
}

struct Rows {
  size_t rows;
  size_t cols;
};

template <class T>
std::unique_ptr<Step> softmax_step(const Node& node, size_t cols, StepBuilder& builder) {
  const KernelVariant<Softmax<T>>& variant = best_softmax<T>();
  const auto map = [cols, run = variant.run](size_t rows, const T* from, T* to) {
    run(rows, cols, from, to);
  };
  return make_map_step<T, T>(step_kind(StepFamily::Rows, "softmax", variant.name), node.inputs[0],
                             node.outputs[0], cols, map, builder);
}

template <class T>
class LayerNormStep final : public Step {
 public:
  LayerNormStep(const Node& norm, Rows shape, float epsilon, StepBuilder& builder)
      : cols_(shape.cols),
        epsilon_(epsilon),
        rms_(norm.op == "rms_norm"),
        chunks_(shape.rows, shape.cols * sizeof(T)),
        run_(best_layer_norm<T>().run) {
    kind = step_kind(StepFamily::Rows, "layer_norm", best_layer_norm<T>().name);
    in_place = 0;
    x_ = builder.read(norm.inputs[0]);
    scale_ = builder.read(norm.inputs[1]);
    has_bias_ = norm.inputs.size() > 2 && norm.inputs[2] != nullptr;
    if (has_bias_) bias_ = builder.read(norm.inputs[2]);
    y_ = builder.write(norm.outputs[0]);
  }

  Status run(const Frame& frame) const override {
    frame.workers->run(chunks_.count(), [&](size_t chunk, size_t) {
      const size_t first = chunks_.begin(chunk);
      run_({.rows = chunks_.end(chunk) - first,
            .cols = cols_,
            .x = frame.in<T>(x_) + first * cols_,
            .scale = frame.in<T>(scale_),
            .bias = has_bias_ ? frame.in<T>(bias_) : nullptr,
            .epsilon = epsilon_,
            .rms = rms_,
            .y = frame.out<T>(y_) + first * cols_});
    });
    return Done{};
  }

 private:
  size_t cols_;
  float epsilon_;
  bool rms_;
  Chunks chunks_;
  LayerNorm<T> run_;
  Slot x_ = 0;
  Slot scale_ = 0;
  Slot bias_ = 0;
  bool has_bias_ = false;
  Slot y_ = 0;
};

// The node's input as rows along its axis, when that is the last with an extent other than 1.
std::optional<Rows> rows_of(const Node& node, const StepBuilder& builder) {
  if (node.outputs.size() != 1 || !builder.planned(node.outputs[0])) return std::nullopt;
  for (const Value* input : node.inputs) {
    if (input != nullptr && !builder.planned(input)) return std::nullopt;
  }
  const TensorType& type = node.inputs[0]->type.tensor;
  if ((type.dtype != DType::F32 && type.dtype != DType::F16) || type.elements() == 0) {
    return std::nullopt;
  }
  const NodeContext context(*find_op(node.op), node);
  int64_t axis = context.integer("axis");
  if (axis < 0) axis += type.rank();
  for (int64_t i = axis + 1; i < type.rank(); ++i) {
    if (type.shape[static_cast<size_t>(i)] != 1) return std::nullopt;
  }
  const auto cols = static_cast<size_t>(type.shape[static_cast<size_t>(axis)]);
  return Rows{static_cast<size_t>(type.elements()) / cols, cols};
}

std::unique_ptr<Step> lower_softmax_node(const Node& node, StepBuilder& builder) {
  const auto rows = rows_of(node, builder);
  if (!rows || node.inputs[0]->constant) return nullptr;
  if (node.inputs[0]->type.tensor.dtype == DType::F32) {
    return softmax_step<float>(node, rows->cols, builder);
  }
  return softmax_step<Half>(node, rows->cols, builder);
}

std::unique_ptr<Step> lower_norm_node(const Node& node, StepBuilder& builder) {
  const auto rows = rows_of(node, builder);
  if (!rows || node.inputs[0]->constant) return nullptr;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == nullptr) continue;
    const TensorType& type = node.inputs[i]->type.tensor;
    const bool whole = i == 0 || type.elements() == static_cast<int64_t>(rows->cols);
    if (type.dtype != node.inputs[0]->type.tensor.dtype || !whole) return nullptr;
  }
  const NodeContext context(*find_op(node.op), node);
  const auto epsilon = static_cast<float>(context.real("epsilon"));
  if (node.inputs[0]->type.tensor.dtype == DType::F32) {
    return std::make_unique<LayerNormStep<float>>(node, *rows, epsilon, builder);
  }
  return std::make_unique<LayerNormStep<Half>>(node, *rows, epsilon, builder);
}

}  // namespace

extern const LoweringDef lower_softmax = {.op = "softmax", .lower = lower_softmax_node};
extern const LoweringDef lower_layer_norm = {.op = "layer_norm", .lower = lower_norm_node};
extern const LoweringDef lower_rms_norm = {.op = "rms_norm", .lower = lower_norm_node};

}  // namespace hone::cpu
