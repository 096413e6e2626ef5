#include "hone/ops/elementwise/broadcast.h"

#include "hone/ops/quant/integer.h"

namespace hone {

Result<std::vector<ValueType>> infer_predicate(const InferContext& in) {
  HONE_TRY(std::vector<ValueType> types, infer_broadcast(in));
  types[0].tensor.dtype = DType::Bool;
  return types;
}

Result<std::vector<ValueType>> infer_quantizable(const InferContext& in) {
  HONE_RETURN_IF_ERROR(check_quantized(in, 1, kFloat));
  TensorType type = plain(in.type(0));
  type.dtype = output_dtype(in);
  return std::vector<ValueType>{type};
}

Cost cost_broadcast(const InferContext& in) {
  const auto types = infer_broadcast(in);
  if (!types.ok()) return {};
  const TensorType& type = (*types)[0].tensor;
  if (!type.known() || !type.check().ok()) return {};
  return {.macs = 0, .flops = type.elements()};
}

Status drop_consumed_inputs(OnnxImport& in) {
  if (in.opset < 6) in.attrs.erase("consumed_inputs");
  return Done{};
}

Status upgrade_broadcast(OnnxImport& in) {
  if (in.opset >= 7) return Done{};
  HONE_RETURN_IF_ERROR(drop_consumed_inputs(in));
  in.attrs.erase("broadcast");
  if (!in.has("axis")) return Done{};
  const int64_t axis = in.take<int64_t>("axis", 0);
  const Value* a = in.input(0);
  const Value* b = in.input(1);
  if (a == nullptr || b == nullptr) return Done{};
  const TensorType& left = a->type.tensor;
  const TensorType& right = b->type.tensor;
  if (!right.ranked || (axis >= 0 && !left.ranked)) {
    return unsupported("broadcasting from axis ", axis, " of an operand whose rank is not known");
  }
  if (right.known() && right.elements() == 1 && right.rank() <= 1) return Done{};
  const int64_t start = axis < 0 ? axis : axis - left.rank();  // From the back.
  if (start < -left.rank() && left.ranked) {
    return bad_input("axis ", axis, " is outside a tensor of rank ", left.rank());
  }
  const int64_t missing = -start - right.rank();
  if (start >= 0 || missing < 0 || missing > 64) {
    return bad_input("operand ", right, " does not fit into ", left, " from axis ", axis);
  }
  if (missing == 0) return Done{};
  Ints axes;
  for (int64_t i = 0; i < missing; ++i) axes.push_back(right.rank() + i);
  Value* constant = in.constant(Tensor::of_ints(axes));
  in.inputs[1] = in.add("unsqueeze", {in.inputs[1], constant})->outputs[0];
  return Done{};
}

void real_to_input(OnnxImport& in, std::string_view key, size_t input) {
  if (!in.has(key)) return;
  const double value = in.take<double>(key, 0);
  const DType dtype = in.input(0) == nullptr ? DType::F32 : in.input(0)->type.tensor.dtype;
  Tensor tensor = Tensor::scalar(static_cast<float>(value));
  if (dtype == DType::F64) tensor = Tensor::scalar(value);
  if (dtype == DType::F16) tensor = Tensor::scalar(Half(value));
  in.set_input(input, in.constant(std::move(tensor)));
}

}  // namespace hone
