// Memory that a product fetches into the second-level cache while it multiplies, because it is read
// soon after: a product that reads its weights once, or its first ones, would wait for them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace hone {

inline constexpr size_t kFetchedLine = 64;

// Gives out regions piece by piece, in order.
class FetchAhead {
 public:
  using Region = std::span<const std::byte>;

  FetchAhead() = default;
  explicit FetchAhead(std::span<const Region> regions) : left_(regions) {}

  bool empty() const { return left_.empty(); }
  // Lines of all regions that are left.
  size_t lines() const {
    size_t bytes = 0;
    for (const Region& region : left_) bytes += region.size();
    return (bytes - taken_ + kFetchedLine - 1) / kFetchedLine;
  }

  // What `count` fetches are for: the first at `at`, each `step` bytes behind the one before.
  struct Piece {
    const std::byte* at;
    size_t step;  // A cache line, or less at the end of a region.
  };
  // Not when it is empty.
  Piece take(size_t count) {
    const Region region = left_.front();
    const size_t left = region.size() - taken_;
    const Piece piece{region.data() + taken_, std::min(kFetchedLine, (left + count - 1) / count)};
    taken_ += piece.step * count;
    if (taken_ >= region.size()) {
      left_ = left_.subspan(1);
      taken_ = 0;
    }
    return piece;
  }

 private:
  std::span<const Region> left_;  // None is empty.
  size_t taken_ = 0;              // Bytes of the first one.
};

}  // namespace hone
