// Where values lie, in memory that does not grow with their number.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace hone {

// Equal bins over [-limit, limit), where limit is a power of two. A larger value doubles the limit
// as often as it takes, and pairs of bins become one, so no range need be known beforehand, and the
// order of values does not matter. Floats that no limit is larger than are in the outermost bins.
class Histogram {
 public:
  static constexpr size_t kBins = 4096;

  // Values that are not finite are left out.
  void add(std::span<const float> values);
  void add(const Histogram& other);

  uint64_t count() const { return count_; }
  uint64_t bin(size_t index) const { return bins_[index]; }
  float bin_width() const { return limit_ / static_cast<float>(kBins / 2); }
  float bin_low(size_t index) const { return static_cast<float>(index) * bin_width() - limit_; }
  float bin_center(size_t index) const { return bin_low(index) + bin_width() / 2; }

 private:
  void widen(float magnitude);

  float limit_ = 0;  // 0 before the first value.
  uint64_t count_ = 0;
  std::array<uint64_t, kBins> bins_ = {};
};

}  // namespace hone
