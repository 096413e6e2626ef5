#include "hone/quantize/calibrate/observation.h"

#include <algorithm>
#include <cmath>

#include "hone/kernels/reduce/reduce.h"

namespace hone {
namespace {

float fold(ReduceOp op, std::span<const float> values) {
  static const Reduce<float> reduce = best_variant(reduce_f32_variants()).run;
  // Many short folds side by side, which the kernel does with vectors, then one over their results.
  constexpr size_t kLanes = 64;
  const size_t rows = values.size() / kLanes;
  float lanes[kLanes + 1] = {};
  if (rows > 0) {
    reduce({.op = op,
            .outer = 1,
            .n = rows,
            .inner = kLanes,
            .x = values.data(),
            .outer_stride = 0,
            .stride = kLanes,
            .y = lanes,
            .y_stride = kLanes});
  }
  float result = rows > 0 ? lanes[0] : values[0];
  const auto take = [&](float x) {
    result = op == ReduceOp::Max ? std::max(result, x) : std::min(result, x);
  };
  for (size_t i = 0; rows > 0 && i < kLanes; ++i) take(lanes[i]);
  for (const float x : values.subspan(rows * kLanes)) take(x);
  return result;
}

}  // namespace

// Runs of neighbours spread evenly over the tensor, from another place in every sample: every
// channel has its turn, whichever axis is innermost.
void add_to_histogram(Histogram& histogram, std::span<const float> values, int64_t sample) {
  constexpr size_t kRun = 64;
  constexpr size_t kRuns = Observation::kHistogramValues / kRun;
  if (values.size() <= Observation::kHistogramValues) {
    histogram.add(values);
    return;
  }
  const size_t spacing = values.size() / kRuns;
  const size_t room = spacing - kRun;
  for (size_t run = 0; run < kRuns; ++run) {
    const size_t turn = static_cast<size_t>(sample) * kRuns + run;
    const size_t offset = room == 0 ? 0 : turn * 2654435761u % (room + 1);
    histogram.add(values.subspan(run * spacing + offset, kRun));
  }
}

SampleExtremes extremes_of(std::span<const float> values) {
  // Both of a piece while it is near: most tensors do not fit the caches.
  constexpr size_t kPiece = 16384;
  SampleExtremes found{{values[0], values[0]}};
  for (size_t at = 0; at < values.size(); at += kPiece) {
    const auto piece = values.subspan(at, std::min(kPiece, values.size() - at));
    found.range.low = std::min(found.range.low, fold(ReduceOp::Min, piece));
    found.range.high = std::max(found.range.high, fold(ReduceOp::Max, piece));
  }
  found.finite = std::isfinite(found.range.low) && std::isfinite(found.range.high);
  return found;
}

void add_extremes(Observation& seen, const SampleExtremes& extremes) {
  const auto [low, high] = extremes.range;
  if (!extremes.finite) {
    seen.finite = false;
    return;
  }
  if (seen.samples == 0) {
    seen.range = seen.average = {low, high};
  } else {
    seen.range = {std::min(seen.range.low, low), std::max(seen.range.high, high)};
    seen.average.low += Observation::kAveraging * (low - seen.average.low);
    seen.average.high += Observation::kAveraging * (high - seen.average.high);
  }
  ++seen.samples;
}

void Observation::add(std::span<const float> values, int64_t sample) {
  if (values.empty()) return;
  const SampleExtremes extremes = extremes_of(values);
  if (extremes.finite) add_to_histogram(histogram, values, sample);
  add_extremes(*this, extremes);
}

void Observation::merge(const Observation& other) {
  if (other.samples == 0) {
    finite = finite && other.finite;
    return;
  }
  if (samples == 0) {
    const bool was_finite = finite;
    *this = other;
    finite = finite && was_finite;
    return;
  }
  range = {std::min(range.low, other.range.low), std::max(range.high, other.range.high)};
  average = {std::min(average.low, other.average.low), std::max(average.high, other.average.high)};
  samples = std::max(samples, other.samples);
  histogram.add(other.histogram);
  finite = finite && other.finite;
}

}  // namespace hone
