// Attention of tokens in half precision, heads side by side, without masks.

#include "hone/ops/op_def.h"
#include "hone/targets/cuda/lowering.h"

namespace hone::cuda {
namespace {

struct AttentionShape {
  int64_t batch;
  int64_t rows;
  int64_t keys;
  int64_t heads;
  int64_t depth;
  float scale;
};

std::optional<AttentionShape> attention_shape(const Node& node, const StepBuilder& builder) {
  const NodeContext context(*find_op(node.op), node);
  if (node.outputs.size() != 1 || node.inputs.size() < 3 ||
      !is_float_tensor(node.outputs[0], builder)) {
    return std::nullopt;
  }
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const Value* input = node.inputs[i];
    if (i >= 3 && input != nullptr) return std::nullopt;  // Masks and the past.
    if (i < 3 && (!is_float_tensor(input, builder) || input->type.tensor.dtype != DType::F16 ||
                  input->type.tensor.rank() != 3)) {
      return std::nullopt;
    }
  }
  const Shape& q = node.inputs[0]->type.tensor.shape;
  const Shape& k = node.inputs[1]->type.tensor.shape;
  const int64_t heads = context.integer("q_num_heads");
  const bool plain = context.integer("is_causal") == 0 && context.real("softcap") == 0 &&
                     context.integer("kv_num_heads") == heads &&
                     node.inputs[2]->type.tensor.shape == k;
  if (!plain || heads == 0 || q[2] % heads != 0 || q[2] != k[2]) return std::nullopt;
  const int64_t depth = q[2] / heads;
  constexpr int64_t kMostOfGrid = 65535;
  if (depth % 16 != 0 || depth > 128 || heads > kMostOfGrid || q[0] > kMostOfGrid) {
    return std::nullopt;
  }
  const double scale =
      context.has_attr("scale") ? context.real("scale") : 1 / std::sqrt(static_cast<double>(depth));
  return AttentionShape{q[0], q[1], k[1], heads, depth, static_cast<float>(scale)};
}

Variant attention_variant(const AttentionShape& shape, int64_t warps,
                          const std::vector<Slot>& slots) {
  const int64_t pitch = shape.heads * shape.depth;
  SourceMaker source;
  source.element(DType::F16).define("HEADS", shape.heads).define("ROWS", shape.rows);
  source.define("KEYS", shape.keys).define("DEPTH", shape.depth).define("Q_PITCH", pitch);
  source.define("K_PITCH", pitch).define("V_PITCH", pitch).define("Y_PITCH", pitch);
  source.define("SCALE", literal(shape.scale)).define("BLOCK_WARPS", warps);
  const int64_t rows = 16 * warps;
  constexpr int64_t kTileRows = 4 * 64;  // Two tiles of keys and of values.
  Launch launch{.kernel = source.make("attention", "attention", {"copies", "matrices"}),
                .grid = {static_cast<unsigned>((shape.rows + rows - 1) / rows),
                         static_cast<unsigned>(shape.heads), static_cast<unsigned>(shape.batch)},
                .block = static_cast<unsigned>(warps * 32),
                .shared_bytes = static_cast<unsigned>((rows + kTileRows) * shape.depth * 2),
                .arguments = slots};
  return {str(rows, " rows"), {std::move(launch)}};
}

std::optional<Step> lower_attention_node(const Node& node, StepBuilder& builder) {
  const auto shape = attention_shape(node, builder);
  if (!shape) return std::nullopt;
  const std::vector<Slot> slots = {builder.read(node.inputs[0]), builder.read(node.inputs[1]),
                                   builder.read(node.inputs[2]), builder.write(node.outputs[0])};
  Step step{.kind = kind_of_step(StepFamily::Product, "attention", node)};
  for (const int64_t warps : {2, 4, 1}) {
    Variant variant = attention_variant(*shape, warps, slots);
    if (variant.launches[0].shared_bytes > builder.gpu().most_shared_bytes) continue;
    step.variants.push_back(std::move(variant));
  }
  if (step.variants.empty()) return std::nullopt;
  return step;
}

}  // namespace

extern const LoweringDef lower_attention = {.op = "attention", .lower = lower_attention_node};

}  // namespace hone::cuda
