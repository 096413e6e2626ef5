#pragma once

#include <algorithm>
#include <cstddef>

namespace hone::cpu {

// A run of elements cut into tasks: long enough that handing one out costs nothing beside it, short
// enough that what one step writes is still in the cache of the next.
class Chunks {
 public:
  Chunks() = default;
  Chunks(size_t elements, size_t element_bytes) : elements_(elements) {
    constexpr size_t kChunkBytes = 32 * 1024;
    per_chunk_ = std::max<size_t>(1, kChunkBytes / std::max<size_t>(1, element_bytes));
  }
  size_t count() const { return (elements_ + per_chunk_ - 1) / per_chunk_; }
  size_t begin(size_t chunk) const { return chunk * per_chunk_; }
  size_t end(size_t chunk) const { return std::min(elements_, begin(chunk) + per_chunk_); }

 private:
  size_t elements_ = 0;
  size_t per_chunk_ = 1;
};

}  // namespace hone::cpu
