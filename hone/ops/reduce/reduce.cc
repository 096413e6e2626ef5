// Reductions along axes, which an optional input names: all axes when it is left out or empty, or
// none where `noop_with_empty_axes`. Reduced axes stay with extent 1 when `keepdims`.

#include <algorithm>
#include <cmath>
#include <limits>

#include "hone/ops/elementwise/arithmetic.h"
#include "hone/ops/movement/movement.h"
#include "hone/ops/onnx_import.h"
#include "hone/ops/quant/integer.h"
#include "hone/ops/reduce/reduce_quantized.h"
#include "hone/ops/reduce/reduce_tflite.h"
#include "hone/ops/row_walk.h"

namespace hone {
namespace {

constexpr DTypeSet kReduceTypes = kFloat | DTypeSet{DType::I32, DType::I64, DType::U32, DType::U64};
constexpr DTypeSet kOrdered = kReduceTypes | DTypeSet{DType::I8, DType::U8, DType::Bool};

// --- shapes

Result<std::vector<bool>> reduced_axes(const NodeContext& in, const Ints& axes, int64_t rank) {
  if (axes.empty()) {
    return std::vector<bool>(static_cast<size_t>(rank), in.integer("noop_with_empty_axes") == 0);
  }
  HONE_TRY(const std::vector<size_t> resolved, resolve_axes(axes, rank));
  std::vector<bool> reduced(static_cast<size_t>(rank), false);
  for (const size_t axis : resolved) reduced[axis] = true;
  return reduced;
}

// The shape with reduced axes of extent 1, or without them.
Shape reduced_shape(const Shape& shape, const std::vector<bool>& reduced, bool keep) {
  Shape result;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!reduced[i]) {
      result.push_back(shape[i]);
    } else if (keep) {
      result.push_back(1);
    }
  }
  return result;
}

Result<std::vector<ValueType>> infer_reduce(const InferContext& in) {
  const TensorType& x = in.type(0);
  const bool keep = in.integer("keepdims") != 0;
  if (!x.ranked) return std::vector<ValueType>{TensorType::unranked(x.dtype)};
  const auto axes = in.has(1) ? in.known_ints(1) : Ints();
  if (!axes) {
    HONE_TRY(const TensorType type, type_of_rank(x.dtype, keep ? x.rank() : kUnknown));
    return std::vector<ValueType>{type};
  }
  HONE_TRY(const std::vector<bool> reduced, reduced_axes(in, *axes, x.rank()));
  return std::vector<ValueType>{{x.dtype, reduced_shape(x.shape, reduced, keep)}};
}

// --- values

// Combines into result[o] every element of x that lands on output o, in order.
template <class T, class A, class Fn>
void accumulate(const Tensor& x, const std::vector<bool>& reduced, std::vector<A>& result, Fn fn) {
  const Shape kept = reduced_shape(x.shape(), reduced, true);
  const T* from = x.data<T>().data();
  for (RowWalk walk(x.shape(), {broadcast_strides(kept, x.shape())}); !walk.done(); walk.next()) {
    for (int64_t i = 0; i < walk.n(); ++i) {
      const auto o = static_cast<size_t>(walk.at(0, i));
      result[o] = fn(o, result[o], static_cast<A>(static_cast<Compute<T>>(*from++)));
    }
  }
}

// Sums of floats are kept in double; integers wrap as their type does.
template <class T>
using Wide = std::conditional_t<kIsInteger<T>, T, double>;

template <class T, class A>
T narrow(A value) {
  if constexpr (kIsInteger<T> && !kIsInteger<A>) {
    return saturate_to<T>(value);
  } else {
    return static_cast<T>(value);
  }
}

// A reduction: Acc<T> is what it keeps, first() the result of nothing, step() takes an element in,
// and last() makes the result, with `n` the number of elements.
struct ReduceSum {
  template <class T>
  using Acc = Wide<T>;
  template <class T>
  static Acc<T> first() {
    return 0;
  }
  template <class A>
  static A step(A sum, A x) {
    return add(sum, x);
  }
  template <class A>
  static A last(A sum, int64_t) {
    return sum;
  }
};

struct Mean : ReduceSum {
  template <class T>
  using Acc = std::conditional_t<!kIsInteger<T>, double,
                                 std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;
  template <class A>
  static A last(A sum, int64_t n) {
    return divide(sum, static_cast<A>(n));
  }
};

struct SumSquare : ReduceSum {
  template <class A>
  static A step(A sum, A x) {
    return add(sum, multiply(x, x));
  }
};

struct L1 : ReduceSum {
  template <class A>
  static A step(A sum, A x) {
    return x < A{0} ? subtract(sum, x) : add(sum, x);
  }
};

struct L2 : SumSquare {
  template <class T>
  using Acc = double;
  static double last(double sum, int64_t) { return std::sqrt(sum); }
};

struct LogSum : ReduceSum {
  template <class T>
  using Acc = double;
  static double last(double sum, int64_t) { return std::log(sum); }
};

