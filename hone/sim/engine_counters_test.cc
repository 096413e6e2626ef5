#include "hone/sim/engine_counters.h"

#include <gtest/gtest.h>

#include <set>

namespace hone::sim {
namespace {

EngineCounters example() {
  EngineCounters counters{.cycles = 100,
                          .busy = {.matrix = 1, .vector = 2, .dma = 3, .host = 4},
                          .macs = 5,
                          .possible_macs = 6,
                          .commands = 7,
                          .sram_bytes = 8,
                          .memories = {{"DRAM", 9, 10}, {"flash", 11, 12}},
                          .energy_uj = 13};
  counters.stalls[Stall::Host] = 14;
  return counters;
}

TEST(EngineCounters, AddUpFieldByField) {
  EngineCounters sum;
  add(example(), sum);
  add(EngineCounters{.cycles = 50}, sum);  // A step that moved nothing.
  add(example(), sum);
  EXPECT_EQ(sum.cycles, 250);
  EXPECT_EQ(sum.busy.dma, 6);
  EXPECT_EQ(sum.possible_macs, 12);
  EXPECT_EQ(sum.energy_uj, 26);
  EXPECT_EQ(sum.stalls[Stall::Host], 28);
  EXPECT_EQ(sum.stalls[Stall::Dispatch], 0);
  ASSERT_EQ(sum.memories.size(), 2u);
  EXPECT_EQ(sum.memories[1].name, "flash");
  EXPECT_EQ(sum.memories[1].written_bytes, 24);
}

TEST(EngineCounters, EveryCauseHasANameOfItsOwn) {
  std::set<std::string> names;
  for (size_t i = 0; i < kStalls; ++i) names.insert(stall_name(static_cast<Stall>(i)));
  EXPECT_EQ(names.size(), kStalls);
  EXPECT_FALSE(names.contains("?"));
  EXPECT_EQ(stall_name(Stall::OutputBlocked), "output blocked");
}

}  // namespace
}  // namespace hone::sim
