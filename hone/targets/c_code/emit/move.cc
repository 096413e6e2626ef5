// Operators that only move the elements of one tensor: slices, transposes, tiles, blocks of pixels, rows by
// number, nearest neighbours. Where every element comes from is what the reference makes of the elements'
// numbers.

#include <array>
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

using MoveAxes = std::array<MoveAxis, kMostAxes>;

// All of them up to `end`, as kernels take them.
std::vector<std::string> axes_text(const MoveAxes& axes, size_t end) {
  std::vector<std::string> text;
  for (size_t i = 0; i < end; ++i) {
    text.insert(text.end(), {str(axes[i].count), str(axes[i].stride)});
  }
  return text;
}

// Whether the last axis but one lies side by side in x, and the last apart, so few that vectors weave them.
bool are_few_rows(const MoveAxes& axes) {
  constexpr int64_t kMostWoven = 4;  // HONE_HVX_WOVEN.
  const MoveAxis& columns = axes[kMostAxes - 2];
  const MoveAxis& rows = axes[kMostAxes - 1];
  return rows.count >= 2 && rows.count <= kMostWoven && columns.stride == 1 &&
         columns.count >= kLeastHvxRun / 2;
}

// Of every vector of the result and every row: which of the row's bytes go where. 255 where others do.
std::vector<int8_t> woven_places(int64_t rows) {
  constexpr int64_t kVector = 128;
  std::vector<int8_t> places;
  for (int64_t k = 0; k < rows; ++k) {
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t at = kVector * k; at < kVector * (k + 1); ++at) {
        places.push_back(static_cast<int8_t>(at % rows == row ? at / rows : -1));
      }
    }
  }
  return places;
}

// Adds the call that moves a tensor along these axes from its element `start` on.
void add_move(const MoveAxes& axes, int32_t start, const CoreKernels& core, Step& step) {
  const MoveAxis& last = axes.back();
  const std::string from = str("x0 + ", start);
  const std::string end = str("x0 + ", step.reads[0]->type.tensor.elements());
  std::vector<std::string> text;
  if (core.hvx && last.stride == 1 && last.count >= kLeastHvxRun) {
    text = axes_text(axes, kMostAxes - 1);
    text.insert(text.end(), {str(last.count), from, end, "y"});
    step.calls = {{"hone_hvx_move", std::move(text)}};
  } else if (core.hvx && are_few_rows(axes)) {
    text = axes_text(axes, kMostAxes - 2);
    text.insert(text.end(), {str(axes[kMostAxes - 2].count), str(last.count), str(last.stride),
                             "c0", from, end, "y"});
    step.calls = {{"hone_hvx_move_rows", std::move(text)}};
    step.arrays.push_back(woven_places(last.count));
  } else {
    text = axes_text(axes, kMostAxes);
    text.insert(text.end(), {from, "y"});
    step.calls = {{"hone_move", std::move(text)}};
  }
}

// Adds the call that takes rows from where `starts` says.
void add_take(MoveAxis row, std::vector<int32_t> starts, const CoreKernels& core, Step& step) {
  const std::string rows = str(starts.size()), count = str(row.count);
  step.arrays.push_back(std::move(starts));
  if (core.hvx && row.stride == 1 && row.count >= kLeastHvxRun) {
    const std::string end = str("x0 + ", step.reads[0]->type.tensor.elements());
    step.calls = {{"hone_hvx_take", {rows, "c0", count, "x0", end, "y"}}};
  } else {
    step.calls = {{"hone_take", {rows, "c0", count, str(row.stride), "x0", "y"}}};
  }
}

Result<Step> emit_move_node(const Node& node, const EmitOptions& options) {
  HONE_RETURN_IF_ERROR(check_int8_operands(node, 1));
  if (!same_quantization(node.inputs[0]->type.tensor, node.outputs[0]->type.tensor)) {
    return unsupported("a result of another scale");
  }
  Step step{.reads = {node.inputs[0]}, .write = node.outputs[0]};
  HONE_TRY(const std::vector<int32_t> sources, sources_of(node, options.eval));
  std::vector<int32_t> starts = sources;
  MoveAxes axes;
  for (size_t i = kMostAxes; i-- > 0;) axes[i] = take_axis(starts);
  if (starts.size() == 1) {
    add_move(axes, starts[0], options.core, step);
    return step;
  }
  starts = sources;
  const MoveAxis row = take_axis(starts);
  add_take(row, std::move(starts), options.core, step);
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
