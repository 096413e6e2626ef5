#include "hone/targets/cuda/quantized.h"

#include "hone/ops/op_def.h"

namespace hone::cuda {
namespace {

bool is_tensor_of_one_scale(const Value* value, const StepBuilder& builder, DTypeSet types) {
  if (value == nullptr || !builder.planned(value)) return false;
  const TensorType& type = value->type.tensor;
  return type.quantized() && type.quant->per_tensor() && types.contains(type.dtype) &&
         type.elements() > 0 && type.elements() <= kMostElements;
}

}  // namespace

bool is_byte_tensor(const Value* value, const StepBuilder& builder) {
  return is_tensor_of_one_scale(value, builder, DTypeSet{DType::I8, DType::U8});
}

bool is_integer_tensor(const Value* value, const StepBuilder& builder) {
  return is_tensor_of_one_scale(value, builder, DTypeSet{DType::I8, DType::U8, DType::I16});
}

std::string_view integer_name(DType dtype) {
  switch (dtype) {
    case DType::I8:
      return "i8";
    case DType::U8:
      return "u8";
    case DType::I16:
      return "i16";
    default:
      HONE_CHECK(false, "kernels on integers do not take ", name_of(dtype));
      return {};
  }
}

SourceMaker& define_rounding(SourceMaker& source, const StepBuilder& builder) {
  static_assert(static_cast<int>(Rounding::Double) == 0 &&
                    static_cast<int>(Rounding::Single) == 1 &&
                    static_cast<int>(Rounding::DoubleUpward) == 2,
                "as integers.cu counts them");
  return source.define("ROUNDING", static_cast<int64_t>(builder.options().eval.rounding));
}

std::string factor_text(FixedPoint factor) {
  return str(factor.multiplier, ", ", factor.shift);
}

std::string place_text(int32_t zero, IntRange range) {
  return str(zero, ", ", range.low, ", ", range.high);
}

std::optional<IntRange> range_of_output(const Node& node) {
  const NodeContext context(*find_op(node.op), node);
  const auto range = activation_range(context.text("activation"), node.outputs[0]->type.tensor);
  if (!range.ok()) return std::nullopt;
  return *range;
}

}  // namespace hone::cuda