struct Prod : ReduceSum {
  template <class T>
  static Acc<T> first() {
    return 1;
  }
  template <class A>
  static A step(A product, A x) {
    return multiply(product, x);
  }
};

struct Max : ReduceSum {
  template <class T>
  static Acc<T> first() {
    if constexpr (kIsInteger<T>) return std::numeric_limits<T>::min();
    return static_cast<Acc<T>>(-std::numeric_limits<double>::infinity());
  }
  template <class A>
  static A step(A a, A b) {
    return maximum(a, b);
  }
};

struct Min : ReduceSum {
  template <class T>
  static Acc<T> first() {
    if constexpr (kIsInteger<T>) return std::numeric_limits<T>::max();
    return static_cast<Acc<T>>(std::numeric_limits<double>::infinity());
  }
  template <class A>
  static A step(A a, A b) {
    return minimum(a, b);
  }
};

// How many elements of x each output stands for.
int64_t group_size(const Shape& shape, const std::vector<bool>& reduced) {
  int64_t n = 1;
  for (size_t i = 0; i < shape.size(); ++i) n *= reduced[i] ? shape[i] : 1;
  return n;
}

template <class Fn, class T>
void reduce(const Tensor& x, const std::vector<bool>& reduced, Tensor& y) {
  using A = typename Fn::template Acc<T>;
  std::vector<A> result(static_cast<size_t>(y.elements()), static_cast<A>(Fn::template first<T>()));
  accumulate<T>(x, reduced, result, [](size_t, A a, A b) { return Fn::step(a, b); });
  const int64_t n = group_size(x.shape(), reduced);
  const auto to = y.mutable_data<T>();
  for (size_t i = 0; i < to.size(); ++i) to[i] = narrow<T>(Fn::last(result[i], n));
}

template <class Fn>
Status eval_reduce(EvalContext& in, const std::vector<bool>& reduced) {
  const Tensor& x = in.in(0);
  const bool nothing = in.out().elements() > 0 && group_size(x.shape(), reduced) == 0;
  if (std::is_same_v<Fn, Mean> && nothing && kInteger.contains(x.dtype())) {
    return bad_input("the mean of no integers");
  }
  dispatch<float, double, Half, BFloat16, int32_t, int64_t, uint32_t, uint64_t>(
      x.dtype(), [&](auto tag) { reduce<Fn, typename decltype(tag)::type>(x, reduced, in.out()); });
  return Done{};
}

template <class Fn>
Status eval_ordered(EvalContext& in, const std::vector<bool>& reduced) {
  switch (in.in(0).dtype()) {
    case DType::I8:
      reduce<Fn, int8_t>(in.in(0), reduced, in.out());
      return Done{};
    case DType::U8:
      reduce<Fn, uint8_t>(in.in(0), reduced, in.out());
      return Done{};
    case DType::I16:
      reduce<Fn, int16_t>(in.in(0), reduced, in.out());
      return Done{};
    case DType::Bool:
      reduce<Fn, bool>(in.in(0), reduced, in.out());
      return Done{};
    default:
      return eval_reduce<Fn>(in, reduced);
  }
}

// log(sum(exp(x))) with the maximum taken out first, so that nothing overflows.
template <class T>
void log_sum_exp(const Tensor& x, const std::vector<bool>& reduced, Tensor& y) {
  const double lowest = -std::numeric_limits<double>::infinity();
  std::vector<double> max(static_cast<size_t>(y.elements()), lowest);
  accumulate<T>(x, reduced, max, [](size_t, double a, double b) { return maximum(a, b); });
  for (double& value : max) value = std::isinf(value) ? 0 : value;
  std::vector<double> sum(max.size());
  accumulate<T>(x, reduced, sum,
                [&](size_t o, double a, double b) { return a + std::exp(b - max[o]); });
  const auto to = y.mutable_data<T>();
  for (size_t i = 0; i < to.size(); ++i) to[i] = narrow<T>(std::log(sum[i]) + max[i]);
}

Status eval_log_sum_exp(EvalContext& in, const std::vector<bool>& reduced) {
  dispatch<float, double, Half, BFloat16, int32_t, int64_t, uint32_t, uint64_t>(
      in.in(0).dtype(),
      [&](auto tag) { log_sum_exp<typename decltype(tag)::type>(in.in(0), reduced, in.out()); });
  return Done{};
}

// --- quantized

Result<std::vector<ValueType>> infer_scaled(const InferContext& in) {
  HONE_RETURN_IF_ERROR(check_quantized(in, 1, kReduceTypes));
  HONE_TRY(std::vector<ValueType> types, infer_reduce(in));
  types[0].tensor.dtype = output_dtype(in);
  return types;
}

// The largest stored value stands for the largest number, as long as the scale does not change.
Result<std::vector<ValueType>> infer_ordered(const InferContext& in) {
  HONE_RETURN_IF_ERROR(check_quantized(in, 1, kOrdered));
  if (in.type(0).quantized() && !same_quantization(in.type(0), in.declared(0))) {
    return unsupported("an output quantized otherwise than the input");
  }
  return infer_reduce(in);
}

