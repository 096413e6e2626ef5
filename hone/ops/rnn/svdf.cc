// svdf, a dense layer over the last `memory` inputs with weights of low rank. Each of the units *
// rank filters f remembers what it made of the inputs, newest last:
//     state[f] = state[f][1..], feature[f] x
//     y[u] = activation(sum over the filters f of u (sum over m (time[f][m] * state[f][m])) + b[u])
// Inputs: x [batch, inputs], feature [filters, inputs], time [filters, memory], b [units], state
// [batch, filters * memory]. In integers x, feature and y have 8 bits, time and state 16, or 8 as
// TFLM has them, and then the state may have a zero point.

#include <algorithm>

#include "hone/ops/common.h"
#include "hone/ops/expect_shape.h"
#include "hone/ops/matmul/batch_product.h"
#include "hone/ops/op_def.h"
#include "hone/ops/quant/integer.h"
#include "hone/ops/quant/weighted.h"
#include "hone/ops/rnn/rnn_tflite.h"

namespace hone {
namespace {

constexpr size_t kSvdfX = 0, kFeature = 1, kTime = 2, kBias = 3, kState = 4;
constexpr int64_t kLargestRank = int64_t{1} << 31;

Status expect_type(const InferContext& in, size_t input, DType dtype, bool quantized) {
  if (!in.has(input) || in.dtype(input) == DType::Undefined) return Done{};
  const TensorType& type = in.type(input);
  const std::string_view name = in.op().inputs[input].name;
  if (type.dtype != dtype) {
    return unsupported("input ", name, " is ", type.dtype, " beside inputs that want ", dtype);
  }
  if (!quantized) return Done{};
  if (!type.quantized() || !type.quant->per_tensor()) {
    return unsupported("input ", name, " is not quantized by one scale");
  }
  const bool activation = input == kSvdfX || (input == kState && dtype == DType::I8);
  const int32_t zero_point = type.quant->zero_point();
  if (zero_point < (activation ? -128 : 0) || zero_point > (activation ? 127 : 0)) {
    return unsupported("input ", name, " has zero point ", zero_point);
  }
  return Done{};
}

Status check_integer(const InferContext& in) {
  HONE_RETURN_IF_ERROR(expect_type(in, kSvdfX, DType::I8, true));
  HONE_RETURN_IF_ERROR(expect_type(in, kFeature, DType::I8, true));
  const DType remembered = in.dtype(kTime) == DType::I8 ? DType::I8 : DType::I16;
  HONE_RETURN_IF_ERROR(expect_type(in, kTime, remembered, true));
  HONE_RETURN_IF_ERROR(expect_type(in, kBias, DType::I32, false));
  HONE_RETURN_IF_ERROR(expect_type(in, kState, remembered, true));
  // TFLite has no other; what it cuts off is below the zero point of y.
  if (in.text("activation") != "relu") {
    return unsupported("activation '", in.text("activation"), "' in integers");
  }
  const TensorType& y = in.declared(0);
  if (y.dtype == DType::I8 && y.quantized() && y.quant->per_tensor()) return Done{};
  return unsupported("an output of ", y, " that is not quantized as the input is");
}

Status check_types_svdf(const InferContext& in) {
  HONE_RETURN_IF_ERROR(check_activation(in));
  if (in.type(kSvdfX).quantized()) return check_integer(in);
  const bool hybrid = in.type(kFeature).quantized();
  HONE_RETURN_IF_ERROR(expect_type(in, kSvdfX, DType::F32, false));
  HONE_RETURN_IF_ERROR(expect_type(in, kFeature, hybrid ? DType::I8 : DType::F32, hybrid));
  HONE_RETURN_IF_ERROR(expect_type(in, kTime, hybrid ? DType::I8 : DType::F32, hybrid));
  HONE_RETURN_IF_ERROR(expect_type(in, kBias, DType::F32, false));
  return expect_type(in, kState, DType::F32, false);
}

// The extent of an axis of an input, when it is known. BadInput when the rank is not 2.
Result<int64_t> extent(const InferContext& in, size_t input, size_t axis) {
  const TensorType& type = in.type(input);
  if (!type.ranked) return kUnknown;
  if (type.rank() == 2) return type.shape[axis];
  return bad_input(in.op().inputs[input].name, " is ", type, ", expected a matrix");
}

Result<std::vector<ValueType>> infer_svdf(const InferContext& in) {
  HONE_RETURN_IF_ERROR(check_types_svdf(in));
  const int64_t rank = in.integer("rank");
  if (rank < 1 || rank > kLargestRank) return bad_input("a rank of ", rank);
  HONE_TRY(const int64_t batch, extent(in, kSvdfX, 0));
  HONE_TRY(const int64_t inputs, extent(in, kSvdfX, 1));
  HONE_TRY(const int64_t filters, extent(in, kFeature, 0));
  HONE_TRY(const int64_t memory, extent(in, kTime, 1));
  if (memory == 0) return bad_input("a memory of no steps");
  if (filters != kUnknown && filters % rank != 0) {
    return bad_input(filters, " filters of rank ", rank);
  }
  const int64_t units = filters == kUnknown ? kUnknown : filters / rank;
  int64_t remembered = kUnknown;
  if (filters != kUnknown && memory != kUnknown &&
      __builtin_mul_overflow(filters, memory, &remembered)) {
    return bad_input(filters, " filters with a memory of ", memory);
  }
  HONE_RETURN_IF_ERROR(expect_shape(in, kFeature, {filters, inputs}));
  HONE_RETURN_IF_ERROR(expect_shape(in, kTime, {filters, memory}));
  HONE_RETURN_IF_ERROR(expect_shape(in, kBias, {units}));
  HONE_RETURN_IF_ERROR(expect_shape(in, kState, {batch, remembered}));
  TensorType state = in.type(kState);
  state.shape = {batch, remembered};
  state.ranked = true;
  return std::vector<ValueType>{TensorType{in.dtype(kSvdfX), {batch, units}}, std::move(state)};
}

Cost cost_svdf(const InferContext& in) {
  if (!in.type(kSvdfX).known() || !in.type(kFeature).known() || !in.type(kTime).known()) return {};
  if (in.type(kSvdfX).rank() != 2) return {};
  const int64_t factors[] = {in.type(kSvdfX).shape[0],
                             in.type(kFeature).elements() + in.type(kTime).elements()};
  return {.macs = product_or_zero(factors), .flops = 0};
}

// The state with room for the newest at the end of each filter.
template <class T>
std::vector<T> shifted_state(const EvalContext& in, size_t memory) {
  const auto data = in.in(kState).data<T>();
  std::vector<T> state(data.begin(), data.end());
  for (size_t f = 0; f + memory <= state.size(); f += memory) {
    std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(f + 1), memory - 1,
                state.begin() + static_cast<std::ptrdiff_t>(f));
  }
  return state;
}

template <class T>
void store_state(EvalContext& in, const std::vector<T>& state) {
  if (in.outputs() > 1) std::ranges::copy(state, in.out(1).mutable_data<T>().begin());
}

struct SvdfExtents {
  explicit SvdfExtents(const EvalContext& in)
      : batch(static_cast<size_t>(in.in(kSvdfX).shape()[0])),
        inputs(static_cast<size_t>(in.in(kSvdfX).shape()[1])),
        filters(static_cast<size_t>(in.in(kFeature).shape()[0])),
        memory(static_cast<size_t>(in.in(kTime).shape()[1])),
        rank(static_cast<size_t>(in.integer("rank"))) {}
  size_t units() const { return filters / rank; }
  // All filters of all samples.
  size_t all() const { return batch * filters; }

