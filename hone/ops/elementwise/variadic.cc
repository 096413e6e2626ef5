// max, min, sum and mean over any number of tensors, broadcast together.

#include "hone/ops/elementwise/arithmetic.h"
#include "hone/ops/elementwise/broadcast.h"
#include "hone/ops/quant/integer.h"
#include "hone/ops/tflite_import.h"

namespace hone {
namespace {

// The inputs combined from left to right. Short floats are rounded at the end only.
template <class T, class Fn>
std::vector<Compute<T>> combine(EvalContext& in, Fn fn) {
  using C = Compute<T>;
  const Shape& shape = in.out_type().tensor.shape;
  std::vector<C> result(static_cast<size_t>(elements(shape)));
  for (size_t input = 0; input < in.inputs(); ++input) {
    const T* x = in.in(input).data<T>().data();
    C* y = result.data();
    const auto strides = broadcast_strides(in.in(input).shape(), shape);
    for (RowWalk walk(shape, {strides}); !walk.done(); walk.next()) {
      for (int64_t i = 0; i < walk.n(); ++i, ++y) {
        const C value = x[walk.at(0, i)];
        *y = input == 0 ? value : fn(*y, value);
      }
    }
  }
  return result;
}

template <class T>
void store(const std::vector<Compute<T>>& values, Tensor& y) {
  const auto to = y.mutable_data<T>();
  for (size_t i = 0; i < to.size(); ++i) to[i] = T(values[i]);
}

struct Max {
  template <class T>
  T operator()(T a, T b) const {
    return maximum(a, b);
  }
};

struct Min {
  template <class T>
  T operator()(T a, T b) const {
    return minimum(a, b);
  }
};

template <class Fn>
Status eval_extreme(EvalContext& in) {
  dispatch_numeric(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    store<T>(combine<T>(in, Fn()), in.out());
  });
  return Done{};
}

template <bool kMean>
Status eval_sum(EvalContext& in) {
  dispatch_float(in.in(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Compute<T>;
    std::vector<C> sums = combine<T>(in, [](C a, C b) { return a + b; });
    if (kMean) {
      for (C& sum : sums) sum /= static_cast<C>(in.inputs());
    }
    store<T>(sums, in.out());
  });
  return Done{};
}

Cost cost_variadic(const InferContext& in) {
  Cost cost = cost_broadcast(in);
  cost.flops *= static_cast<int64_t>(in.inputs());
  return cost;
}

OpDef variadic(std::string_view name, std::string_view onnx, std::string_view summary,
               DTypeSet types, Status (*evaluate)(EvalContext&)) {
  return {
      .name = name,
      .summary = summary,
      .kind = OpKind::Broadcast,
      .inputs = {{"x", types, 'T', kVariadic}},
      .infer = infer_broadcast,
      .cost = cost_variadic,
      .eval = evaluate,
      .onnx = {{onnx, drop_consumed_inputs}},
      .cases = {"(f32[2,3,4], f32[2,3,4])", "(f32[2,3,4], f32[4], f32[3,1])"},
  };
}

// Stored values compare as what they stand for, as long as the scale is the same.
Result<std::vector<ValueType>> infer_extreme(const InferContext& in) {
  HONE_RETURN_IF_ERROR(check_quantized(in, in.inputs(), kNumeric));
  for (size_t i = 0; i < in.inputs() && in.type(0).quantized(); ++i) {
    if (!same_quantization(in.type(i), in.declared(0))) {
      return unsupported("inputs quantized otherwise than the output");
    }
  }
  return infer_broadcast(in);
}

OpDef with_tflite(OpDef op, TfliteRule tflite) {
  op.integers = IntegerForm::Joined;
  op.half = true;
  op.quantized = true;
  op.infer = infer_extreme;
  op.tflite = {tflite};
  return op;
}

}  // namespace

extern const OpDef op_max = with_tflite(
    variadic("max", "Max", "Elementwise maximum of tensors.", kNumeric, eval_extreme<Max>),
    {"MAXIMUM", import_as<"max">});
extern const OpDef op_mean =
    variadic("mean", "Mean", "Elementwise mean of tensors.", kFloat, eval_sum<true>);
extern const OpDef op_min = with_tflite(
    variadic("min", "Min", "Elementwise minimum of tensors.", kNumeric, eval_extreme<Min>),
    {"MINIMUM", import_as<"min">});
extern const OpDef op_sum =
    variadic("sum", "Sum", "Elementwise sum of tensors.", kFloat, eval_sum<false>);

}  // namespace hone
