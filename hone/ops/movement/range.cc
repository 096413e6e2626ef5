// start, start + delta, ... up to but without `limit`.

#include <cmath>

#include "hone/ops/elementwise/arithmetic.h"
#include "hone/ops/movement/movement.h"
#include "hone/ops/tflite_import.h"

namespace hone {
namespace {

constexpr DTypeSet kRangeTypes = kFloat | kSigned;

template <class Fn>
auto dispatch_range(DType dtype, Fn&& fn) {
  return dispatch<float, double, Half, BFloat16, int8_t, int16_t, int32_t, int64_t>(
      dtype, std::forward<Fn>(fn));
}

// ceil((limit - start) / delta), at least 0.
Result<int64_t> count_of(int64_t start, int64_t limit, int64_t delta) {
  if (delta == 0) return bad_input("delta is zero");
  if ((delta > 0) == (start >= limit)) return 0;
  // The distance of two int64 fits into uint64, and so does the size of any delta.
  const uint64_t low = static_cast<uint64_t>(std::min(start, limit));
  const uint64_t distance = static_cast<uint64_t>(std::max(start, limit)) - low;
  const uint64_t step = delta > 0 ? static_cast<uint64_t>(delta) : -static_cast<uint64_t>(delta);
  const uint64_t count = distance / step + (distance % step != 0 ? 1 : 0);
  if (count > static_cast<uint64_t>(kLargestExtent)) return bad_input("a range of ", count);
  return static_cast<int64_t>(count);
}

Result<int64_t> count_of(double start, double limit, double delta) {
  const double count = std::ceil((limit - start) / delta);
  if (delta == 0 || std::isnan(count)) {
    return bad_input("no range from ", start, " to ", limit, " by ", delta);
  }
  if (count > static_cast<double>(kLargestExtent)) return bad_input("a range of ", count);
  return count > 0 ? static_cast<int64_t>(count) : 0;
}

Result<std::vector<ValueType>> infer_range(const InferContext& in) {
  TensorType type{in.dtype(0), {kUnknown}};
  for (size_t i = 0; i < 3; ++i) {
    if (in.type(i).known() && in.type(i).elements() != 1) {
      return bad_input("input ", i, " is ", in.type(i), ", expected a scalar");
    }
  }
  if (!in.value(0) || !in.value(1) || !in.value(2)) return std::vector<ValueType>{type};
  if (kSigned.contains(type.dtype)) {
    HONE_TRY(type.shape[0], count_of(to_ints(*in.value(0))[0], to_ints(*in.value(1))[0],
                                     to_ints(*in.value(2))[0]));
  } else {
    HONE_TRY(type.shape[0], count_of(to_doubles(*in.value(0))[0], to_doubles(*in.value(1))[0],
                                     to_doubles(*in.value(2))[0]));
  }
  return std::vector<ValueType>{type};
}

Status eval_range(EvalContext& in) {
  dispatch_range(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Compute<T> start = in.in(0).data<T>()[0];
    const Compute<T> delta = in.in(2).data<T>()[0];
    const auto y = in.out().template mutable_data<T>();
    for (size_t i = 0; i < y.size(); ++i) {
      y[i] = T(add(start, multiply(delta, static_cast<Compute<T>>(i))));
    }
  });
  return Done{};
}

}  // namespace

extern const OpDef op_range = {
    .name = "range",
    .summary = "Evenly spaced numbers.",
    .inputs = {{"start", kRangeTypes, 'T'},
               {"limit", kRangeTypes, 'T'},
               {"delta", kRangeTypes, 'T'}},
    .infer = infer_range,
    .eval = eval_range,
    .onnx = {{"Range"}},
    .tflite = {{"RANGE", import_as<"range">}},
    .cases = {"(i64[]{1}, i64[]{9}, i64[]{3})"},
};

}  // namespace hone