using Evaluate = Status (*)(EvalContext&, const std::vector<bool>&);

template <Evaluate plain, Evaluate quantized>
Status eval_either(EvalContext& in, const std::vector<bool>& reduced) {
  return in.in(0).type().quantized() ? quantized(in, reduced) : plain(in, reduced);
}

// --- operators

// Without axes to reduce each element is a group of its own: ReduceL1 gives its magnitude.
template <Evaluate evaluate>
Status eval_by_axes(EvalContext& in) {
  const Ints axes = in.has(1) ? to_ints(in.in(1)) : Ints();
  HONE_TRY(const std::vector<bool> reduced, reduced_axes(in, axes, in.in(0).rank()));
  return evaluate(in, reduced);
}

// The axes were an attribute before opset 13 (ReduceSum) or 18 (the others).
Status upgrade_reduce(OnnxImport& in) {
  if (in.opset < 18) in.attr_to_input("axes", 1);
  return Done{};
}

template <Evaluate evaluate>
OpDef reduction(std::string_view name, std::string_view onnx, std::string_view summary,
                DTypeSet types = kReduceTypes) {
  return {
      .name = name,
      .summary = summary,
      .kind = OpKind::Reduction,
      .inputs = {{"x", types}, {"axes", DTypeSet{DType::I64}, 0, kOptional}},
      .attrs = {{"keepdims", int64_t{1}}, {"noop_with_empty_axes", int64_t{0}}},
      .infer = infer_reduce,
      .cost = cost_per_element<1>,
      .eval = eval_by_axes<evaluate>,
      .onnx = {{onnx, upgrade_reduce}},
      .cases = {"(f32[2,3,4], i64[1]{1})", "(f32[2,3,4], i64[2]{0 -1}) keepdims=0", "(f32[2,3])"},
  };
}

OpDef with_quantized(OpDef op,
                     Result<std::vector<ValueType>> (*infer_quantized)(const InferContext&),
                     std::vector<TfliteRule> tflite) {
  op.inputs[0].types = op.inputs[0].types | kQuantized;
  op.quantized = true;
  op.infer = infer_quantized;
  op.tflite = std::move(tflite);
  return op;
}

}  // namespace

extern const OpDef op_reduce_l1 =
    reduction<eval_reduce<L1>>("reduce_l1", "ReduceL1", "Sum of magnitudes along axes.");
extern const OpDef op_reduce_l2 =
    reduction<eval_reduce<L2>>("reduce_l2", "ReduceL2", "Root of the sum of squares along axes.");
extern const OpDef op_reduce_log_sum = reduction<eval_reduce<LogSum>>(
    "reduce_log_sum", "ReduceLogSum", "Logarithm of the sum along axes.");
extern const OpDef op_reduce_log_sum_exp = reduction<eval_log_sum_exp>(
    "reduce_log_sum_exp", "ReduceLogSumExp", "Logarithm of the sum of exponentials along axes.");
extern const OpDef op_reduce_max = with_quantized(
    reduction<eval_ordered<Max>>("reduce_max", "ReduceMax", "Maximum along axes.", kOrdered),
    infer_ordered,
    {{"REDUCE_MAX", import_reduction_as<"reduce_max">}, {"REDUCE_ANY", import_reduce_any}});
extern const OpDef op_reduce_mean = [] {
  OpDef op = with_quantized(reduction<eval_either<eval_reduce<Mean>, eval_mean_quantized>>(
                                "reduce_mean", "ReduceMean", "Mean along axes."),
                            infer_scaled, {{"MEAN", import_reduction_as<"reduce_mean">}});
  op.integers = IntegerForm::Mean;
  op.half = true;
  return op;
}();
extern const OpDef op_reduce_min = with_quantized(
    reduction<eval_ordered<Min>>("reduce_min", "ReduceMin", "Minimum along axes.", kOrdered),
    infer_ordered,
    {{"REDUCE_MIN", import_reduction_as<"reduce_min">}, {"REDUCE_ALL", import_reduce_all}});
extern const OpDef op_reduce_prod =
    with_quantized(reduction<eval_either<eval_reduce<Prod>, eval_prod_quantized>>(
                       "reduce_prod", "ReduceProd", "Product along axes."),
                   infer_scaled, {{"REDUCE_PROD", import_reduction_as<"reduce_prod">}});
extern const OpDef op_reduce_sum =
    with_quantized(reduction<eval_either<eval_reduce<ReduceSum>, eval_sum_quantized>>(
                       "reduce_sum", "ReduceSum", "Sum along axes."),
                   infer_scaled, {{"SUM", import_reduction_as<"reduce_sum">}});
extern const OpDef op_reduce_sum_square = reduction<eval_reduce<SumSquare>>(
    "reduce_sum_square", "ReduceSumSquare", "Sum of squares along axes.");

}  // namespace hone
