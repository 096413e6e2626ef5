// Means and largest values: under windows, and means along axes.

#include <array>

#include "hone/ops/pool/windows.h"
#include "hone/ops/reduce/reduce_quantized.h"
#include "hone/targets/c_code/emitter.h"

namespace hone::c_code {
namespace {

Result<Step> emit_pool_node(const Node& node, const EmitOptions& options) {
  HONE_RETURN_IF_ERROR(check_int8_operands(node, 1));
  if (node.outputs.size() != 1) return unsupported("positions of the largest values");
  const NodeContext context(*find_op(node.op), node);
  HONE_TRY(const PoolGeometry pool, pool_geometry(context, node.inputs[0]->type.tensor.shape));
  if (!pool.nhwc || pool.window.rank > 2) {
    return unsupported("an image that is not [batch, height, width, channels]");
  }
  HONE_TRY(const IntRange range, output_range(node));
  const bool average = node.op == "average_pool";
  const bool padded = average && context.integer("count_include_pad") != 0;
  constexpr int64_t kMostTaps = 4096;  // Of sources/hvx_pool.c.
  const bool hvx = options.core.hvx && pool.window.taps() < kMostTaps;
  return Step{.calls = {{hvx ? "hone_hvx_pool" : "hone_pool",
                         {window_text(pool.window, pool.batch, pool.channels, pool.channels),
                          average ? "1" : "0", padded ? "1" : "0", str(pool.window.axes[1].pad_end),
                          str(pool.window.axes[2].pad_end), str(zero_of(node.inputs[0])),
                          str(range.low), str(range.high), "x0", "y"}}},
              .reads = {node.inputs[0]},
              .write = node.outputs[0],
              .rows = pool.window.axes[1]};
}

// Extents of axes that stay, go, stay, go and stay, those of neighbours multiplied.
using MeanExtents = std::array<int64_t, 5>;

// Vectors have channels side by side.
bool fits_vectors(const MeanExtents& extents, FixedPoint factor) {
  constexpr int64_t kMostPixels = 1 << 21;
  constexpr int64_t kLeastChannels = 16;
  return extents[1] < kMostPixels && extents[2] >= kLeastChannels && extents[3] * extents[4] == 1 &&
         scales_as_words(factor);
}

Step mean_step(const Node& node, const MeanExtents& extents, IntRange range,
               const EmitOptions& options) {
  const TensorType& x = node.inputs[0]->type.tensor;
  const TensorType& y = node.outputs[0]->type.tensor;
  const int64_t count = extents[1] * extents[3];
  const FixedPoint factor = mean_factor(x, y, count);
  const std::string offset = str(static_cast<int32_t>(count) * x.quant->zero_point());
  if (options.core.hvx && fits_vectors(extents, factor)) {
    return {.calls = {{"hone_hvx_means",
                       {str(extents[0]), str(extents[1]), str(extents[2]), offset,
                        operand_text(y.quant->zero_point(), factor), str(range.low),
                        str(range.high), "x0", "y"}}},
            .reads = {node.inputs[0]},
            .write = node.outputs[0]};
  }
  return {.calls = {{"hone_mean",
                     {str(extents[0]), str(extents[1]), str(extents[2]), str(extents[3]),
                      str(extents[4]), offset, str(factor.multiplier), str(factor.shift),
                      str(y.quant->zero_point()), str(range.low), str(range.high), "x0", "y"}}},
          .reads = {node.inputs[0]},
          .write = node.outputs[0]};
}

Result<Step> emit_mean_node(const Node& node, const EmitOptions& options) {
  HONE_RETURN_IF_ERROR(check_int8_operands(node, 1));
  const Value* given = input_of(node, 1);
  if (given == nullptr || !given->constant) return unsupported("axes that are not constant");
  const Shape& x = node.inputs[0]->type.tensor.shape;
  HONE_TRY(const auto axes, resolve_axes(to_ints(*given->constant), std::ssize(x)));
  if (axes.empty()) return unsupported("a mean over no axis");
  MeanExtents extents = {1, 1, 1, 1, 1};
  size_t at = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] == 1) continue;
    const bool goes = std::ranges::find(axes, i) != axes.end();
    if (goes != (at % 2 == 1)) ++at;
    if (at == extents.size()) return unsupported("a mean over axes in more than two places");
    extents[at] *= x[i];
  }
  return mean_step(node, extents, range_of(DType::I8), options);
}

Result<Step> emit_global_node(const Node& node, const EmitOptions& options) {
  HONE_RETURN_IF_ERROR(check_int8_operands(node, 1));
  const NodeContext context(*find_op(node.op), node);
  HONE_TRY(const bool nhwc, is_nhwc(context));
  HONE_TRY(const ImageShape image, split_image(node.inputs[0]->type.tensor.shape, nhwc));
  int64_t pixels = 1;
  for (const int64_t extent : image.spatial) pixels *= extent;
  const IntRange range = range_of(DType::I8);
  return nhwc ? mean_step(node, {image.batch, pixels, image.channels, 1, 1}, range, options)
              : mean_step(node, {image.batch * image.channels, pixels, 1, 1, 1}, range, options);
}

}  // namespace

extern const EmitterDef emit_average_pool = {.op = "average_pool", .emit = emit_pool_node};
extern const EmitterDef emit_max_pool = {.op = "max_pool", .emit = emit_pool_node};
extern const EmitterDef emit_reduce_mean = {.op = "reduce_mean", .emit = emit_mean_node};
extern const EmitterDef emit_global_average_pool = {.op = "global_average_pool",
                                                    .emit = emit_global_node};

}  // namespace hone::c_code
