// What passes share that read Q/DQ pairs.
#pragma once

#include <memory>

#include "hone/graph/graph.h"

namespace hone {

using Quant = std::shared_ptr<const Quantization>;

// The scale and zero point of a quantize_linear or dequantize_linear with constant ones; null when
// they are computed, or in blocks.
Quant params_of(const Node& node);

// The quantized value behind a float operand: what its dequantize_linear reads. No value when there
// is none whose type could carry the scale.
struct QuantizedOperand {
  Value* value = nullptr;
  Quant quant;
};
QuantizedOperand operand_of(const Value* value);

// Whether a quantized value's readers take its scale from its type, or have it of their own in a
// dequantize_linear; integer operators of ONNX take plain integers.
bool read_as_quantized(const Value& value);

}  // namespace hone
