// col2im(x [n, c * taps, blocks], image_shape, block_shape) -> [n, c, image]: adds every column
// back to the pixels a sliding block covers; the inverse of gathering blocks into columns.

#include "hone/ops/common.h"
#include "hone/ops/conv/depthwise.h"
#include "hone/ops/conv/geometry.h"
#include "hone/ops/op_def.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

struct Columns {
  int64_t batch;
  int64_t channels;
  Window window;
};

Result<Columns> columns_of(const NodeContext& node, const Shape& x, const Ints& image,
                           const Ints& block) {
  if (x.size() != 3) return bad_input("x has rank ", x.size(), ", expected 3");
  for (const int64_t extent : image) {
    if (extent < 0) return bad_input("image_shape has ", extent);
  }
  for (const int64_t extent : block) {
    if (extent < 1) return bad_input("block_shape has ", extent);
  }
  HONE_TRY(const Window window, slide_window(node, image, block));
  int64_t taps = 1;
  int64_t blocks = 1;
  bool overflow = false;
  for (const WindowAxis& axis : window.used()) {
    overflow = overflow || __builtin_mul_overflow(taps, axis.kernel, &taps) ||
               __builtin_mul_overflow(blocks, axis.out, &blocks);
  }
  if (overflow || (x[1] != kUnknown && x[1] % taps != 0) || (x[2] != kUnknown && x[2] != blocks)) {
    return bad_input("x of shape ", text_of(x), " does not hold ", blocks, " blocks of ", taps,
                     " elements");
  }
  return Columns{x[0], x[1] == kUnknown ? kUnknown : x[1] / taps, window};
}

Result<std::vector<ValueType>> infer_col2im(const InferContext& in) {
  const TensorType& x = in.type(0);
  const auto image = in.known_ints(1);
  const auto block = in.known_ints(2);
  if (!x.ranked || !image || !block) return std::vector<ValueType>{TensorType::unranked(x.dtype)};
  HONE_TRY(const Columns columns, columns_of(in, x.shape, *image, *block));
  return std::vector<ValueType>{
      TensorType{x.dtype, join_image({columns.batch, columns.channels, *image}, false)}};
}

// Adds the columns of one channel to its plane.
template <class T, class Sum>
void add_columns(const Window& window, const T* x, Sum* y) {
  const WindowAxis& depth = window.axes[0];
  const WindowAxis& height = window.axes[1];
  const WindowAxis& width = window.axes[2];
  for_each_tap(window, [&](int64_t tap, int64_t a, int64_t b, int64_t c) {
    const PixelRange slices = pixels_inside(depth, a);
    const PixelRange rows = pixels_inside(height, b);
    const PixelRange columns = pixels_inside(width, c);
    for (int64_t z = slices.first; z < slices.last; ++z) {
      for (int64_t r = rows.first; r < rows.last; ++r) {
        const T* from = x + ((tap * depth.out + z) * height.out + r) * width.out;
        Sum* to = y + (depth.source(z, a) * height.in + height.source(r, b)) * width.in;
        for (int64_t i = columns.first; i < columns.last; ++i) to[width.source(i, c)] += from[i];
      }
    }
  });
}

Status eval_col2im(EvalContext& in) {
  HONE_TRY(const Columns columns,
           columns_of(in, in.in(0).shape(), to_ints(in.in(1)), to_ints(in.in(2))));
  const Window& window = columns.window;
  if (in.out().elements() == 0 || in.in(0).elements() == 0) return Done{};
  const int64_t column = window.taps() * window.out_pixels();
  dispatch_float(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* x = in.in(0).data<T>().data();
    T* y = in.out().template mutable_data<T>().data();
    std::vector<Compute<T>> plane(static_cast<size_t>(window.in_pixels()));
    for (int64_t p = 0; p < columns.batch * columns.channels; ++p) {
      std::fill(plane.begin(), plane.end(), Compute<T>(0));
      add_columns(window, x + p * column, plane.data());
      for (const Compute<T> value : plane) *y++ = T(value);
    }
  });
  return Done{};
}

}  // namespace

extern const OpDef op_col2im = {
    .name = "col2im",
    .summary = "Adds columns of sliding blocks back into an image.",
    .inputs = {{"x", kFloat},
               {"image_shape", DTypeSet{DType::I64}},
               {"block_shape", DTypeSet{DType::I64}}},
    .attrs = {{"dilations", Ints{}}, {"pads", Ints{}}, {"strides", Ints{}}},
    .infer = infer_col2im,
    .cost = cost_per_element<1>,
    .eval = eval_col2im,
    .onnx = {{"Col2Im"}},
    .cases = {"(f32[1,4,4], i64[2]{3 3}, i64[2]{2 2})"},
};

}  // namespace hone
