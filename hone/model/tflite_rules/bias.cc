#include "hone/model/tflite_rules/bias.h"

namespace hone {

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
  return out.constant(bias->name, bias->constant->with_quantization(std::move(quant)));
}

}  // namespace hone
