#pragma once

#include "hone/model/tflite_export.h"

namespace hone {

// The bias of a product on quantized types, with the scale of the products it is added to; any other
// as it is. -1 when there is none.
int tflite_bias(TfliteExport& out, const Node& node, size_t input);

}  // namespace hone
