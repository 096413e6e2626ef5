// Where to spend bits: layers that cost accuracy keep more of them, layers that gain speed get few.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hone/quantize/scheme.h"

namespace hone {

struct LayerPrice {
  std::string layer;
  double noise = 0;    // Added to the outputs by quantizing it (LayerSensitivity::noise).
  double gain_us = 0;  // Of a run, that quantizing it saves.
};

struct MixedOptions {
  double max_drop = 0.01;
  std::optional<Scheme> wide = std::nullopt;  // What spared layers get; nothing: float.
  int evaluations = 16;                       // Of the whole network, at most.
};

struct MixedTrial {
  size_t wide = 0;  // Layers that were spared.
  double drop = 0;
};

struct MixedPlan {
  QuantizePlan plan;
  std::vector<std::string> wide;  // Layers that were spared, the most harmful first.
  std::vector<MixedTrial> trials;
  bool holds = false;  // Within max_drop; false when the evaluations did not suffice.
  double lost_us = 0;  // Of the speed of the plan that spares nothing.
};

// What a plan loses of the metric, on the whole network.
using DropOf = std::function<Result<double>(const QuantizePlan& plan)>;

// Spares layers in the order of noise for each microsecond they gain: as few as hold max_drop,
// found by halving; then gives bits back one by one to those that gain most, while it holds and
// evaluations are left.
Result<MixedPlan> spend_bits(const QuantizePlan& plan, std::vector<LayerPrice> prices,
                             const MixedOptions& options, const DropOf& drop_of);

}  // namespace hone
