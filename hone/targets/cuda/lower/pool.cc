// Pools over nhwc images: windows, and means over the whole image.

#include "hone/ops/op_def.h"
#include "hone/ops/pool/windows.h"
#include "hone/targets/common/fused.h"
#include "hone/targets/cuda/lowering.h"

namespace hone::cuda {
namespace {

bool fits_pool(const Node& node, const StepBuilder& builder) {
  return node.outputs.size() == 1 && is_float_tensor(node.inputs[0], builder) &&
         is_float_tensor(node.outputs[0], builder) && !node.inputs[0]->constant;
}

std::optional<PoolGeometry> window_of(const Node& node, const StepBuilder& builder) {
  if (!fits_pool(node, builder)) return std::nullopt;
  const NodeContext context(*find_op(node.op), node);
  const auto pool = pool_geometry(context, node.inputs[0]->type.tensor.shape);
  if (!pool.ok() || !pool->nhwc || pool->window.rank > 2 || !fused_activation(node)) {
    return std::nullopt;
  }
  return *pool;
}

std::optional<Step> lower_window(const Node& node, StepBuilder& builder) {
  const auto pool = window_of(node, builder);
  if (!pool) return std::nullopt;
  const NodeContext context(*find_op(node.op), node);
  constexpr unsigned kBlock = 128;
  const DType dtype = node.inputs[0]->type.tensor.dtype;
  const int64_t vec = pack_of(dtype, std::array{pool->channels});
  const bool average = node.op == "average_pool";
  SourceMaker source;
  source.element(dtype).window(pool->window).define("IMAGES", pool->batch);
  source.define("CHANNELS", pool->channels);
  source.define("Y_PITCH", builder.row_pitch(node.outputs[0]));
  source.define("PAD_H_END", pool->window.axes[1].pad_end);
  source.define("PAD_W_END", pool->window.axes[2].pad_end);
  source.define("VEC", vec).define("BLOCK", int64_t{kBlock}).define("AVERAGE", average ? 1 : 0);
  source.define("COUNT_PAD", average && context.integer("count_include_pad") != 0 ? 1 : 0);
  source.activation(*fused_activation(node));
  const int64_t threads = node.outputs[0]->type.tensor.elements() / vec;
  const Slot x = builder.read(node.inputs[0]);
  const Slot y = builder.write(node.outputs[0]);
  return Step{.kind = kind_of_step(StepFamily::Pool, "pool", node),
              .variants = {simple_variant(source.make("pool", "pool"), threads, kBlock, {x, y})}};
}

Variant mean_variant(const Shape& x, DType dtype, int64_t lanes, const std::vector<Slot>& slots) {
  const int64_t rows = 256 / lanes;
  const int64_t channels = x.back();
  const int64_t pixels = elements(x) / (x[0] * channels);
  const int64_t vec = pack_of(dtype, std::array{channels});
  SourceMaker source;
  source.element(dtype).define("PIXELS", pixels).define("CHANNELS", channels);
  source.define("VEC", vec).define("LANES", lanes).define("ROWS", rows);
  Launch launch{.kernel = source.make("mean", "mean"),
                .grid = {static_cast<unsigned>((channels / vec + lanes - 1) / lanes),
                         static_cast<unsigned>(x[0]), 1},
                .block = static_cast<unsigned>(lanes * rows),
                .arguments = slots};
  return {str(lanes, " lanes"), {std::move(launch)}};
}

std::optional<Step> mean_step(const Node& node, StepBuilder& builder) {
  const TensorType& type = node.inputs[0]->type.tensor;
  constexpr int64_t kMostImages = 65535;  // Of a grid's y.
  if (type.shape[0] > kMostImages) return std::nullopt;
  const std::vector<Slot> slots = {builder.read(node.inputs[0]), builder.write(node.outputs[0])};
  Step step{.kind = kind_of_step(StepFamily::Rows, "mean", node)};
  for (const int64_t lanes : {4, 8, 2, 16}) {
    step.variants.push_back(mean_variant(type.shape, type.dtype, lanes, slots));
  }
  return step;
}

std::optional<Step> lower_global(const Node& node, StepBuilder& builder) {
  if (!fits_pool(node, builder)) return std::nullopt;
  const NodeContext context(*find_op(node.op), node);
  const int64_t rank = node.inputs[0]->type.tensor.rank();
  if (rank < 3 || context.text("layout") != "nhwc") return std::nullopt;
  return mean_step(node, builder);
}

// A mean over all axes but the first and the last.
std::optional<Step> lower_mean(const Node& node, StepBuilder& builder) {
  const Value* given = input_of(node, 1);
  if (!fits_pool(node, builder) || given == nullptr || !given->constant) return std::nullopt;
  const int64_t rank = node.inputs[0]->type.tensor.rank();
  Ints axes = to_ints(*given->constant);
  for (int64_t& axis : axes) axis += axis < 0 ? rank : 0;
  std::ranges::sort(axes);
  Ints middle;
  for (int64_t axis = 1; axis + 1 < rank; ++axis) middle.push_back(axis);
  if (axes != middle || middle.empty()) return std::nullopt;
  return mean_step(node, builder);
}

}  // namespace

bool takes_pool(const Node& node, const StepBuilder& builder) {
  return window_of(node, builder).has_value();
}

extern const LoweringDef lower_max_pool = {.op = "max_pool", .lower = lower_window};
extern const LoweringDef lower_average_pool = {.op = "average_pool", .lower = lower_window};
extern const LoweringDef lower_global_average_pool = {.op = "global_average_pool",
                                                      .lower = lower_global};
extern const LoweringDef lower_reduce_mean = {.op = "reduce_mean", .lower = lower_mean};

}  // namespace hone::cuda
