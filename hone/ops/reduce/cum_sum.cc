// Running sums and products along an axis, given as an input: with the element itself unless
// `exclusive`, from the end where `reverse`.

#include "hone/ops/common.h"
#include "hone/ops/elementwise/arithmetic.h"
#include "hone/ops/reduce/reduce_tflite.h"

namespace hone {
namespace {

constexpr DTypeSet kCumSumTypes = kFloat | DTypeSet{DType::I32, DType::I64, DType::U32, DType::U64};

Result<std::vector<ValueType>> infer_cum_sum(const InferContext& in) {
  if (in.type(1).known() && in.type(1).elements() != 1) {
    return bad_input("axis is ", in.type(1), ", expected a scalar");
  }
  if (const auto axis = in.known_ints(1); axis && in.type(0).ranked) {
    HONE_RETURN_IF_ERROR(resolve_axis((*axis)[0], in.type(0).rank()));
  }
  return infer_same(in);
}

struct CumSumSum {
  static constexpr int kFirst = 0;
  template <class T>
  static T step(T a, T b) {
    return add(a, b);
  }
};

struct RunningProduct {
  static constexpr int kFirst = 1;
  template <class T>
  static T step(T a, T b) {
    return multiply(a, b);
  }
};

template <class Fn, class T>
void run_line(const T* x, T* y, int64_t n, int64_t stride, bool exclusive) {
  Compute<T> total = Fn::kFirst;
  for (int64_t i = 0; i < n; ++i) {
    const Compute<T> next = Fn::step(total, Compute<T>(x[i * stride]));
    y[i * stride] = T(exclusive ? total : next);
    total = next;
  }
}

template <class Fn>
Status eval_cum_sum(EvalContext& in) {
  const Tensor& x = in.in(0);
  HONE_TRY(const size_t axis, resolve_axis(to_ints(in.in(1))[0], x.rank()));
  if (in.out().elements() == 0) return Done{};
  const AxisSplit split = split_at(x.shape(), axis);
  const bool exclusive = in.integer("exclusive") != 0;
  const bool reverse = in.integer("reverse") != 0;
  dispatch<float, double, Half, BFloat16, int32_t, int64_t, uint32_t, uint64_t>(
      x.dtype(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        const T* from = x.data<T>().data();
        T* to = in.out().template mutable_data<T>().data();
        const int64_t step = reverse ? -split.inner : split.inner;
        const int64_t start = reverse ? (split.n - 1) * split.inner : 0;
        for (int64_t outer = 0; outer < split.outer; ++outer) {
          for (int64_t inner = 0; inner < split.inner; ++inner) {
            const int64_t base = outer * split.n * split.inner + inner + start;
            run_line<Fn>(from + base, to + base, split.n, step, exclusive);
          }
        }
      });
  return Done{};
}

}  // namespace

extern const OpDef op_cum_sum = {
    .name = "cum_sum",
    .summary = "Running sums along an axis.",
    .inputs = {{"x", kCumSumTypes}, {"axis", kIndex}},
    .attrs = {{"exclusive", int64_t{0}}, {"reverse", int64_t{0}}},
    .infer = infer_cum_sum,
    .cost = cost_per_element<1>,
    .eval = eval_cum_sum<CumSumSum>,
    .onnx = {{"CumSum"}},
    .tflite = {{"CUMSUM", import_cumsum}},
    .cases = {"(f32[2,3], i64[]{1})", "(f32[2,3], i64[]{0}) exclusive=1 reverse=1"},
};

extern const OpDef op_cum_prod = {
    .name = "cum_prod",
    .summary = "Running products along an axis.",
    .inputs = {{"x", kCumSumTypes}, {"axis", kIndex}},
    .attrs = {{"exclusive", int64_t{0}}, {"reverse", int64_t{0}}},
    .infer = infer_cum_sum,
    .cost = cost_per_element<1>,
    .eval = eval_cum_sum<RunningProduct>,
    .onnx = {{"CumProd", nullptr, "", 26}},
    .cases = {"(f32[2,3], i64[]{1})"},
};

}  // namespace hone
