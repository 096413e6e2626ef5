#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace hone {

// The numbers from 0 up to a count in sets that can be merged. A set is known by its smallest
// member.
class DisjointSets {
 public:
  explicit DisjointSets(size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), size_t{0});
  }

  size_t of(size_t member) const {
    while (parent_[member] != member) member = parent_[member];
    return member;
  }

  void merge(size_t a, size_t b) {
    const size_t first = of(a);
    const size_t second = of(b);
    parent_[std::max(first, second)] = std::min(first, second);
  }

 private:
  std::vector<size_t> parent_;
};

}  // namespace hone
