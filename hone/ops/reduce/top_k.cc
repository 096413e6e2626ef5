// The k largest (or smallest) elements along an axis, in order, and where they are. Of equal ones
// the first comes first; NaN counts as larger than every number. `sorted` = 0 leaves the order
// open, so it is sorted then too.

#include <algorithm>
#include <numeric>

#include "hone/ops/common.h"
#include "hone/ops/elementwise/arithmetic.h"
#include "hone/ops/onnx_import.h"
#include "hone/ops/reduce/reduce_tflite.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_top_k(const InferContext& in) {
  TensorType values = plain(in.type(0));
  TensorType positions = values;
  positions.dtype = DType::I64;
  if (in.type(1).known() && in.type(1).elements() != 1) {
    return bad_input("k is ", in.type(1), ", expected one element");
  }
  if (!values.ranked) return std::vector<ValueType>{values, positions};
  HONE_TRY(const size_t axis, resolve_axis(in.integer("axis"), values.rank()));
  int64_t extent = kUnknown;
  if (const auto k = in.known_ints(1)) {
    extent = (*k)[0];
    const int64_t n = values.shape[axis];
    if (extent < 0 || (n != kUnknown && extent > n)) {
      return bad_input("k is ", extent, " along an axis of ", n);
    }
  }
  values.shape[axis] = extent;
  positions.shape[axis] = extent;
  return std::vector<ValueType>{values, positions};
}

template <class T>
bool larger(T a, T b) {
  return is_nan(a) ? !is_nan(b) : a > b;
}

// The positions of one line in the order asked for.
template <class T>
void sort_line(const T* x, int64_t stride, bool largest, std::vector<int64_t>& order, int64_t k) {
  std::iota(order.begin(), order.end(), int64_t{0});
  std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](int64_t i, int64_t j) {
    const T a = x[i * stride];
    const T b = x[j * stride];
    if (larger(a, b) || larger(b, a)) return largest ? larger(a, b) : larger(b, a);
    return i < j;
  });
}

Status eval_top_k(EvalContext& in) {
  const Tensor& x = in.in(0);
  HONE_TRY(const size_t axis, resolve_axis(in.integer("axis"), x.rank()));
  const AxisSplit split = split_at(x.shape(), axis);
  Tensor& values = in.out(0);
  Tensor& positions = in.out(1);
  if (values.elements() == 0) return Done{};
  const int64_t k = values.shape()[axis];
  const bool largest = in.integer("largest") != 0;
  std::vector<int64_t> order(static_cast<size_t>(split.n));
  dispatch_numeric(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = x.data<T>().data();
    T* to = values.mutable_data<T>().data();
    int64_t* at = positions.mutable_data<int64_t>().data();
    for (int64_t line = 0; line < split.outer * split.inner; ++line) {
      const int64_t outer = line / split.inner;
      const int64_t inner = line % split.inner;
      const T* start = from + outer * split.n * split.inner + inner;
      sort_line(start, split.inner, largest, order, k);
      for (int64_t i = 0; i < k; ++i) {
        const int64_t o = (outer * k + i) * split.inner + inner;
        at[o] = order[static_cast<size_t>(i)];
        to[o] = start[at[o] * split.inner];
      }
    }
  });
  return Done{};
}

// k was an attribute before opset 10.
Status upgrade_top_k(OnnxImport& in) {
  if (in.opset >= 10 || !in.has("k")) return Done{};
  in.set_input(1, in.constant(Tensor::of_ints({in.take<int64_t>("k", 0)})));
  return Done{};
}

}  // namespace

extern const OpDef op_top_k = {
    .name = "top_k",
    .summary = "The largest or smallest elements along an axis, and where they are.",
    .inputs = {{"x", kNumeric}, {"k", DTypeSet{DType::I64}}},
    .attrs = {{"axis", int64_t{-1}}, {"largest", int64_t{1}}, {"sorted", int64_t{1}}},
    .min_outputs = 2,
    .max_outputs = 2,
    .quantized = true,
    .infer = infer_top_k,
    .cost = cost_per_element<1>,
    .eval = eval_top_k,
    .onnx = {{"TopK", upgrade_top_k}},
    .tflite = {{"TOPK_V2", import_top_k}},
    .cases = {"?, ? = (f32[2,5], i64[1]{3})", "?, ? = (f32[5,2], i64[1]{2}) axis=0 largest=0"},
};

}  // namespace hone
