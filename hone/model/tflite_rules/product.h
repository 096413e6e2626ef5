// What TFLite asks of the operands of products on integers.
#pragma once

#include "hone/model/tflite_export.h"

namespace hone {

// The bias of a product on quantized types, with the scale of the products it is added to, and of 64
// bits beside int16; any other as it is. -1 when there is none.
int tflite_bias(TfliteExport& out, const Node& node, size_t input);

// TFLite multiplies uint8 by uint8: whether the node has int8 weights beside uint8, and these weights
// as uint8 ones around 128, which stand for the same numbers.
bool has_narrow_weights(const Node& node);
Tensor as_unsigned(const Tensor& weights);

// Unsupported when TFLite has no kernel for integers of these types and zero points.
Status check_tflite_product(const Node& node);

}  // namespace hone
