// affine_grid(theta [n, r, r + 1], size [n, c, extents...]): theta times the homogeneous coordinate
// of every pixel of an image with r extents, innermost axis first. Coordinates go from -1 to 1
// between the centres of the corner pixels with align_corners, else between their outer edges.

#include "hone/ops/common.h"
#include "hone/ops/op_def.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

Result<Shape> grid_shape(const Ints& size, const Shape& theta) {
  const size_t rank = size.size() < 2 ? 0 : size.size() - 2;
  if (rank != 2 && rank != 3)
    return bad_input("size has ", size.size(), " numbers, expected 4 or 5");
  for (const int64_t extent : size) {
    if (extent < 0) return bad_input("size has ", extent);
  }
  const auto r = static_cast<int64_t>(rank);
  const auto fits = [](int64_t found, int64_t expected) {
    return found == expected || found == kUnknown;
  };
  if (theta.size() != 3 || !fits(theta[0], size[0]) || !fits(theta[1], r) ||
      !fits(theta[2], r + 1)) {
    return bad_input("theta is of shape ", text_of(theta), ", expected ", size[0], "x", r, "x",
                     r + 1);
  }
  Shape shape{size[0]};
  shape.insert(shape.end(), size.begin() + 2, size.end());
  shape.push_back(r);
  return shape;
}

Result<std::vector<ValueType>> infer_affine_grid(const InferContext& in) {
  const auto size = in.known_ints(1);
  const TensorType& theta = in.type(0);
  if (!size || !theta.ranked) return std::vector<ValueType>{TensorType::unranked(theta.dtype)};
  HONE_TRY(Shape shape, grid_shape(*size, theta.shape));
  return std::vector<ValueType>{TensorType{theta.dtype, std::move(shape)}};
}

double coordinate(int64_t i, int64_t length, bool align_corners) {
  const auto n = static_cast<double>(length);
  if (!align_corners) return (2 * static_cast<double>(i) + 1) / n - 1;
  return length > 1 ? 2 * static_cast<double>(i) / (n - 1) - 1 : 0;
}

Status eval_affine_grid(EvalContext& in) {
  const Shape shape = in.out().shape();
  const size_t rank = shape.size() - 2;
  const bool align_corners = in.integer("align_corners") != 0;
  const std::vector<double> theta = to_doubles(in.in(0));
  const Shape pixels(shape.begin(), shape.end() - 1);
  dispatch_float(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* y = in.out().template mutable_data<T>().data();
    for (IndexWalk walk(pixels, {}); !walk.done(); walk.next()) {
      const auto n = static_cast<size_t>(walk.index()[0]);
      for (size_t row = 0; row < rank; ++row) {
        const double* factors = theta.data() + (n * rank + row) * (rank + 1);
        double sum = factors[rank];
        for (size_t i = 0; i < rank; ++i) {
          const size_t axis = rank - i;  // The innermost comes first.
          sum += factors[i] * coordinate(walk.index()[axis], shape[axis], align_corners);
        }
        *y++ = T(static_cast<Compute<T>>(sum));
      }
    }
  });
  return Done{};
}

}  // namespace

extern const OpDef op_affine_grid = {
    .name = "affine_grid",
    .summary = "A grid of sampling coordinates from affine matrices.",
    .inputs = {{"theta", kFloat}, {"size", DTypeSet{DType::I64}}},
    .attrs = {{"align_corners", int64_t{0}}},
    .infer = infer_affine_grid,
    .eval = eval_affine_grid,
    .onnx = {{"AffineGrid"}},
    .cases = {"(const f32[1,2,3], i64[4]{1 1 3 3})"},
};

}  // namespace hone
