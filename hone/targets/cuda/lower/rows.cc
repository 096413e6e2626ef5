// Functions of rows: softmax and norms over the last axis.

#include "hone/ops/op_def.h"
#include "hone/targets/cuda/lowering.h"

namespace hone::cuda {
namespace {

constexpr int64_t kLongestRow = 1 << 14;  // Its elements are held in registers.

struct RowsShape {
  int64_t rows;
  int64_t columns;
};

// The input as rows along the node's axis, when that is the last with an extent other than 1.
std::optional<RowsShape> rows_of(const Node& node, const StepBuilder& builder) {
  if (node.outputs.size() != 1 || !is_float_tensor(node.outputs[0], builder) ||
      !is_float_tensor(node.inputs[0], builder) || node.inputs[0]->constant) {
    return std::nullopt;
  }
  const TensorType& type = node.inputs[0]->type.tensor;
  int64_t axis = NodeContext(*find_op(node.op), node).integer("axis");
  if (axis < 0) axis += type.rank();
  for (int64_t i = axis + 1; i < type.rank(); ++i) {
    if (type.shape[static_cast<size_t>(i)] != 1) return std::nullopt;
  }
  const int64_t columns = type.shape[static_cast<size_t>(axis)];
  if (columns > kLongestRow) return std::nullopt;
  return RowsShape{type.elements() / columns, columns};
}

// A block for each row. What a thread holds of it has to lie in registers.
std::vector<Variant> rows_variants(const SourceMaker& common, DType dtype, const RowsShape& shape,
                                   const std::vector<Slot>& arguments) {
  constexpr int64_t kMostElementsOfThread = 32;
  const int64_t vec = pack_of(dtype, std::array{shape.columns});
  std::vector<Variant> variants;
  for (const int64_t block : {32, 64, 128, 256, 512}) {
    const int64_t each = (shape.columns + block - 1) / block;
    const bool idle = block > 32 && shape.columns <= block / 2 * vec;
    if (idle || (each > kMostElementsOfThread && block < 512)) continue;
    SourceMaker source = common;
    source.element(dtype).define("COLUMNS", shape.columns);
    source.define("VEC", vec).define("BLOCK", block);
    Launch launch{.kernel = source.make("rows", "rows"),
                  .grid = {static_cast<unsigned>(shape.rows), 1, 1},
                  .block = static_cast<unsigned>(block),
                  .arguments = arguments};
    variants.push_back({str(block, " threads"), {std::move(launch)}});
  }
  return variants;
}

std::optional<Step> lower_softmax_node(const Node& node, StepBuilder& builder) {
  const auto shape = rows_of(node, builder);
  if (!shape) return std::nullopt;
  SourceMaker source;
  source.define("SOFTMAX", 1);
  const Slot x = builder.read(node.inputs[0]);
  const Slot y = builder.write(node.outputs[0]);
  return Step{.kind = kind_of_step(StepFamily::Rows, "softmax", node),
              .variants = rows_variants(source, node.inputs[0]->type.tensor.dtype, *shape, {x, y})};
}

std::optional<Step> lower_norm_node(const Node& node, StepBuilder& builder) {
  const auto shape = rows_of(node, builder);
  if (!shape) return std::nullopt;
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    const Value* input = node.inputs[i];
    if (input == nullptr) continue;
    if (!is_float_tensor(input, builder) || input->type.tensor.elements() != shape->columns ||
        input->type.tensor.dtype != node.inputs[0]->type.tensor.dtype) {
      return std::nullopt;
    }
  }
  const NodeContext context(*find_op(node.op), node);
  const Value* bias = input_of(node, 2);
  SourceMaker source;
  source.define("SOFTMAX", 0);
  source.define("EPSILON", literal(static_cast<float>(context.real("epsilon"))));
  source.define("RMS", node.op == "rms_norm" ? 1 : 0).define("HAS_BIAS", bias != nullptr ? 1 : 0);
  const Slot x = builder.read(node.inputs[0]);
  const Slot scale = builder.read(node.inputs[1]);
  const Slot shift = bias == nullptr ? kNoSlot : builder.read(bias);
  const Slot y = builder.write(node.outputs[0]);
  return Step{.kind = kind_of_step(StepFamily::Rows, "layer_norm", node),
              .variants = rows_variants(source, node.inputs[0]->type.tensor.dtype, *shape,
                                        {x, scale, shift, y})};
}

}  // namespace

extern const LoweringDef lower_softmax = {.op = "softmax", .lower = lower_softmax_node};
extern const LoweringDef lower_layer_norm = {.op = "layer_norm", .lower = lower_norm_node};
extern const LoweringDef lower_rms_norm = {.op = "rms_norm", .lower = lower_norm_node};

}  // namespace hone::cuda
