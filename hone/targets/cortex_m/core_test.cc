#include "hone/targets/cortex_m/core.h"

#include <gtest/gtest.h>

#include "hone/targets/cortex_m/disassembly.h"

namespace hone::cortex_m {
namespace {

// One instruction a line, name and operands.
std::vector<Instruction> code(const std::vector<std::pair<std::string, std::string>>& lines) {
  std::vector<Instruction> instructions;
  for (const auto& [name, operands] : lines) instructions.push_back(decode(name, operands));
  return instructions;
}

double cycles_of(std::string_view core, const std::vector<Instruction>& block) {
  return cycles_behind(*find_core(core), {}, block, false);
}
// Of one turn, when it has turned before.
double cycles_of_loop(std::string_view core, const std::vector<Instruction>& block) {
  return cycles_behind(*find_core(core), block, block, true);
}

TEST(Core, OfOneInstructionAtATimeTakesACycleForEach) {
  EXPECT_EQ(cycles_of("cortex-m4", code({{"adds", "r0, r0, #1"}, {"smlad", "r1, r2, r3, r1"}})), 2);
}

TEST(Core, WaitsForALoadUnlessAnotherFollows) {
  EXPECT_EQ(cycles_of("cortex-m4", code({{"ldr", "r0, [r1]"}, {"adds", "r2, r3, #1"}})), 3);
  EXPECT_EQ(cycles_of("cortex-m4",
                      code({{"ldr", "r0, [r1]"}, {"ldr", "r4, [r5]"}, {"adds", "r2, r3, #1"}})),
            4);
}

TEST(Core, BeginsTwoThatDoNotNeedEachOther) {
  EXPECT_EQ(cycles_of("cortex-m7", code({{"add.w", "r0, r1, r2"}, {"add.w", "r3, r4, r5"}})), 1);
  EXPECT_EQ(cycles_of("cortex-m7", code({{"add.w", "r0, r1, r2"}, {"add.w", "r3, r0, r5"}})), 1.5);
}

TEST(Core, HasOneMultiplier) {
  EXPECT_EQ(
      cycles_of("cortex-m7", code({{"smlad", "r0, r1, r2, r0"}, {"smlad", "r3, r1, r2, r3"}})),
      1.5);
}

TEST(Core, WaitsForWhatAnInstructionReads) {
  EXPECT_EQ(cycles_of("cortex-m7", code({{"ldr", "r0, [r1]"}, {"add.w", "r2, r0, r3"}})), 2.5);
  EXPECT_EQ(cycles_of("cortex-m7", code({{"ldrb", "r0, [r1]"}, {"add.w", "r2, r0, r3"}})), 3.5);
}

// A taken branch costs a refill on the M4, and the rest of its cycle on the M7.
TEST(Core, LosesCyclesOnBranches) {
  const auto loop = code({{"subs", "r0, #1"}, {"bne.n", "8000 <loop>"}});
  EXPECT_EQ(cycles_of_loop("cortex-m4", loop), 3);
  EXPECT_EQ(cycles_of_loop("cortex-m7", loop), 1);
}

// The loop of products, 16 multiply-adds: llvm-mca has 10 cycles by what the units can do, and 16 when results
// have to be written in order, which the core does not ask for.
TEST(Core, IsBetweenTheBoundsOfLlvmOnTheLoopOfProducts) {
  const auto loop = code({{"ldrd", "r2, r3, [r0], #8"},
                          {"ldr", "r4, [r1, #0]"},
                          {"ldr", "r5, [r1, #4]"},
                          {"ldr", "r6, [r1, #8]"},
                          {"ldr", "r7, [r1, #12]"},
                          {"adds", "r1, #16"},
                          {"sxtb16", "r8, r2"},
                          {"sxtb16", "r9, r3"},
                          {"smlad", "sl, r8, r4, sl"},
                          {"smlad", "fp, r9, r4, fp"},
                          {"smlad", "ip, r8, r6, ip"},
                          {"smlad", "lr, r9, r6, lr"},
                          {"sxtb16", "r2, r2, ror #8"},
                          {"sxtb16", "r3, r3, ror #8"},
                          {"smlad", "sl, r2, r5, sl"},
                          {"smlad", "fp, r3, r5, fp"},
                          {"smlad", "ip, r2, r7, ip"},
                          {"smlad", "lr, r3, r7, lr"},
                          {"cmp", "r0, r9"},
                          {"bne.n", "8000 <loop>"}});
  EXPECT_GE(cycles_of_loop("cortex-m7", loop), 10);
  EXPECT_LE(cycles_of_loop("cortex-m7", loop), 16);
}

// llvm-mca: 4 cycles for each turn, in which a vector of weights and one of values are loaded.
TEST(Core, MovesTwoBeatsOfAVectorInACycle) {
  const auto loop = code({{"vldrb.8", "q0, [r0], #16"},
                          {"vldrb.8", "q1, [r1], #16"},
                          {"vmladava.s8", "lr, q0, q1"},
                          {"le", "lr, 8000 <loop>"}});
  EXPECT_EQ(cycles_of_loop("cortex-m55", loop), 4);
}

TEST(Core, IsKnownByItsName) {
  EXPECT_EQ(find_core("cortex-m99"), nullptr);
}

}  // namespace
}  // namespace hone::cortex_m
