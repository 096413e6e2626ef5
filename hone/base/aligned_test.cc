#include "hone/base/aligned.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

namespace hone {
namespace {

TEST(AlignedArray, OfAnySizeStartsAtACacheLine) {
  for (const size_t size : {0u, 1u, 100'000u, 3u << 20, 4u << 20, (9u << 20) + 1}) {
    AlignedArray<std::byte> array(size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(array.data()) % 64, 0u) << size;
    EXPECT_EQ(array.bytes(), size);
    if (size > 0) std::memset(array.data(), 1, size);
    AlignedArray<std::byte> moved = std::move(array);
    EXPECT_EQ(moved.size(), size);
  }
}

TEST(AlignedArray, OfMegabytesCanHaveHugePages) {
  const AlignedArray<float> array(2 << 20);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(array.data()) % (2 << 20), 0u);
}

}  // namespace
}  // namespace hone
