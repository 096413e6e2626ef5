// Quantized weights as plain numbers, whatever their element type and scales.
#pragma once

#include <vector>

#include "hone/graph/graph.h"

namespace hone {

// real = (code - zero) * scale, element by element.
struct WeightCodes {
  std::vector<int32_t> codes;
  std::vector<float> scales;
  std::vector<int32_t> zeros;
  int32_t low = 0;  // Codes that may be used.
  int32_t high = 0;

  float real(size_t i) const { return static_cast<float>(codes[i] - zeros[i]) * scales[i]; }
};

// From a dequantize_linear of constants: one scale for all, one per index of an axis, or blocks.
// Unsupported for other element types than int8, uint8, int4 and uint4.
Result<WeightCodes> read_codes(const Node& dequantize);
// The dequantize_linear reads other codes of the same number.
void write_codes(Graph& graph, Node& dequantize, const std::vector<int32_t>& codes);

}  // namespace hone
