#include "hone/base/workers.h"

#include <gtest/gtest.h>

#include <chrono>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace hone {
namespace {

TEST(Workers, CallEveryTaskOnceWithAWorkerInRange) {
  for (const int threads : {1, 2, 5}) {
    Workers workers(threads);
    ASSERT_EQ(workers.threads(), static_cast<size_t>(threads));
    for (const size_t tasks : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> calls(tasks);
      workers.run(tasks, [&](size_t task, size_t worker) {
        EXPECT_LT(worker, workers.threads());
        ++calls[task];
      });
      for (const auto& count : calls) EXPECT_EQ(count, 1);
    }
  }
}

// Of more threads than CPUs, some come when the run they were called for is over.
TEST(Workers, SeeWhatTheCallerWroteBetweenRuns) {
  for (const int threads : {3, 16}) {
    Workers workers(threads);
    std::vector<int> values(64);
    for (int round = 0; round < 2000; ++round) {
      for (int& value : values) value = round;
      std::atomic<int> right = 0;
      workers.run(values.size(), [&](size_t task, size_t) { right += values[task] == round; });
      ASSERT_EQ(right, 64);
    }
  }
}

TEST(Workers, ThrowWhatATaskThrowsInTheCaller) {
  for (const int threads : {1, 2, 5}) {
    Workers workers(threads);
    for (const size_t bad : {0, 1, 99}) {
      const auto throw_at = [&](size_t task, size_t) {
        if (task == bad) throw std::runtime_error("task " + std::to_string(task));
      };
      try {
        workers.run(100, throw_at);
        ADD_FAILURE() << "nothing was thrown";
      } catch (const std::runtime_error& error) {
        EXPECT_EQ(error.what(), "task " + std::to_string(bad));
      }
    }
    // All of them at once; and the team goes on as if nothing had been.
    EXPECT_THROW(workers.run(100, [](size_t, size_t) { throw std::bad_alloc(); }), std::bad_alloc);
    std::atomic<int> calls = 0;
    workers.run(50, [&](size_t, size_t) { ++calls; });
    EXPECT_EQ(calls, 50);
  }
}

TEST(Workers, WakeUpAfterSleeping) {
  Workers workers(2);
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::atomic<int> calls = 0;
    workers.run(10, [&](size_t, size_t) { ++calls; });
    EXPECT_EQ(calls, 10);
  }
}

TEST(Workers, AccountForTheTimeTheyWorkWhenAsked) {
  Workers workers(2);
  const auto spin = [](size_t, size_t) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
    while (std::chrono::steady_clock::now() < end) continue;
  };
  const auto total = [&] {
    const std::span<const double> busy = workers.busy_seconds();
    EXPECT_EQ(busy.size(), 2u);
    return busy[0] + busy[1];
  };
  workers.run(4, spin);
  EXPECT_EQ(total(), 0);
  workers.record_busy(true);
  workers.run(4, spin);
  EXPECT_GE(total(), 4 * 0.002);
}

}  // namespace
}  // namespace hone
