// From floats to int8 and uint8 with one scale, and back.

#include "hone/kernels/quantize/quantize.h"
#include "hone/ops/op_def.h"
#include "hone/ops/quant/integer.h"
#include "hone/targets/cpu/lowering.h"
#include "hone/targets/cpu/map_step.h"

namespace hone::cpu {
namespace {

template <class T>
const KernelVariant<Quantize<T>>& best_quantize() {
  if constexpr (std::is_signed_v<T>) {
    return best_variant(quantize_i8_variants());
  } else {
    return best_variant(quantize_u8_variants());
  }
}
template <class T>
const KernelVariant<Dequantize<T>>& best_dequantize() {
  if constexpr (std::is_signed_v<T>) {
    return best_variant(dequantize_i8_variants());
  } else {
    return best_variant(dequantize_u8_variants());
  }
}

template <class T>
std::unique_ptr<Step> quantize_step(const Value* x, const Value* y, const QuantizeI8& args,
                                    StepBuilder& builder) {
  const KernelVariant<Quantize<T>>& variant = best_quantize<T>();
  const auto map = [args, run = variant.run](size_t n, const float* from, T* to) {
    run(args, n, from, to);
  };
  return make_map_step<float, T>(step_kind(StepFamily::Conversion, "quantize_i8", variant.name), x,
                                 y, 1, map, builder);
}

template <class T>
std::unique_ptr<Step> dequantize_step(const Value* x, const Value* y, float scale, int32_t zero,
                                      StepBuilder& builder) {
  const KernelVariant<Dequantize<T>>& variant = best_dequantize<T>();
  const auto map = [scale, zero, run = variant.run](size_t n, const T* from, float* to) {
    run(scale, zero, n, from, to);
  };
  return make_map_step<T, float>(step_kind(StepFamily::Conversion, "dequantize_i8", variant.name),
                                 x, y, 1, map, builder);
}

bool is_byte(DType dtype) {
  return dtype == DType::I8 || dtype == DType::U8;
}

std::unique_ptr<Step> make_quantize(const Value* x, const Value* y, float scale, int32_t zero,
                                    bool ties_to_even, IntRange range, StepBuilder& builder) {
  const QuantizeI8 args{scale, zero, ties_to_even, range.low, range.high};
  if (y->type.tensor.dtype == DType::I8) return quantize_step<int8_t>(x, y, args, builder);
  return quantize_step<uint8_t>(x, y, args, builder);
}

std::unique_ptr<Step> make_dequantize(const Value* x, const Value* y, float scale, int32_t zero,
                                      StepBuilder& builder) {
  if (x->type.tensor.dtype == DType::I8) {
    return dequantize_step<int8_t>(x, y, scale, zero, builder);
  }
  return dequantize_step<uint8_t>(x, y, scale, zero, builder);
}

bool fits_quantize(const Node& node, const StepBuilder& builder) {
  return builder.planned(node.inputs[0]) && builder.planned(node.outputs[0]) &&
         !node.inputs[0]->constant;
}

struct Params {
  float scale;
  int32_t zero_point;
};
// Of ONNX's operators: one constant float scale and zero point, or nothing.
std::optional<Params> params_of(const Node& node) {
  const auto& scale = node.inputs[1]->constant;
  if (!scale || scale->dtype() != DType::F32 || scale->elements() != 1) return std::nullopt;
  Params params{scale->data<float>()[0], 0};
  if (node.inputs.size() > 2 && node.inputs[2] != nullptr) {
    const auto& zero = node.inputs[2]->constant;
    if (!zero || zero->elements() != 1 || !kInteger.contains(zero->dtype())) return std::nullopt;
    params.zero_point = static_cast<int32_t>(to_ints(*zero)[0]);
  }
  if (!(params.scale > 0)) return std::nullopt;
  return params;
}

std::unique_ptr<Step> lower_quantize_node(const Node& node, StepBuilder& builder) {
  const Value* x = node.inputs[0];
  const Value* y = node.outputs[0];
  if (!fits_quantize(node, builder) || x->type.tensor.dtype != DType::F32 ||
      !is_byte(y->type.tensor.dtype)) {
    return nullptr;
  }
  const auto params = params_of(node);
  if (!params) return nullptr;
  return make_quantize(x, y, params->scale, params->zero_point, true,
                       range_of(y->type.tensor.dtype), builder);
}

std::unique_ptr<Step> lower_dequantize_node(const Node& node, StepBuilder& builder) {
  const Value* x = node.inputs[0];
  const Value* y = node.outputs[0];
  if (!fits_quantize(node, builder) || y->type.tensor.dtype != DType::F32 ||
      !is_byte(x->type.tensor.dtype)) {
    return nullptr;
  }
  const auto params = params_of(node);
  if (!params) return nullptr;
  return make_dequantize(x, y, params->scale, params->zero_point, builder);
}

// TFLite's QUANTIZE of floats and DEQUANTIZE.
std::unique_ptr<Step> lower_requantize_node(const Node& node, StepBuilder& builder) {
  if (!fits_quantize(node, builder)) return nullptr;
  const Value* x = node.inputs[0];
  const Value* y = node.outputs[0];
  const TensorType& from = x->type.tensor;
  const TensorType& to = y->type.tensor;
  const std::string& activation = NodeContext(*find_op(node.op), node).text("activation");
  if (from.dtype == DType::F32 && is_byte(to.dtype) && to.quant->per_tensor()) {
    const auto range = activation_range(activation, to);
    if (!range.ok()) return nullptr;
    return make_quantize(x, y, to.quant->scale(), to.quant->zero_point(), false, *range, builder);
  }
  if (to.dtype == DType::F32 && is_byte(from.dtype) && from.quant->per_tensor() &&
      activation.empty()) {
    return make_dequantize(x, y, from.quant->scale(), from.quant->zero_point(), builder);
  }
  return nullptr;
}

}  // namespace

extern const LoweringDef lower_quantize_linear = {.op = "quantize_linear",
                                                  .lower = lower_quantize_node};
extern const LoweringDef lower_dequantize_linear = {.op = "dequantize_linear",
                                                    .lower = lower_dequantize_node};
extern const LoweringDef lower_requantize = {.op = "requantize", .lower = lower_requantize_node};

}  // namespace hone::cpu
