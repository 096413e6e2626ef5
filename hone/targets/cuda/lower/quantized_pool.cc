// Pools over nhwc images of integers, and means of quantized values along axes that lie side by side.

#include "hone/ops/op_def.h"
#include "hone/ops/pool/windows.h"
#include "hone/ops/reduce/reduce_quantized.h"
#include "hone/targets/cuda/quantized.h"

namespace hone::cuda {
namespace {

std::optional<Step> lower_window_i8(const Node& node, StepBuilder& builder) {
  const Value* x = node.inputs[0];
  if (node.outputs.size() != 1 || x->constant || !is_integer_tensor(x, builder) ||
      !is_integer_tensor(node.outputs[0], builder)) {
    return std::nullopt;
  }
  const NodeContext context(*find_op(node.op), node);
  const auto pool = pool_geometry(context, x->type.tensor.shape);
  const auto range = range_of_output(node);
  if (!pool.ok() || !pool->nhwc || pool->window.rank > 2 || !range) return std::nullopt;
  constexpr unsigned kBlock = 128;
  const DType dtype = x->type.tensor.dtype;
  const bool average = node.op == "average_pool";
  // Few channels a thread: images of bytes are small, and there are threads enough.
  const int64_t vec = std::min<int64_t>(4, pack_of(dtype, std::array{pool->channels}));
  SourceMaker source;
  define_rounding(source, builder).define("T", integer_name(dtype)).window(pool->window);
  source.define("IMAGES", pool->batch).define("CHANNELS", pool->channels).define("VEC", vec);
  source.define("PAD_H_END", pool->window.axes[1].pad_end);
  source.define("PAD_W_END", pool->window.axes[2].pad_end);
  source.define("BLOCK", int64_t{kBlock}).define("AVERAGE", average ? 1 : 0);
  source.define("COUNT_PAD", average && context.integer("count_include_pad") != 0 ? 1 : 0);
  source.define("ZERO", int64_t{x->type.tensor.quant->zero_point()});
  source.define("LEAST", int64_t{range_of(dtype).low});
  source.define("LOW", int64_t{range->low}).define("HIGH", int64_t{range->high});
  const int64_t threads = node.outputs[0]->type.tensor.elements() / vec;
  const Slot from = builder.read(x);
  const Slot to = builder.write(node.outputs[0]);
  return Step{.kind = kind_of_step(StepFamily::Pool, "pool_i8", node),
              .variants = {simple_variant(source.make("pool_i8", "pool_i8", {"integers"}), threads,
                                          kBlock, {from, to})}};
}

// x as [outer][count][inner], of which the middle goes.
struct MeanExtents {
  int64_t outer = 1;
  int64_t count = 1;
  int64_t inner = 1;
};

std::optional<MeanExtents> mean_extents(const Node& node) {
  const Value* given = input_of(node, 1);
  if (given == nullptr || !given->constant) return std::nullopt;
  const Shape& x = node.inputs[0]->type.tensor.shape;
  const auto axes = resolve_axes(to_ints(*given->constant), std::ssize(x));
  if (!axes.ok() || axes->empty()) return std::nullopt;
  const auto [low, high] = std::ranges::minmax(*axes);
  if (high - low + 1 != axes->size()) return std::nullopt;
  MeanExtents extents;
  for (size_t i = 0; i < x.size(); ++i) {
    (i < low ? extents.outer : i > high ? extents.inner : extents.count) *= x[i];
  }
  constexpr int64_t kMostOuter = 65535;  // Of a grid's y.
  if (extents.outer > kMostOuter) return std::nullopt;
  return extents;
}

Variant mean_i8_variant(const Node& node, const MeanExtents& extents, int64_t lanes,
                        const std::vector<Slot>& slots, const StepBuilder& builder) {
  const TensorType& x = node.inputs[0]->type.tensor;
  const TensorType& y = node.outputs[0]->type.tensor;
  const int64_t rows = 256 / lanes;
  const int64_t vec = std::min<int64_t>(4, pack_of(x.dtype, std::array{extents.inner}));
  const FixedPoint factor = mean_factor(x, y, extents.count);
  SourceMaker source;
  define_rounding(source, builder).define("T", integer_name(x.dtype));
  source.define("COUNT", extents.count).define("INNER", extents.inner);
  source.define("OFFSET", int64_t{static_cast<int32_t>(x.quant->zero_point() * extents.count)});
  source.define("MULTIPLIER", int64_t{factor.multiplier}).define("SHIFT", int64_t{factor.shift});
  const IntRange range = range_of(y.dtype);
  source.define("ZERO", int64_t{y.quant->zero_point()}).define("LOW", int64_t{range.low});
  source.define("HIGH", int64_t{range.high}).define("VEC", vec);
  source.define("LANES", lanes).define("ROWS", rows);
  Launch launch{.kernel = source.make("mean_i8", "mean_i8", {"integers"}),
                .grid = {static_cast<unsigned>((extents.inner / vec + lanes - 1) / lanes),
                         static_cast<unsigned>(extents.outer), 1},
                .block = static_cast<unsigned>(lanes * rows),
                .arguments = slots};
  return {str(lanes, " lanes"), {std::move(launch)}};
}

std::optional<Step> lower_mean_i8(const Node& node, StepBuilder& builder) {
  const Value* x = node.inputs[0];
  const Value* y = node.outputs[0];
  if (x->constant || !is_integer_tensor(x, builder) || !is_integer_tensor(y, builder) ||
      x->type.tensor.dtype != y->type.tensor.dtype) {
    return std::nullopt;
  }
  const auto extents = mean_extents(node);
  if (!extents) return std::nullopt;
  const std::vector<Slot> slots = {builder.read(x), builder.write(y)};
  Step step{.kind = kind_of_step(StepFamily::Rows, "mean_i8", node)};
  for (const int64_t lanes : {8, 4, 16, 2}) {
    step.variants.push_back(mean_i8_variant(node, *extents, lanes, slots, builder));
  }
  return step;
}

}  // namespace

extern const LoweringDef lower_max_pool_i8 = {.op = "max_pool", .lower = lower_window_i8};
extern const LoweringDef lower_average_pool_i8 = {.op = "average_pool", .lower = lower_window_i8};
extern const LoweringDef lower_reduce_mean_i8 = {.op = "reduce_mean", .lower = lower_mean_i8};

}  // namespace hone::cuda
