// lrn(x)[n, c] = x[n, c] / (bias + alpha / size * sum of x[n, i]^2)^beta, over the `size` channels
// i around c, of which an even size has one more above.

#include <algorithm>
#include <cmath>

#include "hone/ops/common.h"
#include "hone/ops/conv/geometry.h"
#include "hone/ops/norm/norm_tflite.h"
#include "hone/ops/op_def.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_lrn(const InferContext& in) {
  HONE_RETURN_IF_ERROR(is_nhwc(in));
  if (in.integer("size") < 1) return bad_input("size is ", in.integer("size"));
  if (in.type(0).ranked && in.type(0).rank() < 2) {
    return bad_input("x has rank ", in.type(0).rank(), ", expected 2 or more");
  }
  return infer_same(in);
}

Status eval_lrn(EvalContext& in) {
  const Shape& shape = in.in(0).shape();
  const AxisSplit split = split_at(shape, in.text("layout") == "nhwc" ? shape.size() - 1 : 1);
  const int64_t size = in.integer("size");
  const double factor = in.real("alpha") / static_cast<double>(size);
  // Bounds how far a window of hostile size reaches before it is cut at the last channel.
  const int64_t below = std::min((size - 1) / 2, split.n);
  const int64_t above = std::min(size / 2, split.n);
  dispatch_float(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* x = in.in(0).data<T>().data();
    T* y = in.out().template mutable_data<T>().data();
    for (int64_t i = 0; i < in.in(0).elements(); ++i) {
      const int64_t c = i / split.inner % split.n;
      const T* channel = x + i - c * split.inner;
      double sum = 0;
      for (int64_t k = std::max<int64_t>(0, c - below); k <= std::min(split.n - 1, c + above);
           ++k) {
        const double value = Compute<T>(channel[k * split.inner]);
        sum += value * value;
      }
      const double divisor = std::pow(in.real("bias") + factor * sum, in.real("beta"));
      y[i] = T(static_cast<Compute<T>>(Compute<T>(x[i]) / divisor));
    }
  });
  return Done{};
}

}  // namespace

extern const OpDef op_lrn = {
    .name = "lrn",
    .summary = "Divides by the energy of neighbouring channels.",
    .inputs = {{"x", kFloat}},
    .attrs = {{"alpha", static_cast<double>(1e-4f)},
              {"beta", 0.75},
              {"bias", 1.0},
              {"size", int64_t{1}, kRequired},
              layout_attr()},
    .infer = infer_lrn,
    .cost = cost_per_element<10>,
    .eval = eval_lrn,
    .onnx = {{"LRN"}},
    .tflite = {{"LOCAL_RESPONSE_NORMALIZATION", import_local_response_normalization}},
    .cases = {"(f32[1,6,3,3]) size=3"},
};

}  // namespace hone
