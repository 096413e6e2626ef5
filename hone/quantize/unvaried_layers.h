#pragma once

#include "hone/quantize/quantize.h"

namespace hone {

// Layers that read one value alone in all samples of a calibration: what the others would be, and
// with them the scale, is not known.
struct UnvariedLayers {
  int layers = 0;  // All whose activations are quantized.
  int zero = 0;    // Those that read nothing but zeros, or values too small for a scale,
  int other = 0;   // or one other value.
};
Result<UnvariedLayers> unvaried_layers(const Graph& graph, const QuantizePlan& plan,
                                       const Calibration& calibration);

// A sentence about them; empty where there are none.
std::string unvaried_text(const UnvariedLayers& found);

}  // namespace hone
