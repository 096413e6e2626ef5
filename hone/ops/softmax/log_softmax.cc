// log_softmax(x)[i] = x[i] - log(sum_j exp(x[j])) along `axis`.

#include <algorithm>
#include <cmath>

#include "hone/ops/common.h"
#include "hone/ops/quant/integer.h"
#include "hone/ops/softmax/flatten.h"
#include "hone/ops/softmax/softmax_quantized.h"
#include "hone/ops/tflite_import.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_log_softmax(const InferContext& in) {
  HONE_RETURN_IF_ERROR(check_log_softmax_quantized(in));
  if (in.type(0).ranked) {
    HONE_RETURN_IF_ERROR(resolve_axis(in.integer("axis"), in.type(0).rank()));
  }
  return infer_same(in);
}

// One line of n elements, `stride` apart: subtracts the maximum first, so that nothing overflows.
template <class T>
void log_softmax_line(const T* x, T* y, int64_t n, int64_t stride) {
  Compute<T> max = x[0];
  for (int64_t i = 1; i < n; ++i) max = std::max(max, Compute<T>(x[i * stride]));
  Compute<T> sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += std::exp(Compute<T>(x[i * stride]) - max);
  const Compute<T> log = std::log(sum);
  for (int64_t i = 0; i < n; ++i) y[i * stride] = T(Compute<T>(x[i * stride]) - max - log);
}

Status eval_log_softmax(EvalContext& in) {
  if (in.in(0).type().quantized()) return eval_log_softmax_quantized(in);
  if (in.out().elements() == 0) return Done{};
  HONE_TRY(const size_t axis, resolve_axis(in.integer("axis"), in.in(0).rank()));
  const AxisSplit split = split_at(in.in(0).shape(), axis);
  dispatch_float(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* x = in.in(0).data<T>().data();
    T* y = in.out().template mutable_data<T>().data();
    for (int64_t o = 0; o < split.outer; ++o) {
      for (int64_t i = 0; i < split.inner; ++i) {
        const int64_t base = o * split.n * split.inner + i;
        log_softmax_line(x + base, y + base, split.n, split.inner);
      }
    }
  });
  return Done{};
}

}  // namespace

extern const OpDef op_log_softmax = {
    .name = "log_softmax",
    .summary = "The logarithm of softmax along an axis.",
    .inputs = {{"x", kFloat | kQuantized}},
    .attrs = {{"axis", int64_t{-1}}},
    .quantized = true,
    .infer = infer_log_softmax,
    .cost = cost_per_element<5>,
    .eval = eval_log_softmax,
    .onnx = {{"LogSoftmax", flatten_before_opset_13}},
    .tflite = {{"LOG_SOFTMAX", import_as<"log_softmax">}},
    .cases = {"(f32[2,3,5])"},
};

}  // namespace hone
