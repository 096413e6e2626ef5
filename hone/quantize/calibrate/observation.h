// What is kept of an activation while samples run.
#pragma once

#include <cstdint>
#include <span>

#include "hone/quantize/calibrate/histogram.h"
#include "hone/quantize/scheme.h"

namespace hone {

struct Observation {
  Range range = {};    // Smallest and largest value of all, exactly.
  Range average = {};  // Moving averages of each sample's smallest and largest.
  int64_t samples = 0;
  Histogram histogram = {};  // Of up to kHistogramValues values of each sample.
  bool finite = true;        // No NaN or infinity was seen.

  static constexpr size_t kHistogramValues = 4096;
  static constexpr float kAveraging = 0.01f;  // Weight of a new sample, as others have it.

  // All values of sample number `sample`, which decides the ones that go into the histogram.
  void add(std::span<const float> values, int64_t sample);
  void add(std::span<const float> values) { add(values, samples); }
  // As if both had been one tensor; or, of the same tensor, had seen each other's samples.
  void merge(const Observation& other);
};

// The parts of `add`, for those who look at several samples at a time.
//
// What one sample shows. Averages depend on the order of samples, the rest does not.
struct SampleExtremes {
  Range range = {};
  bool finite = true;
};
SampleExtremes extremes_of(std::span<const float> values);
void add_to_histogram(Histogram& histogram, std::span<const float> values, int64_t sample);
void add_extremes(Observation& seen, const SampleExtremes& extremes);

}  // namespace hone
