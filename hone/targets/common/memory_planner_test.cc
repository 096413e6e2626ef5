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

std::vector<BufferLife> random_buffers(size_t count, size_t steps, std::mt19937& rng) {
  std::vector<BufferLife> buffers;
  for (size_t i = 0; i < count; ++i) {
    const size_t first = rng() % steps;
    buffers.push_back({rng() % 10000, first, first + rng() % 8});
  }
  return buffers;
}

void expect_apart(const std::vector<BufferLife>& buffers) {
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

TEST(PlanMemory, NeverOverlapsBuffersThatLiveTogether) {
  std::mt19937 rng(3);
  for (int round = 0; round < 50; ++round) expect_apart(random_buffers(40, 30, rng));
  expect_apart(random_buffers(5000, 2000, rng));  // So many are placed in another way.
}

TEST(LargestLiveBytes, IsTheFullestStep) {
  EXPECT_EQ(largest_live_bytes({}), 0u);
  EXPECT_EQ(largest_live_bytes({{10, 0, 1}, {20, 1, 2}, {5, 2, 9}}), 30u);
}

}  // namespace
}  // namespace hone
