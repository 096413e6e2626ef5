#include "hone/ops/pool/windows.h"

namespace hone {

Result<PoolGeometry> pool_geometry(const NodeContext& node, const Shape& x) {
  HONE_TRY(const bool nhwc, is_nhwc(node));
  HONE_TRY(const ImageShape image, split_image(x, nhwc));
  const Ints& kernel = node.ints("kernel_shape");
  for (const int64_t extent : kernel) {
    if (extent < 1) return bad_input("kernel_shape has ", extent, ", expected 1 or more");
  }
  PoolGeometry pool{.batch = image.batch, .channels = image.channels, .nhwc = nhwc, .window = {}};
  HONE_TRY(pool.window, slide_window(node, image.spatial, kernel));
  return pool;
}

Result<TensorType> pool_type(const InferContext& in) {
  const TensorType& x = in.type(0);
  if (!x.ranked) return TensorType::unranked(x.dtype);
  HONE_TRY(const PoolGeometry pool, pool_geometry(in, x.shape));
  return TensorType{x.dtype, pool.out_shape()};
}

bool counts_padding(const NodeContext& node, const Window& window) {
  return node.integer("count_include_pad") != 0 &&
         std::ranges::any_of(window.used(), [](const WindowAxis& axis) {
           return axis.pad_begin > 0 || axis.pad_end > 0;
         });
}

Cost pool_cost(const InferContext& in) {
  if (!in.type(0).ranked) return {};
  const auto pool = pool_geometry(in, in.type(0).shape);
  if (!pool.ok()) return {};
  int64_t flops = 1;
  Shape factors = pool->out_shape();
  for (const WindowAxis& axis : pool->window.used()) factors.push_back(axis.kernel);
  for (const int64_t factor : factors) {
    if (factor < 0 || __builtin_mul_overflow(flops, factor, &flops)) return {};
  }
  return {.macs = 0, .flops = flops};
}

}  // namespace hone
