#include "hone/targets/cortex_m/execution.h"

#include <gtest/gtest.h>

namespace hone::cortex_m {
namespace {

// A loop of two instructions in function 0 and a helper of one that function 1 calls.
Disassembly small_program() {
  return parse_disassembly(
      "00000100 <layer_0>:\n"
      "     100:\t3801      \tsubs\tr0, #1\n"
      "     102:\td1fd      \tbne.n\t100 <layer_0>\n"
      "     104:\t4770      \tbx\tlr\n"
      "00000110 <helper>:\n"
      "     110:\t4770      \tbx\tlr\n");
}

TEST(Costs, CountInstructionsOnAccountOfTheFunction) {
  const auto execution = emulation::parse_execution(
      "edge 0 100 104 100 104 9\nedge 0 0 0 100 104 1\nedge 0 100 104 104 106 1\n"
      "edge 1 104 106 110 112 5\nedge -1 110 112 100 104 100\n",
      2);
  ASSERT_TRUE(execution.ok());
  const auto costs = costs_of(*execution, small_program(), *find_core("cortex-m4"), 0);
  ASSERT_EQ(costs.size(), 2u);
  EXPECT_EQ(costs[0].instructions, 2 * 9 + 2 + 1u);
  EXPECT_EQ(costs[1].instructions, 5u);
  // Nine turns of three cycles; the first begins behind nothing, the last falls out of the loop.
  EXPECT_EQ(costs[0].issue, 9 * 3 + 3 + 1);
  EXPECT_EQ(costs[0].branches, 0);
}

TEST(Costs, ChargeBranchesThatWereNotExpected) {
  const auto execution =
      emulation::parse_execution("edge 0 100 104 100 104 9\nedge 0 100 104 104 106 2\n", 1);
  ASSERT_TRUE(execution.ok());
  const Core& core = *find_core("cortex-m7");
  EXPECT_EQ(costs_of(*execution, small_program(), core, 0)[0].branches, 2 * core.surprised);
}

TEST(Costs, ChargeLinesOfFlash) {
  const auto execution = emulation::parse_execution("misses 0 3 4\n", 1);
  ASSERT_TRUE(execution.ok());
  EXPECT_EQ(costs_of(*execution, small_program(), *find_core("cortex-m4"), 5)[0].flash, 35);
}

}  // namespace
}  // namespace hone::cortex_m
