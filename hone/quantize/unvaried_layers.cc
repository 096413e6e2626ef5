#include "hone/quantize/unvaried_layers.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hone/base/str.h"

namespace hone {
namespace {

// Of what a layer reads.
Observation seen_by(const QuantLayer& layer, const Calibration& calibration) {
  Observation together;
  for (const Use& use : layer.operands) {
    const auto found = calibration.seen.find(use.node->inputs[use.input]->name);
    if (found != calibration.seen.end()) together.merge(found->second);
  }
  return together;
}

// The scale of 8 bits would be no normal float.
bool is_nothing(const Range& range) {
  constexpr float kLeast = 255 * std::numeric_limits<float>::min();
  return std::max(std::abs(range.low), std::abs(range.high)) < kLeast;
}

}  // namespace

Result<UnvariedLayers> unvaried_layers(const Graph& graph, const QuantizePlan& plan,
                                       const Calibration& calibration) {
  HONE_TRY(const PlanReader reader, PlanReader::make(plan));
  UnvariedLayers found;
  for (const QuantLayer& layer : find_layers(graph, reader)) {
    if (!layer.scheme.quantizes_activations()) continue;
    ++found.layers;
    const Observation seen = seen_by(layer, calibration);
    if (seen.samples == 0) continue;
    if (is_nothing(seen.range)) {
      ++found.zero;
    } else if (seen.range.low == seen.range.high) {
      ++found.other;
    }
  }
  return found;
}

std::string unvaried_text(const UnvariedLayers& found) {
  if (found.zero + found.other == 0) return "";
  std::string read;
  if (found.zero > 0) read = str(found.zero, " read nothing but zeros");
  if (found.other > 0) {
    read += str(found.zero > 0 ? " and " : "", found.other,
                found.zero > 0 ? " one value alone" : " read one value alone");
  }
  return str("of ", found.layers, found.layers == 1 ? " layer, " : " layers, ", read,
             " in every sample of the calibration: their scales say nothing about other data");
}

}  // namespace hone
