#include <cstring>

#include "hone/kernels/roof/roof.h"
#include "hone/kernels/roof/roof_variants.h"

namespace hone {

uint64_t roof_read_ref(const void* from, size_t bytes) {
  // Volatile, so that every word is loaded.
  const auto* words = static_cast<const volatile uint64_t*>(from);
  uint64_t fold = 0;
  for (size_t i = 0; i < bytes / sizeof(uint64_t); ++i) {
    const uint64_t word = words[i];
    if (i % (kMemoryBlock / sizeof(uint64_t)) == 0) fold ^= word;
  }
  return fold;
}

void roof_write_ref(void* to, size_t bytes, uint8_t value) {
  std::memset(to, value, bytes);
}

void roof_copy_ref(void* to, const void* from, size_t bytes) {
  std::memcpy(to, from, bytes);
}

}  // namespace hone
