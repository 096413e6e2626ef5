#pragma once

#include <algorithm>

#include "hone/base/aligned.h"

namespace hone::sim {

// Memory for one command at a time, kept for the next.
class Scratch {
 public:
  // At least so many bytes, aligned to 64. What was there before is lost.
  std::byte* reserve(size_t bytes) {
    if (bytes > bytes_.size()) bytes_ = AlignedArray<std::byte>(std::max(bytes, 2 * bytes_.size()));
    return bytes_.data();
  }

 private:
  AlignedArray<std::byte> bytes_;
};

// `bytes` rounded up so that what comes after it is aligned as well.
constexpr size_t aligned_size(size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

}  // namespace hone::sim
