#include "hone/targets/common/memory_fit.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(MemoryFit, NamesWhatIsAskedWhatIsThereAndTheLayer) {
  EXPECT_EQ(misfit_of("chip", {{"weights", 2048, "flash", 2048, {"fc", 2000}}}), "");
  EXPECT_EQ(misfit_of("chip", {{"weights", 3072, "flash", 2048, {"fc", 2048}},
                               {"activations", 1024, "RAM", 512, {"conv", 1024}}}),
            "does not fit: weights take 3.00 KiB, chip has 2.00 KiB of flash, most in 'fc', 2.00 "
            "KiB; activations take 1.00 KiB, chip has 512 B of RAM, most in 'conv', 1.00 KiB");
}

TEST(MemoryFit, FindsTheStepsThatTakeMost) {
  const auto graph = parse_graph(R"(graph(%x: f32[4]) -> (%c) {
    %a: f32[4] = neg(%x)
    %b: f32[4] = neg(%a)
    %c: f32[4] = neg(%b)
  })");
  std::vector<StepInfo> steps;
  for (const Node* node : graph->nodes()) steps.push_back({.node = node});
  steps[1].cost.stored_bytes = 5;
  MemorySummary memory;
  memory.buffers = {{"a", "", 0, 16, 0, 1}, {"b", "", 16, 20, 1, 2}};
  EXPECT_EQ(most_weights(steps).layer, "b");
  EXPECT_EQ(most_live(memory, steps, *graph).layer, "b");
  EXPECT_EQ(most_live(memory, steps, *graph).bytes, 36u);
  memory.buffers[0].bytes = 19;  // With the 16 of %x the first step needs 35, the second 39.
  EXPECT_EQ(most_live(memory, steps, *graph).bytes, 39u);
  memory.buffers[1].bytes = 24;  // With the 16 of %c the last one needs 40, the second 43.
  EXPECT_EQ(most_live(memory, steps, *graph).bytes, 43u);
  memory.buffers[0].bytes = 8;
  EXPECT_EQ(most_live(memory, steps, *graph).layer, "c");
  steps[0].cost.body_live_bytes = 100;
  EXPECT_EQ(most_live(memory, steps, *graph).layer, "a");
  EXPECT_EQ(most_live(memory, steps, *graph).bytes, 124u);
}

TEST(MemoryFit, WhatIsNotKnownHasNoTime) {
  const auto graph = parse_graph("graph(%x: f32[?]) -> (%y) { %y: f32[?] = neg(%x) }");
  const std::vector<StepInfo> steps = {
      {.node = graph->nodes()[0], .cost = node_cost(*graph->nodes()[0])}};
  ModelledRun run{.latency = {.name = "latency", .value = 1, .unit = "ms"}};
  withhold_times(steps, run);
  EXPECT_FALSE(run.latency.value);
  EXPECT_EQ(run.latency.note, "1 layer of unknown extent, since inputs leave theirs open");
}

TEST(MemoryFit, ShapesAreNotAskedForWhereTheyCannotHelp) {
  const auto graph = parse_graph("graph(%x: f32[4]) -> (%y) { %y: i64[1,?] = non_zero(%x) }");
  const std::vector<StepInfo> steps = {{.node = graph->nodes()[0], .cost = {.known = false}}};
  EXPECT_EQ(unknown_extents(steps),
            "1 layer of extents or repetitions that follow from values, which only a run tells");
}

}  // namespace
}  // namespace hone
