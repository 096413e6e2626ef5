// Attention of tokens in half precision, heads side by side, without masks.

#include <cmath>

#include "hone/ops/op_def.h"
#include "hone/targets/cuda/attention_shape.h"

namespace hone::cuda {

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
  // One warp's rows, and two tiles of keys and of values.
  const auto least_shared = static_cast<size_t>((16 + 4 * 64) * depth * 2);
  if (depth % 16 != 0 || builder.gpu().most_shared_bytes < least_shared || depth > 128 ||
      heads > kMostOfGrid || q[0] > kMostOfGrid) {
    return std::nullopt;
  }
  const double scale =
      context.has_attr("scale") ? context.real("scale") : 1 / std::sqrt(static_cast<double>(depth));
  return AttentionShape{q[0], q[1], k[1], heads, depth, static_cast<float>(scale)};
}

namespace {

// How warps share the work of a block: rows of q, and keys.
struct AttentionTile {
  int64_t row_warps;
  int64_t key_warps;
};

// An operand: tokens of all heads, or rows of something wider.
struct Tokens {
  Slot slot;
  int64_t offset;
  int64_t pitch;
};

Tokens tokens_of(const Value* value, int64_t width, StepBuilder& builder) {
  const auto rows = builder.rows_of(value);
  if (!rows) return {builder.read(value), 0, width};
  return {builder.read(rows->whole), rows->offset, rows->pitch};
}

unsigned shared_bytes(const AttentionShape& shape, const AttentionTile& tile) {
  constexpr int64_t kKeys = 64;
  const int64_t rows = 16 * tile.row_warps;
  const int64_t tiles = (shape.keys + kKeys - 1) / kKeys;
  const int64_t stages = tiles > tile.key_warps ? 2 : 1;
  const int64_t loads = (rows + stages * 2 * tile.key_warps * kKeys) * shape.depth * 2;
  const int64_t results = tile.key_warps * rows * (shape.depth + 4) * 4;
  return static_cast<unsigned>(std::max(loads, results));
}

Variant attention_variant(const AttentionShape& shape, const AttentionTile& tile,
                          const std::array<Tokens, 3>& operands, Slot y) {
  const auto& [q, k, v] = operands;
  SourceMaker source;
  source.element(DType::F16).define("ROWS", shape.rows).define("KEYS", shape.keys);
  source.define("DEPTH", shape.depth).define("Y_PITCH", shape.heads * shape.depth);
  source.define("Q_PITCH", q.pitch).define("K_PITCH", k.pitch).define("V_PITCH", v.pitch);
  source.define("Q_OFFSET", q.offset).define("K_OFFSET", k.offset).define("V_OFFSET", v.offset);
  source.define("SCALE", literal(shape.scale));
  source.define("ROW_WARPS", tile.row_warps).define("KEY_WARPS", tile.key_warps);
  const int64_t rows = 16 * tile.row_warps;
  Launch launch{.kernel = source.make("attention", "attention", {"copies", "matrices"}),
                .grid = {static_cast<unsigned>((shape.rows + rows - 1) / rows),
                         static_cast<unsigned>(shape.heads), static_cast<unsigned>(shape.batch)},
                .block = static_cast<unsigned>(tile.row_warps * tile.key_warps * 32),
                .shared_bytes = shared_bytes(shape, tile),
                .arguments = {q.slot, k.slot, v.slot, y}};
  return {str(rows, " rows, keys in ", tile.key_warps), {std::move(launch)}};
}

constexpr AttentionTile kAttentionTiles[] = {{1, 4}, {2, 2}, {2, 4}, {4, 1}, {4, 2}, {1, 1}};

std::optional<Step> lower_attention_node(const Node& node, StepBuilder& builder) {
  const auto shape = attention_shape(node, builder);
  if (!shape) return std::nullopt;
  const int64_t width = shape->heads * shape->depth;
  const std::array<Tokens, 3> operands = {tokens_of(node.inputs[0], width, builder),
                                          tokens_of(node.inputs[1], width, builder),
                                          tokens_of(node.inputs[2], width, builder)};
  const Slot y = builder.write(node.outputs[0]);
  Step step{.kind = kind_of_step(StepFamily::Product, "attention", node)};
  for (const AttentionTile& tile : kAttentionTiles) {
    if (shared_bytes(*shape, tile) > builder.gpu().most_shared_bytes) continue;
    step.variants.push_back(attention_variant(*shape, tile, operands, y));
  }
  return step;
}

}  // namespace

extern const LoweringDef lower_attention = {.op = "attention", .lower = lower_attention_node};

}  // namespace hone::cuda
