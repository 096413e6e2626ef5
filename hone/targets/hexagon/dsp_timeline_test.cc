// Slots and waits that were worked out by hand.

#include "hone/targets/hexagon/dsp_timeline.h"

#include <gtest/gtest.h>

namespace hone::hexagon {
namespace {

// Ten bytes a cycle, the first of them after a hundred.
DspSpec some_dsp() {
  return {.core = "v67", .clock_mhz = 1, .ddr_bytes_per_cycle = 10, .ddr_latency_cycles = 100};
}

TEST(DspTimeline, WhatNeedsNothingOfMainMemoryDoesNotWait) {
  const auto layers = timeline_of({{.step = 0}, {.step = 1}}, {500, 700}, some_dsp());
  EXPECT_EQ(layers[0].cycles(), 500);
  EXPECT_EQ(layers[1].cycles(), 700);
  EXPECT_EQ(layers[1].fetching, 0);
}

// The first has nothing to hide behind: 100 + 1000. The second comes while the first computes.
TEST(DspTimeline, FetchesHideBehindTheSlotBefore) {
  const auto layers = timeline_of({{.step = 0, .fetched = 10'000}, {.step = 1, .fetched = 4000}},
                                  {600, 700}, some_dsp());
  EXPECT_EQ(layers[0].waits, 1100);
  EXPECT_EQ(layers[0].computing, 600);
  EXPECT_EQ(layers[1].waits, 0);
  EXPECT_EQ(layers[1].fetching, 500);
}

TEST(DspTimeline, WhatDoesNotHideIsWaitedFor) {
  const auto layers =
      timeline_of({{.step = 0}, {.step = 1, .fetched = 9000}}, {600, 700}, some_dsp());
  EXPECT_EQ(layers[0].waits, 0);
  EXPECT_EQ(layers[1].waits, 400);
  EXPECT_EQ(layers[1].cycles(), 1100);
}

// A layer takes as long as what it reads in main memory, which fetches of the next stand behind.
TEST(DspTimeline, StreamsComeBeforeFetches) {
  const auto layers = timeline_of({{.step = 0, .streamed = 8000}, {.step = 1, .fetched = 2000}},
                                  {600, 700}, some_dsp());
  EXPECT_EQ(layers[0].waits, 300);
  EXPECT_EQ(layers[1].waits, 300);
}

TEST(DspTimeline, PiecesOfALayerHideEachOther) {
  const auto layers = timeline_of(
      {{.step = 0, .part = 0.5, .fetched = 1000}, {.step = 0, .part = 0.5, .fetched = 1000}}, {400},
      some_dsp());
  EXPECT_EQ(layers[0].waits, 200);
  EXPECT_EQ(layers[0].computing, 400);
  EXPECT_EQ(layers[0].fetching, 400);
}

TEST(DspTimeline, MainMemoryThatNothingIsKnownOfIsNotWaitedFor) {
  const auto layers =
      timeline_of({{.step = 0, .fetched = 1e6, .streamed = 1e6}}, {400}, {.core = "v67"});
  EXPECT_EQ(layers[0].cycles(), 400);
}

}  // namespace
}  // namespace hone::hexagon
