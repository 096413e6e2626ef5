#include "hone/profile/cache_model.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(CacheModel, CountsEachLineOnceWhileItStays) {
  CacheModel caches({{1024, 4}, {8192, 8}}, 64);
  caches.access(0, 1024);
  EXPECT_EQ(caches.misses(), (std::vector<uint64_t>{16, 16}));
  caches.access(0, 1024);
  EXPECT_EQ(caches.misses(), (std::vector<uint64_t>{16, 16}));
  EXPECT_EQ(caches.accesses(), 32u);
}

TEST(CacheModel, WhatIsTooLargeForALevelIsFoundInTheNext) {
  CacheModel caches({{1024, 4}, {8192, 8}}, 64);
  for (int round = 0; round < 2; ++round) caches.access(0, 4096);
  EXPECT_EQ(caches.misses(), (std::vector<uint64_t>{128, 64}));
}

TEST(CacheModel, DropsTheLineThatWasUsedLongestAgo) {
  CacheModel caches({{256, 4}}, 64);  // One set of four lines.
  for (const uint64_t line : {0, 1, 2, 3}) caches.access(line * 64, 64);
  caches.access(0, 64);       // 1 is now the oldest,
  caches.access(4 * 64, 64);  // and goes.
  caches.reset_counts();
  caches.access(0, 64);
  EXPECT_EQ(caches.misses()[0], 0u);
  caches.access(64, 64);
  EXPECT_EQ(caches.misses()[0], 1u);
}

TEST(CacheModel, ARangeTouchesEveryLineItOverlaps) {
  CacheModel caches({{1024, 4}}, 64);
  caches.access(60, 8);
  EXPECT_EQ(caches.accesses(), 2u);
  caches.access(0, 0);
  EXPECT_EQ(caches.accesses(), 2u);
}

}  // namespace
}  // namespace hone
