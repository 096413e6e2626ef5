// Pools over all spatial axes: y[n, c, 1, ...] = mean, maximum or p-norm of x[n, c, ...].

#include <algorithm>
#include <cmath>
#include <limits>

#include "hone/ops/common.h"
#include "hone/ops/conv/geometry.h"
#include "hone/ops/elementwise/arithmetic.h"
#include "hone/ops/onnx_import.h"
#include "hone/ops/op_def.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

// Unlike windows, these take any number of spatial axes.
Result<std::vector<ValueType>> infer_global_pool(const InferContext& in) {
  HONE_TRY(const bool nhwc, is_nhwc(in));
  TensorType type = plain(in.type(0));
  if (!type.ranked) return std::vector<ValueType>{type};
  if (type.rank() < 2) return bad_input("an image has rank ", type.rank(), ", expected 2 or more");
  const size_t channels = nhwc ? type.shape.size() - 1 : 1;
  for (size_t i = 1; i < type.shape.size(); ++i) {
    if (i != channels) type.shape[i] = 1;
  }
  return std::vector<ValueType>{type};
}

// Calls fn(plane, output) for each channel of each image; plane(i) is its i-th of `pixels`
// elements.
template <class T, class Fn>
void for_each_plane(EvalContext& in, Fn&& fn) {
  const Shape& shape = in.in(0).shape();
  const bool nhwc = in.text("layout") == "nhwc";
  const int64_t channels = nhwc ? shape.back() : shape[1];
  const int64_t planes = in.out().elements();
  if (planes == 0) return;
  const int64_t pixels = in.in(0).elements() / planes;
  const T* x = in.in(0).data<T>().data();
  T* y = in.out().template mutable_data<T>().data();
  for (int64_t plane = 0; plane < planes; ++plane) {
    const int64_t base =
        nhwc ? plane / channels * channels * pixels + plane % channels : plane * pixels;
    const int64_t step = nhwc ? channels : 1;
    y[plane] = T(fn([&](int64_t i) { return Compute<T>(x[base + i * step]); }, pixels));
  }
}

Status eval_average(EvalContext& in) {
  dispatch_float(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_each_plane<T>(in, [](auto plane, int64_t pixels) {
      double sum = 0;
      for (int64_t i = 0; i < pixels; ++i) sum += plane(i);
      return static_cast<Compute<T>>(sum / static_cast<double>(pixels));
    });
  });
  return Done{};
}

Status eval_max(EvalContext& in) {
  dispatch_float(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_each_plane<T>(in, [](auto plane, int64_t pixels) {
      Compute<T> best = pixels > 0 ? plane(0) : -std::numeric_limits<Compute<T>>::infinity();
      for (int64_t i = 1; i < pixels; ++i) best = maximum(best, plane(i));
      return best;
    });
  });
  return Done{};
}

Status eval_lp(EvalContext& in) {
  const auto p = static_cast<double>(in.integer("p"));
  dispatch_float(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_each_plane<T>(in, [p](auto plane, int64_t pixels) {
      double sum = 0;
      for (int64_t i = 0; i < pixels; ++i) sum += std::pow(std::fabs(double{plane(i)}), p);
      return static_cast<Compute<T>>(std::pow(sum, 1 / p));
    });
  });
  return Done{};
}

Result<std::vector<ValueType>> infer_lp(const InferContext& in) {
  if (in.integer("p") < 1) return bad_input("p is ", in.integer("p"), ", expected 1 or more");
  return infer_global_pool(in);
}

// In opset 1 p was a float.
Status upgrade_lp(OnnxImport& in) {
  if (in.opset > 1) return Done{};
  const double p = in.take<double>("p", 2.0);
  if (p != std::floor(p) || p < 1 || p > 1e6) return unsupported("GlobalLpPool with p = ", p);
  in.attrs["p"] = static_cast<int64_t>(p);
  return Done{};
}

}  // namespace

extern const OpDef op_global_average_pool = {
    .name = "global_average_pool",
    .summary = "Mean over all spatial axes.",
    .kind = OpKind::Pool,
    .integers = IntegerForm::Mean,
    .half = true,
    .inputs = {{"x", kFloat}},
    .attrs = {layout_attr()},
    .infer = infer_global_pool,
    .cost = cost_per_element<1>,
    .eval = eval_average,
    .onnx = {{"GlobalAveragePool"}},
    .cases = {"(f32[2,5,4,3])", "(f32[2,4,3,5]) layout=\"nhwc\""},
};

extern const OpDef op_global_max_pool = {
    .name = "global_max_pool",
    .summary = "Largest element over all spatial axes.",
    .kind = OpKind::Pool,
    .half = true,
    .inputs = {{"x", kFloat}},
    .attrs = {layout_attr()},
    .infer = infer_global_pool,
    .cost = cost_per_element<1>,
    .eval = eval_max,
    .onnx = {{"GlobalMaxPool"}},
    .cases = {"(f32[2,5,4,3])"},
};

extern const OpDef op_global_lp_pool = {
    .name = "global_lp_pool",
    .summary = "p-norm over all spatial axes.",
    .inputs = {{"x", kFloat}},
    .attrs = {{"p", int64_t{2}}, layout_attr()},
    .infer = infer_lp,
    .cost = cost_per_element<2>,
    .eval = eval_lp,
    .onnx = {{"GlobalLpPool", upgrade_lp}},
    .cases = {"(f32[2,5,4,3])"},
};

}  // namespace hone
