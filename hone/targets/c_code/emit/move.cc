// Operators that only move the elements of one tensor: slices, transposes, tiles, blocks of pixels, rows by
// number, nearest neighbours. Where every element comes from is what the reference makes of the elements'
// numbers.

#include <numeric>

#include "hone/ops/interpreter.h"
#include "hone/targets/c_code/emitter.h"

namespace hone::c_code {
namespace {

constexpr size_t kMostAxes = 6;  // Of hone_move.

struct MoveAxis {
  int64_t count = 1;
  int64_t stride = 0;  // In x.
};

// Numbers of elements of x, in the order of the result. The node moves them a byte at a time.
Result<std::vector<int32_t>> sources_of(const Node& node, const EvalOptions& options) {
  const TensorType& x = node.inputs[0]->type.tensor;
  std::vector<int32_t> sources(static_cast<size_t>(node.outputs[0]->type.tensor.elements()));
  for (int shift = 0; shift < 31 && (x.elements() - 1) >> shift > 0; shift += 8) {
    Tensor digits(x);
    for (size_t i = 0; i < digits.mutable_bytes().size(); ++i) {
      digits.mutable_bytes()[i] = static_cast<std::byte>(i >> shift & 0xff);
    }
    std::vector<Item> items{Item(std::move(digits))};
    for (size_t i = 1; i < node.inputs.size(); ++i) {
      const Value* other = node.inputs[i];
      if (other != nullptr && !other->constant) return unsupported("places that are computed");
      items.push_back(other == nullptr ? Item() : Item(*other->constant));
    }
    std::vector<const Item*> inputs;
    for (size_t i = 0; i < items.size(); ++i) {
      inputs.push_back(node.inputs[i] == nullptr ? nullptr : &items[i]);
    }
    HONE_TRY(const std::vector<Item> moved, run_node(node, inputs, options));
    const auto bytes = moved[0].tensor.bytes();
    for (size_t i = 0; i < sources.size(); ++i) {
      sources[i] |= static_cast<int32_t>(static_cast<uint32_t>(bytes[i]) << shift);
    }
  }
  return sources;
}

// Takes the innermost axis along which numbers grow by the same step: of every such row only the first stays.
// Count 1 where there is none.
MoveAxis take_axis(std::vector<int32_t>& sources) {
  const auto all = static_cast<int64_t>(sources.size());
  if (all < 2) return {};
  MoveAxis axis{all, sources[1] - sources[0]};
  for (size_t i = 1; i < sources.size(); ++i) {
    if (sources[i] - sources[i - 1] != axis.stride) {
      axis.count = std::gcd(axis.count, static_cast<int64_t>(i));
    }
  }
  for (size_t i = 0; i < sources.size() / static_cast<size_t>(axis.count); ++i) {
    sources[i] = sources[i * static_cast<size_t>(axis.count)];
  }
  sources.resize(sources.size() / static_cast<size_t>(axis.count));
  return axis;
}

Result<Step> emit_move_node(const Node& node, const EmitOptions& options) {
  HONE_RETURN_IF_ERROR(check_int8_operands(node, 1));
  if (!same_quantization(node.inputs[0]->type.tensor, node.outputs[0]->type.tensor)) {
    return unsupported("a result of another scale");
  }
  Step step{.reads = {node.inputs[0]}, .write = node.outputs[0]};
  HONE_TRY(const std::vector<int32_t> sources, sources_of(node, options.eval));
  std::vector<int32_t> starts = sources;
  std::vector<std::string> axes;
  for (size_t i = 0; i < kMostAxes; ++i) {
    const MoveAxis axis = take_axis(starts);
    axes.insert(axes.begin(), {str(axis.count), str(axis.stride)});
  }
  if (starts.size() == 1) {
    axes.insert(axes.end(), {str("x0 + ", starts[0]), "y"});
    step.calls = {{"hone_move", std::move(axes)}};
    return step;
  }
  starts = sources;
  const MoveAxis row = take_axis(starts);
  step.calls = {
      {"hone_take", {str(starts.size()), "c0", str(row.count), str(row.stride), "x0", "y"}}};
  step.arrays.push_back(std::move(starts));
  return step;
}

// Nearest neighbours are moved, others computed.
Result<Step> emit_resize_node(const Node& node, const EmitOptions& options) {
  const NodeContext context(*find_op(node.op), node);
  if (context.text("mode") == "nearest") return emit_move_node(node, options);
  return emit_linear_resize(node, options);
}

}  // namespace

extern const EmitterDef emit_slice = {.op = "slice", .emit = emit_move_node};
extern const EmitterDef emit_transpose = {.op = "transpose", .emit = emit_move_node};
extern const EmitterDef emit_tile = {.op = "tile", .emit = emit_move_node};
extern const EmitterDef emit_expand = {.op = "expand", .emit = emit_move_node};
extern const EmitterDef emit_gather = {.op = "gather", .emit = emit_move_node};
extern const EmitterDef emit_depth_to_space = {.op = "depth_to_space", .emit = emit_move_node};
extern const EmitterDef emit_space_to_depth = {.op = "space_to_depth", .emit = emit_move_node};
extern const EmitterDef emit_resize = {.op = "resize", .emit = emit_resize_node};

}  // namespace hone::c_code
