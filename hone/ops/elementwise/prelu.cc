// y = x above zero, slope * x below; the slope is broadcast to x.

#include <algorithm>

#include "hone/ops/elementwise/activation_quantized.h"
#include "hone/ops/elementwise/arithmetic.h"
#include "hone/ops/elementwise/broadcast.h"
#include "hone/ops/quant/integer.h"
#include "hone/ops/tflite_import.h"

namespace hone {
namespace {

constexpr DTypeSet kPreluTypes = kFloat | DTypeSet{DType::I32, DType::I64, DType::U32, DType::U64};

// Whether the shapes can turn out the same once every extent is known.
bool could_be(const Shape& a, const Shape& b) {
  return std::ranges::equal(
      a, b, [](int64_t x, int64_t y) { return x == y || x == kUnknown || y == kUnknown; });
}

Result<std::vector<ValueType>> infer_prelu(const InferContext& in) {
  HONE_RETURN_IF_ERROR(check_quantized(in, 2, kPreluTypes));
  HONE_TRY(const std::vector<ValueType> both, infer_broadcast(in));
  const TensorType& x = in.type(0);
  if (x.ranked && both[0].tensor.ranked && !could_be(both[0].tensor.shape, x.shape)) {
    return bad_input("slope ", in.type(1), " does not broadcast to ", x);
  }
  TensorType type = plain(x);
  type.dtype = output_dtype(in);
  return std::vector<ValueType>{type};
}

Status eval_prelu(EvalContext& in) {
  if (in.in(0).type().quantized()) return eval_prelu_quantized(in);
  dispatch<float, double, Half, BFloat16, int32_t, int64_t, uint32_t, uint64_t>(
      in.in(0).dtype(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        broadcast_pairs<T, T, T>(in.in(0), in.in(1), in.out(),
                                 [](T x, T slope) { return x < T{} ? multiply(x, slope) : x; });
      });
  return Done{};
}

// Before opset 7 a slope of more than one element was one per channel, axis 1 of x.
Status upgrade_prelu(OnnxImport& in) {
  HONE_RETURN_IF_ERROR(drop_consumed_inputs(in));
  if (in.opset >= 7 || in.input(0) == nullptr || in.input(1) == nullptr) return Done{};
  const TensorType& x = in.input(0)->type.tensor;
  const TensorType& slope = in.input(1)->type.tensor;
  if (slope.known() && slope.elements() == 1) return Done{};
  if (!x.ranked || !slope.ranked) {
    return unsupported("slopes per channel of an input whose rank is not known");
  }
  if (slope.rank() != 1 || x.rank() <= 2) return Done{};
  Ints axes;
  for (int64_t i = 1; i < x.rank() - 1; ++i) axes.push_back(i);
  Value* constant = in.constant(Tensor::of_ints(axes));
  in.inputs[1] = in.add("unsqueeze", {in.inputs[1], constant})->outputs[0];
  return Done{};
}

}  // namespace

extern const OpDef op_prelu = {
    .name = "prelu",
    .summary = "x above zero, slope * x below.",
    .kind = OpKind::Broadcast,
    .integers = IntegerForm::Scaled,
    .inputs = {{"x", kPreluTypes | kQuantized, 'T'}, {"slope", kPreluTypes | kQuantized, 'T'}},
    .quantized = true,
    .infer = infer_prelu,
    .cost = cost_per_element<2>,
    .eval = eval_prelu,
    .onnx = {{"PRelu", upgrade_prelu}},
    .tflite = {{"PRELU", import_as<"prelu">}},
    .cases = {"(f32[2,3,4], const f32[3,1])", "(f32[2,3,4], f32[1]{0.25})"},
};

}  // namespace hone
