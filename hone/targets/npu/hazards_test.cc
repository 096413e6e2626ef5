#include "hone/targets/npu/hazards.h"

#include <gtest/gtest.h>

#include <random>

namespace hone::npu {
namespace {

struct Access {
  size_t track;
  std::vector<Range> reads;
  std::vector<Range> writes;
};

bool meet(const std::vector<Range>& a, const std::vector<Range>& b) {
  for (const Range& x : a) {
    for (const Range& y : b) {
      if (x.bytes > 0 && y.bytes > 0 && x.at.space == y.at.space &&
          x.at.offset < y.at.offset + y.bytes && y.at.offset < x.at.offset + x.bytes) {
        return true;
      }
    }
  }
  return false;
}

// Whether `later` comes after `earlier` by what commands wait for and by the order of their tracks.
bool ordered(const std::vector<Access>& all, const std::vector<std::vector<uint32_t>>& waits,
             size_t earlier, size_t later) {
  std::vector<bool> before(all.size());
  before[later] = true;
  for (size_t i = later + 1; i-- > 0;) {
    if (!before[i]) continue;
    for (const uint32_t wait : waits[i]) before[wait] = true;
    for (size_t j = 0; j < i; ++j) before[j] = before[j] || all[j].track == all[i].track;
  }
  return before[earlier];
}

std::vector<Range> ranges(std::mt19937& random) {
  std::vector<Range> list;
  for (size_t i = random() % 3; i-- > 0;) {
    list.push_back({{static_cast<uint8_t>(random() % 2), random() % 60}, random() % 20});
  }
  return list;
}

TEST(Hazards, PutInOrderWhatTouchesTheSameBytes) {
  std::mt19937 random(9);
  for (int round = 0; round < 100; ++round) {
    Hazards hazards(2);
    std::vector<Access> all;
    std::vector<std::vector<uint32_t>> waits;
    for (uint32_t i = 0; i < 30; ++i) {
      all.push_back({random() % 4, ranges(random), ranges(random)});
      waits.push_back(hazards.add(i, all[i].track, all[i].reads, all[i].writes));
      for (const uint32_t wait : waits[i]) {
        ASSERT_LT(wait, i);
        EXPECT_NE(all[wait].track, all[i].track);
      }
      for (uint32_t j = 0; j < i; ++j) {
        const bool conflict = meet(all[j].writes, all[i].reads) ||
                              meet(all[j].writes, all[i].writes) ||
                              meet(all[j].reads, all[i].writes);
        EXPECT_TRUE(!conflict || ordered(all, waits, j, i)) << j << " before " << i;
      }
    }
  }
}

TEST(Hazards, AskForNothingWhereNothingIsShared) {
  Hazards hazards(1);
  EXPECT_TRUE(hazards.add(0, 0, {}, {{{0, 0}, 10}}).empty());
  EXPECT_TRUE(hazards.add(1, 1, {}, {{{0, 10}, 10}}).empty());
  EXPECT_EQ(hazards.add(2, 2, {{{0, 5}, 10}}, {}), (std::vector<uint32_t>{0, 1}));
  EXPECT_TRUE(hazards.add(3, 3, {{{0, 20}, 1}}, {}).empty());
}

}  // namespace
}  // namespace hone::npu
