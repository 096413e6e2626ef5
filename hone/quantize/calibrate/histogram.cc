#include "hone/quantize/calibrate/histogram.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

constexpr float kLeastLimit = 0x1p-100f;
constexpr float kMostLimit = 0x1p127f;  // Twice that is no float.

}  // namespace

void Histogram::widen(float magnitude) {
  if (limit_ == 0) {
    limit_ = std::clamp(std::exp2(std::floor(std::log2(magnitude)) + 1), kLeastLimit, kMostLimit);
    return;
  }
  while (magnitude >= limit_ && limit_ < kMostLimit) {
    // Bins 2i and 2i + 1 of the old are bin kBins/4 + i of the new.
    std::array<uint64_t, kBins> wider = {};
    for (size_t i = 0; i < kBins; ++i) wider[kBins / 4 + i / 2] += bins_[i];
    bins_ = wider;
    limit_ *= 2;
  }
}

void Histogram::add(std::span<const float> values) {
  float largest = 0;
  for (const float x : values) {
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  }
  if (largest >= limit_ && largest > 0) widen(largest);
  if (limit_ == 0) limit_ = kLeastLimit;                        // Nothing but zeros so far.
  const float to_bin = static_cast<float>(kBins / 2) / limit_;  // A power of two: exact.
  for (const float x : values) {
    if (!std::isfinite(x)) continue;
    const int index = static_cast<int>(std::floor(x * to_bin)) + static_cast<int>(kBins / 2);
    ++bins_[static_cast<size_t>(std::clamp(index, 0, static_cast<int>(kBins) - 1))];
    ++count_;
  }
}

void Histogram::add(const Histogram& other) {
  if (other.count_ == 0) return;
  if (count_ == 0) {
    *this = other;
    return;
  }
  Histogram narrow = other;
  if (limit_ < narrow.limit_) std::swap(*this, narrow);
  if (narrow.limit_ < limit_) narrow.widen(limit_ / 2);
  for (size_t i = 0; i < kBins; ++i) bins_[i] += narrow.bins_[i];
  count_ += narrow.count_;
}

}  // namespace hone
