// Between scales and types: requantize and cast.

#include "hone/model/tflite_export.h"

namespace hone {
namespace {

Status write_requantize(TfliteExport& out, const Node& node) {
  HONE_TRY(const std::string activation, tflite_activation(node));
  const bool from = node.inputs[0]->type.tensor.quantized();
  const bool to = node.outputs[0]->type.tensor.quantized();
  if (activation != "NONE" && from && to) {
    if (activation == "TANH") return unsupported("a TANH that changes the scale");
    out.add_as(activation, node);
  } else if (activation != "NONE") {
    return unsupported("an activation between integers and floats");
  } else {
    out.add_as(to ? "QUANTIZE" : "DEQUANTIZE", node);
  }
  return Done{};
}

Status write_cast(TfliteExport& out, const Node& node) {
  const DType from = node.inputs[0]->type.tensor.dtype;
  const DType to = node.outputs[0]->type.tensor.dtype;
  out.add_as(
      "CAST", node,
      {{"in_data_type", std::string(name_of(from))}, {"out_data_type", std::string(name_of(to))}});
  return Done{};
}

}  // namespace

extern const std::vector<TfliteExportRule> tflite_quantized_rules = {
    {"cast", write_cast},
    {"requantize", write_requantize},
};

}  // namespace hone
