// From what was seen of an activation to the range that its integers shall cover.
#pragma once

#include <string>
#include <vector>

#include "hone/quantize/calibrate/observation.h"

namespace hone {

enum class RangeMethod {
  MinMax,         // All that was seen.
  MovingAverage,  // What a sample's extremes are on average.
  Percentile,     // All but the few farthest values.
  Entropy,        // The distribution changes least (Kullback-Leibler).
  Mse,            // The squared error is least.
};

// "minmax", "moving-average", "percentile", "entropy", "mse".
Result<RangeMethod> range_method_named(const std::string& name);
const std::vector<std::string>& range_method_names();

// `percentile` of the values stay inside, 99.99 for example.
Range choose_range(const Observation& seen, RangeMethod method, double percentile,
                   const Scheme& scheme);

}  // namespace hone
