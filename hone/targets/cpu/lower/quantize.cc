// From floats to int8 and uint8 with one scale, and back.

#include "hone/kernels/quantize/quantize.h"
#include "hone/ops/op_def.h"
#include "hone/ops/quant/integer.h"
#include "hone/targets/cpu/chunks.h"
#include "hone/targets/cpu/lowering.h"

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
class QuantizeStep final : public Step {
 public:
  QuantizeStep(const Value* x, const Value* y, const QuantizeI8& args, StepBuilder& builder)
      : args_(args),
        chunks_(static_cast<size_t>(y->type.tensor.elements()), sizeof(float)),
        run_(best_quantize<T>().run) {
    kernel = str("quantize_i8 ", best_quantize<T>().name);
    x_ = builder.read(x);
    y_ = builder.write(y);
  }

  Status run(const Frame& frame) const override {
    frame.workers->run(chunks_.count(), [&](size_t chunk, size_t) {
      const size_t first = chunks_.begin(chunk);
      run_(args_, chunks_.end(chunk) - first, frame.in<float>(x_) + first,
           frame.out<T>(y_) + first);
    });
    return Done{};
  }

 private:
  QuantizeI8 args_;
  Chunks chunks_;
  Quantize<T> run_;
  Slot x_ = 0;
  Slot y_ = 0;
};

template <class T>
class DequantizeStep final : public Step {
 public:
  DequantizeStep(const Value* x, const Value* y, float scale, int32_t zero, StepBuilder& builder)
      : scale_(scale),
        zero_point_(zero),
        chunks_(static_cast<size_t>(y->type.tensor.elements()), sizeof(float)),
        run_(best_dequantize<T>().run) {
    kernel = str("dequantize_i8 ", best_dequantize<T>().name);
    x_ = builder.read(x);
    y_ = builder.write(y);
  }

  Status run(const Frame& frame) const override {
    frame.workers->run(chunks_.count(), [&](size_t chunk, size_t) {
      const size_t first = chunks_.begin(chunk);
      run_(scale_, zero_point_, chunks_.end(chunk) - first, frame.in<T>(x_) + first,
           frame.out<float>(y_) + first);
    });
    return Done{};
  }

 private:
  float scale_;
  int32_t zero_point_;
  Chunks chunks_;
  Dequantize<T> run_;
  Slot x_ = 0;
  Slot y_ = 0;
};

bool is_byte(DType dtype) {
  return dtype == DType::I8 || dtype == DType::U8;
}

std::unique_ptr<Step> make_quantize(const Value* x, const Value* y, float scale, int32_t zero,
                                    bool ties_to_even, IntRange range, StepBuilder& builder) {
  const QuantizeI8 args{scale, zero, ties_to_even, range.low, range.high};
  if (y->type.tensor.dtype == DType::I8) {
    return std::make_unique<QuantizeStep<int8_t>>(x, y, args, builder);
  }
  return std::make_unique<QuantizeStep<uint8_t>>(x, y, args, builder);
}

std::unique_ptr<Step> make_dequantize(const Value* x, const Value* y, float scale, int32_t zero,
                                      StepBuilder& builder) {
  if (x->type.tensor.dtype == DType::I8) {
    return std::make_unique<DequantizeStep<int8_t>>(x, y, scale, zero, builder);
  }
  return std::make_unique<DequantizeStep<uint8_t>>(x, y, scale, zero, builder);
}

bool fits(const Node& node, const StepBuilder& builder) {
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
    if (!zero || zero->elements() != 1) return std::nullopt;
    params.zero_point = static_cast<int32_t>(to_ints(*zero)[0]);
  }
  if (!(params.scale > 0)) return std::nullopt;
  return params;
}

std::unique_ptr<Step> lower_quantize_node(const Node& node, StepBuilder& builder) {
  const Value* x = node.inputs[0];
  const Value* y = node.outputs[0];
  if (!fits(node, builder) || x->type.tensor.dtype != DType::F32 ||
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
  if (!fits(node, builder) || y->type.tensor.dtype != DType::F32 ||
      !is_byte(x->type.tensor.dtype)) {
    return nullptr;
  }
  const auto params = params_of(node);
  if (!params) return nullptr;
  return make_dequantize(x, y, params->scale, params->zero_point, builder);
}

// TFLite's QUANTIZE of floats and DEQUANTIZE.
std::unique_ptr<Step> lower_requantize_node(const Node& node, StepBuilder& builder) {
  if (!fits(node, builder)) return nullptr;
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
