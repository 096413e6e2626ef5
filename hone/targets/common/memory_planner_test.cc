#include "hone/targets/common/memory_planner.h"

#include <gtest/gtest.h>

#include <random>

namespace hone {
namespace {

TEST(PlanMemory, SharesRoomBetweenBuffersThatNeverMeet) {
  const MemoryPlan plan = plan_memory({{1000, 0, 1}, {500, 1, 2}, {1000, 2, 3}});
  EXPECT_EQ(plan.offsets[0], plan.offsets[2]);
  EXPECT_EQ(plan.bytes, 1024u + 512u);
}

TEST(PlanMemory, NeverOverlapsBuffersThatLiveTogether) {
  std::mt19937 rng(3);
  for (int round = 0; round < 50; ++round) {
    std::vector<BufferLife> buffers;
    for (int i = 0; i < 40; ++i) {
      const size_t first = rng() % 30;
      buffers.push_back({rng() % 10000, first, first + rng() % 8});
    }
    const MemoryPlan plan = plan_memory(buffers);
    EXPECT_GE(plan.bytes, largest_live_bytes(buffers));
    for (size_t a = 0; a < buffers.size(); ++a) {
      EXPECT_LE(plan.offsets[a] + buffers[a].bytes, plan.bytes);
      for (size_t b = 0; b < a; ++b) {
        if (buffers[a].first > buffers[b].last || buffers[b].first > buffers[a].last) continue;
        EXPECT_TRUE(plan.offsets[a] + buffers[a].bytes <= plan.offsets[b] ||
                    plan.offsets[b] + buffers[b].bytes <= plan.offsets[a]);
      }
    }
  }
}

TEST(LargestLiveBytes, IsTheFullestStep) {
  EXPECT_EQ(largest_live_bytes({}), 0u);
  EXPECT_EQ(largest_live_bytes({{10, 0, 1}, {20, 1, 2}, {5, 2, 9}}), 30u);
}

}  // namespace
}  // namespace hone
