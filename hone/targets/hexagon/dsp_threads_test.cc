#include "hone/targets/hexagon/dsp_threads.h"

#include <gtest/gtest.h>

namespace hone::hexagon {
namespace {

// Five parts of a layer of vectors on four threads, of which so many can have vectors.
ThreadShares shares_on(size_t contexts) {
  c_code::Plan plan;
  plan.steps.push_back({.calls = {{.kernel = "hone_hvx_pixels"}}});
  plan.options.core = {.hvx = true, .threads = 4, .contexts = contexts, .wake_cycles = 7};
  plan.parts = {{.count = 5}};
  DspRun run{.layers = {{.packets = 950, .stalls = 50}}, .parts = {{}}};
  for (const uint64_t packets : {300, 100, 150, 100, 300}) {
    run.parts[0].push_back({.packets = packets, .stalls = 10});
  }
  return thread_shares(plan, run)[0];
}

TEST(DspThreads, TakePartsInTurn) {
  const ThreadShares four = shares_on(4);
  EXPECT_EQ(four.slowest, 620) << "the first and the last part";
  EXPECT_EQ(four.computing(), 627);
  EXPECT_DOUBLE_EQ(four.imbalance(), 620 / 250.0);
  EXPECT_EQ(shares_on(2).slowest, 310 + 160 + 310) << "two threads have vectors";
  EXPECT_EQ(shares_on(1).slowest, 1000);
}

TEST(DspThreads, AreNotWokenForALayerThatIsNotCut) {
  c_code::Plan plan;
  plan.steps.push_back({.calls = {{.kernel = "hone_softmax"}}});
  plan.options.core = {.hvx = true, .threads = 4, .contexts = 4, .wake_cycles = 7};
  plan.parts = {{}};
  const ThreadShares shares =
      thread_shares(plan, {.layers = {{.packets = 40, .stalls = 2}}, .parts = {{}}})[0];
  EXPECT_EQ(shares.computing(), 42);
  EXPECT_EQ(shares.imbalance(), 1);
}

}  // namespace
}  // namespace hone::hexagon
