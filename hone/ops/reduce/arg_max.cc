// arg_max, arg_min: where along `axis` the largest or smallest element is; of several the first, or
// the last where `select_last_index`. NaN counts as both.

#include "hone/ops/common.h"
#include "hone/ops/elementwise/arithmetic.h"
#include "hone/ops/reduce/reduce_tflite.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_arg_max(const InferContext& in) {
  const TensorType& x = in.type(0);
  if (!x.ranked) return std::vector<ValueType>{TensorType::unranked(DType::I64)};
  HONE_TRY(const size_t axis, resolve_axis(in.integer("axis"), x.rank()));
  TensorType type{DType::I64, x.shape};
  if (in.integer("keepdims") != 0) {
    type.shape[axis] = 1;
  } else {
    type.shape.erase(type.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  }
  return std::vector<ValueType>{type};
}

struct Greater {
  template <class T>
  static bool apply(T a, T b) {
    return a > b;
  }
};

struct Less {
  template <class T>
  static bool apply(T a, T b) {
    return a < b;
  }
};

template <class Fn, class T>
int64_t position(const T* x, int64_t n, int64_t stride, bool last) {
  int64_t best = 0;
  for (int64_t i = 1; i < n; ++i) {
    const T a = x[i * stride];
    const T b = x[best * stride];
    const bool wins = is_nan(b) ? is_nan(a) && last : is_nan(a) || Fn::apply(a, b);
    const bool ties = !is_nan(b) && a == b && last;
    if (wins || ties) best = i;
  }
  return best;
}

template <class Fn>
Status eval_arg_max(EvalContext& in) {
  const Tensor& x = in.in(0);
  HONE_TRY(const size_t axis, resolve_axis(in.integer("axis"), x.rank()));
  const AxisSplit split = split_at(x.shape(), axis);
  const auto y = in.out().mutable_data<int64_t>();
  if (y.empty()) return Done{};
  if (split.n == 0) return bad_input("axis ", axis, " of ", x.type(), " is empty");
  const bool last = in.integer("select_last_index") != 0;
  dispatch_numeric(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = x.data<T>().data();
    size_t o = 0;
    for (int64_t outer = 0; outer < split.outer; ++outer) {
      for (int64_t inner = 0; inner < split.inner; ++inner) {
        const T* line = from + outer * split.n * split.inner + inner;
        y[o++] = position<Fn>(line, split.n, split.inner, last);
      }
    }
  });
  return Done{};
}

// Stored values compare as what they stand for, since scales are positive.
template <class Fn>
OpDef arg(std::string_view name, std::string_view onnx, TfliteRule tflite,
          std::string_view summary) {
  return {
      .name = name,
      .summary = summary,
      .inputs = {{"x", kNumeric}},
      .attrs = {{"axis", int64_t{0}}, {"keepdims", int64_t{1}}, {"select_last_index", int64_t{0}}},
      .quantized = true,
      .infer = infer_arg_max,
      .cost = cost_per_element<1>,
      .eval = eval_arg_max<Fn>,
      .onnx = {{onnx}},
      .tflite = {tflite},
      .cases = {"(f32[2,5]) axis=1", "(f32[2,5]) keepdims=0"},
  };
}

}  // namespace

extern const OpDef op_arg_max = arg<Greater>("arg_max", "ArgMax", {"ARG_MAX", import_arg_max},
                                             "Position of the maximum along an axis.");
extern const OpDef op_arg_min = arg<Less>("arg_min", "ArgMin", {"ARG_MIN", import_arg_min},
                                          "Position of the minimum along an axis.");

}  // namespace hone
