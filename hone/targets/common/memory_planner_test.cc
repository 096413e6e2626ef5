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

TEST(PlanMemory, LetsABufferLieOverTheEndOfOneThatItFollows) {
  // The second is written from its begin on while the first is read.
  const MemoryPlan plan = plan_memory({{1000, 0, 1, Follows{1, 60}}, {800, 1, 2}}, 8);
  EXPECT_EQ(plan.offsets[0], plan.offsets[1] + 64);
  EXPECT_EQ(plan.bytes, 1064u);
  const MemoryPlan larger = plan_memory({{800, 0, 1, Follows{1, 264}}, {1000, 1, 2}}, 8);
  EXPECT_EQ(larger.bytes, 1064u);
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
  for (size_t a = 0; a < buffers.size(); ++a) {
    EXPECT_LE(plan.offsets[a] + buffers[a].bytes, plan.bytes);
    for (size_t b = 0; b < a; ++b) {
      if (buffers[a].first > buffers[b].last || buffers[b].first > buffers[a].last) continue;
      const auto& follows = buffers[a].follows;
      if (follows && follows->buffer == b && plan.offsets[a] >= plan.offsets[b] + follows->lead) {
        continue;
      }
      EXPECT_TRUE(plan.offsets[a] + buffers[a].bytes <= plan.offsets[b] ||
                  plan.offsets[b] + buffers[b].bytes <= plan.offsets[a]);
    }
  }
}

TEST(PlanMemory, NeverOverlapsBuffersThatLiveTogether) {
  std::mt19937 rng(3);
  for (int round = 0; round < 50; ++round) {
    std::vector<BufferLife> buffers = random_buffers(40, 30, rng);
    EXPECT_GE(plan_memory(buffers).bytes, largest_live_bytes(buffers));
    expect_apart(buffers);
    for (size_t i = 1; i < buffers.size(); i += 3) {
      buffers[i].follows = Follows{i - 1, rng() % (buffers[i - 1].bytes + 1)};
    }
    expect_apart(buffers);
  }
  expect_apart(random_buffers(5000, 2000, rng));  // So many are placed in another way.
}

TEST(LargestLiveBytes, IsTheFullestStep) {
  EXPECT_EQ(largest_live_bytes({}), 0u);
  EXPECT_EQ(largest_live_bytes({{10, 0, 1}, {20, 1, 2}, {5, 2, 9}}), 30u);
}

}  // namespace
}  // namespace hone
