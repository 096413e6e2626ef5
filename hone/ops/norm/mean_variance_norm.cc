// mean_variance_norm(x) = (x - mean) / (sqrt(var) + 1e-9), over `axes`.
// lp_norm(x) = x / (sum of |x|^p)^(1/p) along `axis`, p being 1 or 2; zero where the norm is zero.

#include <algorithm>
#include <cmath>

#include "hone/ops/common.h"
#include "hone/ops/norm/norm_tflite.h"
#include "hone/ops/op_def.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

// Of the operator's definition in ONNX.
constexpr double kSmallest = 1e-9;

Result<std::vector<ValueType>> infer_mean_variance(const InferContext& in) {
  if (in.type(0).ranked) {
    HONE_RETURN_IF_ERROR(resolve_axes(in.ints("axes"), in.type(0).rank()));
  }
  return infer_same(in);
}

// Strides into the reduced tensor: 0 along the axes that are reduced.
std::vector<int64_t> reduced_strides(const Shape& shape, const std::vector<size_t>& axes,
                                     size_t* count) {
  Shape reduced = shape;
  for (const size_t axis : axes) reduced[axis] = 1;
  *count = static_cast<size_t>(elements(reduced));
  return broadcast_strides(reduced, shape);
}

Status eval_mean_variance(EvalContext& in) {
  const Shape& shape = in.in(0).shape();
  HONE_TRY(const std::vector<size_t> axes, resolve_axes(in.ints("axes"), in.in(0).rank()));
  size_t count = 0;
  const std::vector<int64_t> strides = reduced_strides(shape, axes, &count);
  std::vector<double> mean(count);
  std::vector<double> var(count);
  if (in.out().elements() == 0) return Done{};
  const double per_group = static_cast<double>(in.in(0).elements()) / static_cast<double>(count);
  dispatch_float(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto x = in.in(0).data<T>();
    const auto y = in.out().template mutable_data<T>();
    const auto walk_all = [&](auto&& fn) {
      size_t i = 0;
      for (IndexWalk walk(shape, {strides}); !walk.done(); walk.next(), ++i) {
        fn(i, static_cast<size_t>(walk.offset(0)), double{Compute<T>(x[i])});
      }
    };
    walk_all([&](size_t, size_t g, double value) { mean[g] += value / per_group; });
    walk_all([&](size_t, size_t g, double value) {
      var[g] += (value - mean[g]) * (value - mean[g]) / per_group;
    });
    walk_all([&](size_t i, size_t g, double value) {
      y[i] = T(static_cast<Compute<T>>((value - mean[g]) / (std::sqrt(var[g]) + kSmallest)));
    });
  });
  return Done{};
}

Result<std::vector<ValueType>> infer_lp_norm(const InferContext& in) {
  const int64_t p = in.integer("p");
  if (p != 1 && p != 2) return bad_input("p is ", p, ", expected 1 or 2");
  if (in.type(0).ranked) {
    HONE_RETURN_IF_ERROR(resolve_axis(in.integer("axis"), in.type(0).rank()));
  }
  return infer_same(in);
}

Status eval_lp_norm(EvalContext& in) {
  HONE_TRY(const size_t axis, resolve_axis(in.integer("axis"), in.in(0).rank()));
  const AxisSplit split = split_at(in.in(0).shape(), axis);
  const bool squared = in.integer("p") == 2;
  dispatch_float(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* x = in.in(0).data<T>().data();
    T* y = in.out().template mutable_data<T>().data();
    for (int64_t line = 0; line < split.outer * split.inner; ++line) {
      const int64_t base = line / split.inner * split.n * split.inner + line % split.inner;
      double sum = 0;
      for (int64_t i = 0; i < split.n; ++i) {
        const double value = std::fabs(double{Compute<T>(x[base + i * split.inner])});
        sum += squared ? value * value : value;
      }
      const double norm = squared ? std::sqrt(sum) : sum;
      for (int64_t i = 0; i < split.n && norm != 0; ++i) {
        const int64_t at = base + i * split.inner;
        y[at] = T(static_cast<Compute<T>>(Compute<T>(x[at]) / norm));
      }
    }
  });
  return Done{};
}

}  // namespace

extern const OpDef op_mean_variance_norm = {
    .name = "mean_variance_norm",
    .summary = "Brings the elements over some axes to mean 0 and variance 1.",
    .inputs = {{"x", kFloat}},
    .attrs = {{"axes", Ints{0, 2, 3}}},
    .infer = infer_mean_variance,
    .cost = cost_per_element<8>,
    .eval = eval_mean_variance,
    .onnx = {{"MeanVarianceNormalization"}},
    .cases = {"(f32[2,3,4,4]) axes=[0,2,3]"},
};

extern const OpDef op_lp_norm = {
    .name = "lp_norm",
    .summary = "Divides by the 1-norm or 2-norm along an axis.",
    .inputs = {{"x", kFloat}},
    .attrs = {{"axis", int64_t{-1}}, {"p", int64_t{2}}},
    .infer = infer_lp_norm,
    .cost = cost_per_element<3>,
    .eval = eval_lp_norm,
    .onnx = {{"LpNormalization"}},
    .tflite = {{"L2_NORMALIZATION", import_l2_normalization}},
    .cases = {"(f32[2,5])", "(f32[2,5]) axis=0 p=1"},
};

}  // namespace hone
