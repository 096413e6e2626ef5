#include "hone/kernels/roof/roof.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <set>
#include <thread>

#include "hone/base/aligned.h"
#include "hone/kernels/kernel_testing.h"
#include "hone/kernels/roof/best_burst.h"

namespace hone {
namespace {

HONE_VARIANT_TEST(ComputeLoopTest, ComputeLoop, compute_loops);
HONE_VARIANT_TEST(MemoryLoopsTest, MemoryLoops, memory_loops);

TEST(ComputeLoops, EveryMachineHasFloatsAndBytes) {
  std::set<std::string_view> precisions;
  for (const auto& loop : compute_loops()) {
    if (loop.runs_here()) precisions.insert(loop.run.precision);
  }
  EXPECT_TRUE(precisions.contains("fp32"));
  EXPECT_TRUE(precisions.contains("int8"));
}

// All operands are one, so the sums count the multiply-adds; few enough for half precision.
TEST_P(ComputeLoopTest, DoesAsManyOperationsAsTheTableSays) {
  const ComputeLoop& loop = GetParam().run;
  for (const size_t rounds : {0, 1, 2, 7, 100}) {
    EXPECT_EQ(2 * loop.run(rounds), static_cast<double>(rounds * loop.ops_per_round)) << rounds;
  }
}

TEST_P(ComputeLoopTest, HasARate) {
  const BurstRate rate = best_burst([&](size_t n) { GetParam().run.run(n); }, 0.01);
  EXPECT_TRUE(std::isfinite(rate.per_second));
  EXPECT_GT(rate.per_second, 0);
  EXPECT_GE(rate.bursts, 5);
}

// Memory with one block in front and behind that must stay as it is.
class Guarded {
 public:
  Guarded(size_t bytes, std::mt19937& rng) : all_(bytes + 2 * kMemoryBlock), before_(all_.size()) {
    for (size_t i = 0; i < all_.size(); ++i) before_[i] = all_[i] = static_cast<uint8_t>(rng());
  }
  uint8_t* data() { return all_.data() + kMemoryBlock; }
  bool guards_stand() const {
    const size_t end = all_.size() - kMemoryBlock;
    return std::equal(all_.data(), all_.data() + kMemoryBlock, before_.data()) &&
           std::equal(all_.data() + end, all_.data() + all_.size(), before_.data() + end);
  }

 private:
  AlignedArray<uint8_t> all_;
  std::vector<uint8_t> before_;
};

TEST_P(MemoryLoopsTest, ReadGoesToEveryBlock) {
  std::mt19937 rng(1);
  for (size_t blocks = 0; blocks <= 9; ++blocks) {
    const size_t bytes = blocks * kMemoryBlock;
    Guarded memory(bytes, rng);
    EXPECT_EQ(GetParam().run.read(memory.data(), bytes),
              memory_loops().back().run.read(memory.data(), bytes));
  }
}

TEST_P(MemoryLoopsTest, WriteAndCopyReachEveryByteAndNoOther) {
  std::mt19937 rng(2);
  for (size_t blocks = 0; blocks <= 9; ++blocks) {
    const size_t bytes = blocks * kMemoryBlock;
    Guarded from(bytes, rng), to(bytes, rng);
    GetParam().run.copy(to.data(), from.data(), bytes);
    EXPECT_TRUE(std::equal(to.data(), to.data() + bytes, from.data()));
    GetParam().run.write(to.data(), bytes, 0xa5);
    EXPECT_TRUE(std::all_of(to.data(), to.data() + bytes, [](uint8_t x) { return x == 0xa5; }));
    EXPECT_TRUE(to.guards_stand());
  }
}

TEST(BestBurst, GrowsUntilThereIsSomethingToTime) {
  size_t most = 0;
  const BurstRate rate = best_burst([&](size_t n) { most = std::max(most, n); }, 0);
  EXPECT_EQ(rate.bursts, 5);
  EXPECT_GT(rate.per_second, 0);
  EXPECT_GT(most, 1u);
}

// What is steady is known in a third of the time, if it is not less than expected.
TEST(BestBurst, EndsWhenNothingChanges) {
  const auto seconds_of = [](double expected) {
    double time = 0;
    best_burst([&](size_t n) { time += 1e-3 * static_cast<double>(n); }, 1.5, expected,
               [&] { return time; });
    return time;
  };
  EXPECT_NEAR(seconds_of(0), 0.5, 0.01);
  EXPECT_NEAR(seconds_of(1e9), 1.5, 0.01);
}

// A thing of two milliseconds is done once a burst.
TEST(BestBurst, CountsTimesPerSecond) {
  size_t times = 0;
  const BurstRate rate = best_burst(
      [&](size_t n) {
        times += n;
        std::this_thread::sleep_for(n * std::chrono::milliseconds(2));
      },
      0);
  EXPECT_EQ(times, 5u);
  EXPECT_LE(rate.per_second, 500);
  EXPECT_GT(rate.per_second, 0);
}

}  // namespace
}  // namespace hone
