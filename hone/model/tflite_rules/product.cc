#include "hone/model/tflite_rules/product.h"

namespace hone {
namespace {

Tensor widened(const Tensor& bias) {
  return Tensor::of<int64_t>(bias.shape(), to_ints(bias));
}

}  // namespace

bool has_narrow_weights(const Node& node) {
  const TensorType& x = node.inputs[0]->type.tensor;
  const TensorType& w = node.inputs[1]->type.tensor;
  return x.quantized() && x.dtype == DType::U8 && w.dtype == DType::I8;
}

int tflite_bias(TfliteExport& out, const Node& node, size_t input) {
  const Value* bias = export_input(node, input);
  if (bias == nullptr) return -1;
  const TensorType& x = node.inputs[0]->type.tensor;
  const TensorType& w = node.inputs[1]->type.tensor;
  const bool stands_for_products =
      x.quantized() && w.quantized() && bias->constant && !bias->type.tensor.quantized();
  if (!stands_for_products) return out.tensor(bias);
  auto quant = std::make_shared<Quantization>();
  for (size_t i = 0; i < w.quant->scales.size(); ++i) {
    quant->scales.push_back(x.quant->scale() * w.quant->scale(i));
    quant->zero_points.push_back(0);
  }
  if (!w.quant->per_tensor()) quant->axis = 0;
  const Tensor stored = x.dtype == DType::I16 ? widened(*bias->constant) : *bias->constant;
  return out.constant(bias->name, stored.with_quantization(std::move(quant)));
}

Tensor as_unsigned(const Tensor& weights) {
  constexpr int32_t kMiddle = 128;
  Tensor moved(TensorType{DType::U8, weights.shape()});
  const auto from = weights.data<int8_t>();
  const auto to = moved.mutable_data<uint8_t>();
  for (size_t i = 0; i < from.size(); ++i) to[i] = static_cast<uint8_t>(from[i] + kMiddle);
  auto quant = std::make_shared<Quantization>(*weights.type().quant);
  quant->zero_points = {kMiddle};
  return moved.with_quantization(std::move(quant));
}

Status check_tflite_product(const Node& node) {
  const TensorType& x = node.inputs[0]->type.tensor;
  const TensorType& w = node.inputs[1]->type.tensor;
  if (!x.quantized() || !w.quantized()) return Done{};
  if (x.dtype == DType::U8 && !w.quant->per_tensor()) {
    return unsupported(
        "uint8 with a scale per channel of its weights, where TFLite has one for "
        "all: quantize per tensor, or as int8");
  }
  if (has_narrow_weights(node) && (!node.inputs[1]->constant || w.quant->zero_point() != 0)) {
    return unsupported("uint8 by int8, where TFLite has both of one type");
  }
  const bool moved =
      x.quant->zero_point() != 0 || node.outputs[0]->type.tensor.quant->zero_point() != 0;
  if (x.dtype == DType::I16 && moved) {
    return unsupported("int16 with a zero point, where TFLite has none");
  }
  return Done{};
}

}  // namespace hone