  size_t batch, inputs, filters, memory, rank;
};

// What the filters make of x, [batch][filters]; weights of int8 multiply x quantized by sample.
std::vector<float> features(const EvalContext& in, const SvdfExtents& n, bool hybrid) {
  std::vector<float> made(n.all());
  const Tensor& feature = in.in(kFeature);
  HybridRows rows;
  std::vector<uint32_t> steps;
  if (hybrid) {
    rows = quantize_rows(in.in(kSvdfX), static_cast<int64_t>(n.batch), HybridRange::Symmetric);
    steps = less_zero_points<uint32_t>(feature);
  }
  for (size_t i = 0; i < made.size(); ++i) {
    const size_t x = i / n.filters * n.inputs;
    const size_t w = i % n.filters * n.inputs;
    if (hybrid) {
      uint32_t sum = 0;
      for (size_t k = 0; k < n.inputs; ++k) sum += rows.values[x + k] * steps[w + k];
      made[i] = static_cast<float>(static_cast<int32_t>(sum)) *
                (rows.scales[i / n.filters] * scale_of(feature));
    } else {
      double sum = 0;
      for (size_t k = 0; k < n.inputs; ++k) {
        sum += double{in.in(kSvdfX).data<float>()[x + k]} * double{feature.data<float>()[w + k]};
      }
      made[i] = static_cast<float>(sum);
    }
  }
  return made;
}

std::vector<float> floats_of(const Tensor& tensor) {
  if (!tensor.type().quantized()) {
    return {tensor.data<float>().begin(), tensor.data<float>().end()};
  }
  std::vector<float> values;
  for (const int8_t step : tensor.data<int8_t>())
    values.push_back(static_cast<float>(step) * scale_of(tensor));
  return values;
}

Tensor expanded(const Tensor& tensor) {
  return Tensor::of<float>(tensor.shape(), floats_of(tensor));
}

Status eval_float(EvalContext& in) {
  const SvdfExtents n(in);
  const std::vector<float> made = features(in, n, in.in(kFeature).type().quantized());
  const std::vector<float> time = floats_of(in.in(kTime));
  std::vector<float> state = shifted_state<float>(in, n.memory);
  for (size_t i = 0; i < made.size(); ++i) state[(i + 1) * n.memory - 1] = made[i];
  const auto y = in.out(0).mutable_data<float>();
  for (size_t i = 0; i < y.size(); ++i) {
    double sum = 0;
    for (size_t f = i * n.rank; f < (i + 1) * n.rank; ++f) {
      const size_t w = f % n.filters * n.memory;
      for (size_t m = 0; m < n.memory; ++m) {
        sum += double{time[w + m]} * double{state[f * n.memory + m]};
      }
    }
    y[i] = static_cast<float>(sum);
    if (in.has(kBias)) y[i] += in.in(kBias).data<float>()[i % n.units()];
  }
  activate_all(in.out(0), in);
  store_state(in, state);
  return Done{};
}

// With weights of int8 expanded to float first.
Status eval_with_expanded_weights(EvalContext& in) {
  const Item feature(expanded(in.in(kFeature)));
  const Item time(expanded(in.in(kTime)));
  std::vector<const Item*> inputs{&in.item(kSvdfX), &feature, &time,
                                  in.has(kBias) ? &in.item(kBias) : nullptr, &in.item(kState)};
  std::vector<ValueType> types;
  for (size_t i = 0; i < in.outputs(); ++i) types.push_back(in.out_type(i));
  EvalContext inner(in.op(), in.node(), std::move(inputs), std::move(types), in.options(), nullptr);
  HONE_RETURN_IF_ERROR(eval_float(inner));
  std::vector<Item> outputs = inner.take_outputs();
  for (size_t i = 0; i < outputs.size(); ++i) in.set(i, std::move(outputs[i]));
  return Done{};
}

// TFLite multiplies these scales in float.
FixedPoint factor(float a, float b, float result) {
  return fixed_point(double{a * b / result});
}

// T is the type of the state.
template <class T>
void run_integer(EvalContext& in) {
  const SvdfExtents n(in);
  const Rounding rounding = in.options().rounding;
  const float state_scale = scale_of(in.in(kState));
  const Quantization& out = *in.out_type(0).tensor.quant;
  const FixedPoint first = factor(scale_of(in.in(kSvdfX)), scale_of(in.in(kFeature)), state_scale);
  const FixedPoint second = factor(state_scale, scale_of(in.in(kTime)), out.scale());
  const std::vector<uint32_t> x = less_zero_points<uint32_t>(in.in(kSvdfX));
  const std::vector<uint32_t> feature = less_zero_points<uint32_t>(in.in(kFeature));
  const std::vector<uint32_t> time = less_zero_points<uint32_t>(in.in(kTime));
  std::vector<T> state = shifted_state<T>(in, n.memory);
  const int32_t state_zero = zero_point_of(in.in(kState));
  for (size_t i = 0; i < n.all(); ++i) {
    uint32_t sum = 0;
    for (size_t k = 0; k < n.inputs; ++k) {
      sum += x[i / n.filters * n.inputs + k] * feature[i % n.filters * n.inputs + k];
    }
    const int32_t made = scale_by(static_cast<int32_t>(sum), first, rounding);
    // TFLM adds the zero point to what it has cut, in the state's own bits.
    state[(i + 1) * n.memory - 1] = static_cast<T>(range_of(kDTypeOf<T>).clamp(made) + state_zero);
  }
  const auto y = in.out(0).mutable_data<int8_t>();
  for (size_t i = 0; i < y.size(); ++i) {
    uint32_t sum = 0;
    if (in.has(kBias)) sum = static_cast<uint32_t>(in.in(kBias).data<int32_t>()[i % n.units()]);
    for (size_t f = i * n.rank; f < (i + 1) * n.rank; ++f) {
      const size_t w = f % n.filters * n.memory;
      for (size_t m = 0; m < n.memory; ++m) {
        sum += time[w + m] * static_cast<uint32_t>(state[f * n.memory + m] - state_zero);
      }
    }
    const int64_t scaled = scale_by(static_cast<int32_t>(sum), second, rounding);
    y[i] = static_cast<int8_t>(range_of(DType::I8).clamp(scaled + out.zero_point()));
  }
  store_state(in, state);
}

Status eval_integer(EvalContext& in) {
  if (in.in(kState).dtype() == DType::I8) {
    run_integer<int8_t>(in);
  } else {
    run_integer<int16_t>(in);
  }
  return Done{};
}

Status eval_svdf(EvalContext& in) {
  if (in.in(kSvdfX).type().quantized()) return eval_integer(in);
  const bool expand = in.options().expand_hybrid_weights && in.in(kFeature).type().quantized();
  return expand ? eval_with_expanded_weights(in) : eval_float(in);
}

}  // namespace

extern const OpDef op_svdf = {
    .name = "svdf",
    .summary = "TFLite's dense layer of low rank over the last inputs.",
    .inputs = {{"x", DTypeSet{DType::F32, DType::I8}},
               {"feature", DTypeSet{DType::F32, DType::I8}},
               {"time", DTypeSet{DType::F32, DType::I8, DType::I16}},
               {"b", DTypeSet{DType::F32, DType::I32}, 0, kOptional},
               {"state", DTypeSet{DType::F32, DType::I8, DType::I16}}},
    .attrs = {activation_attr(), activation_params_attr(), {"rank", int64_t{1}}},
    .max_outputs = 2,
    .quantized = true,
    .infer = infer_svdf,
    .cost = cost_svdf,
    .eval = eval_svdf,
    .tflite = {{"SVDF", import_svdf}},
    .cases = {"?, ? = (f32[1,3], const f32[4,3], const f32[4,2], _, f32[1,8])"},
};

}  // namespace hone
