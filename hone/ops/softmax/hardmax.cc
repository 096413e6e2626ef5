// hardmax(x)[i] = 1 where x has its first maximum along `axis`, else 0.

#include "hone/ops/common.h"
#include "hone/ops/softmax/flatten.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_hardmax(const InferContext& in) {
  if (in.type(0).ranked) {
    HONE_RETURN_IF_ERROR(resolve_axis(in.integer("axis"), in.type(0).rank()));
  }
  return infer_same(in);
}

template <class T>
void hardmax_line(const T* x, T* y, int64_t n, int64_t stride) {
  int64_t best = 0;
  for (int64_t i = 1; i < n; ++i) {
    if (x[i * stride] > x[best * stride]) best = i;
  }
  y[best * stride] = T(1.0f);
}

Status eval_hardmax(EvalContext& in) {
  Tensor& y = in.out();
  if (y.elements() == 0) return Done{};
  HONE_TRY(const size_t axis, resolve_axis(in.integer("axis"), y.rank()));
  const AxisSplit split = split_at(in.in(0).shape(), axis);
  dispatch_float(y.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = in.in(0).data<T>().data();
    T* to = y.mutable_data<T>().data();
    for (int64_t o = 0; o < split.outer; ++o) {
      for (int64_t i = 0; i < split.inner; ++i) {
        const int64_t base = o * split.n * split.inner + i;
        hardmax_line(from + base, to + base, split.n, split.inner);
      }
    }
  });
  return Done{};
}

}  // namespace

extern const OpDef op_hardmax = {
    .name = "hardmax",
    .summary = "One where the maximum along an axis is, else zero.",
    .inputs = {{"x", kFloat}},
    .attrs = {{"axis", int64_t{-1}}},
    .infer = infer_hardmax,
    .cost = cost_per_element<1>,
    .eval = eval_hardmax,
    .onnx = {{"Hardmax", flatten_before_opset_13}},
    .cases = {"(f32[2,3,5])"},
};

}  // namespace hone
