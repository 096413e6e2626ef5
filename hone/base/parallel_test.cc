#include "hone/base/parallel.h"

#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace hone {
namespace {

TEST(Parallel, CallsEveryIndexOnce) {
  for (const int threads : {0, 1, 3, 64}) {
    std::vector<int> calls(1000);
    parallel_for(calls.size(), threads, [&](size_t i) { ++calls[i]; });
    EXPECT_EQ(calls, std::vector<int>(1000, 1)) << threads << " threads";
  }
}

TEST(Parallel, NothingToDoCallsNothing) {
  parallel_for(0, 4, [](size_t) { FAIL(); });
}

TEST(Parallel, OneThreadIsTheCallersOwn) {
  std::set<std::thread::id> seen;
  parallel_for(10, 1, [&](size_t) { seen.insert(std::this_thread::get_id()); });
  EXPECT_EQ(seen, std::set{std::this_thread::get_id()});
}

TEST(Parallel, HardwareHasAThread) {
  EXPECT_GE(hardware_threads(), 1);
}

TEST(Parallel, AnExceptionComesOut) {
  for (const int threads : {1, 4}) {
    const auto fail = [](size_t i) {
      if (i == 7) throw std::runtime_error("no");
    };
    EXPECT_THROW(parallel_for(100, threads, fail), std::runtime_error) << threads;
  }
}

}  // namespace
}  // namespace hone
