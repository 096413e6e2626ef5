// From which batch on one device is better than another.
#pragma once

#include <span>

#include "hone/base/metric.h"

namespace hone {

// What each takes for so many at once: time or money, the less the better. Both have values.
struct BatchPair {
  int64_t batch = 1;
  Metric candidate = {};
  Metric standing = {};
};

// The smallest batch from which on the candidate takes no more, by the straight lines between the
// batches that are known; its interval is that of both. Requires rising batches and at least one.
// Unavailable, with the last batch in its reason, where there is no such; where only small batches
// are better, the reason says up to which.
Metric break_even_batch(std::string name, std::span<const BatchPair> pairs);

// No larger batch would change the answer or its interval: the candidate takes no more even at the
// wrong ends of both, or what it takes in parts of the other stays as it is from batch to batch.
bool is_settled(std::span<const BatchPair> pairs);

}  // namespace hone
