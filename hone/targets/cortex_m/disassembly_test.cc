#include "hone/targets/cortex_m/disassembly.h"

#include <gtest/gtest.h>

namespace hone::cortex_m {
namespace {

constexpr std::string_view kListing = R"(
firmware.elf:     file format elf32-littlearm

Sections:
Idx Name          Size      VMA       LMA       File off  Algn
  0 .text         0000000c  00000100  00000100  00010000  2**2
                  CONTENTS, ALLOC, LOAD, READONLY, CODE

Disassembly of section .text:

00000100 <layer_0>:
     100:	b538      	push	{r3, r4, r5, lr}
     102:	f8d1 0004 	ldr.w	r0, [r1, #4]
     106:	bdf0      	pop	{r4, r5, r6, r7, pc}

00000108 <layer_0.part.0>:
     108:	00000abc 	.word	0x00000abc
)";

uint64_t bits(std::initializer_list<int> registers) {
  uint64_t mask = 0;
  for (const int one : registers) mask |= uint64_t{1} << one;
  return mask;
}

TEST(Disassembly, HasFunctionsInstructionsAndSections) {
  const Disassembly program = parse_disassembly(kListing);
  ASSERT_EQ(program.functions.size(), 2u);
  EXPECT_EQ(program.functions[0].name, "layer_0");
  EXPECT_EQ(program.functions[0].begin, 0x100u);
  EXPECT_EQ(program.functions[0].end, 0x108u);
  EXPECT_EQ(program.functions[1].end, 0x10cu);
  ASSERT_EQ(program.instructions.size(), 3u);
  EXPECT_EQ(program.instructions[1].address, 0x102u);
  EXPECT_EQ(program.instructions[1].bytes, 4);
  EXPECT_EQ(program.sections.at(".text").bytes, 12u);
  EXPECT_EQ(program.sections.at(".text").address, 0x100u);
  EXPECT_EQ(program.between(0x102, 0x108).size(), 2u);
}

TEST(Decode, TellsWhatIsReadAndWritten) {
  const Instruction load = decode("ldr.w", "r0, [r1], #4");
  EXPECT_EQ(load.unit, Unit::Load);
  EXPECT_EQ(load.reads, bits({1}));
  EXPECT_EQ(load.writes, bits({0, 1}));
  const Instruction store = decode("strb", "r2, [r3, r4]");
  EXPECT_EQ(store.unit, Unit::Store);
  EXPECT_EQ(store.reads, bits({2, 3, 4}));
  EXPECT_EQ(store.writes, 0u);
  const Instruction product = decode("smull", "r0, r1, r2, r3");
  EXPECT_EQ(product.unit, Unit::Multiply);
  EXPECT_EQ(product.writes, bits({0, 1}));
  EXPECT_EQ(product.reads, bits({2, 3}));
}

TEST(Decode, KnowsListsOfRegisters) {
  const Instruction push = decode("stmdb", "sp!, {r4, r5, r6, r7, r8, lr}");
  EXPECT_EQ(push.unit, Unit::StoreMany);
  EXPECT_EQ(push.registers, 6);
  EXPECT_EQ(push.writes, bits({13}));
  const Instruction load = decode("ldmia.w", "r0!, {r1, r2, r3}");
  EXPECT_EQ(load.unit, Unit::LoadMany);
  EXPECT_EQ(load.registers, 3);
  EXPECT_EQ(load.writes, bits({0, 1, 2, 3}));
  const Instruction pair = decode("ldrd", "r2, r3, [r0, #8]");
  EXPECT_EQ(pair.registers, 2);
  EXPECT_EQ(pair.writes, bits({2, 3}));
  EXPECT_EQ(pair.reads, bits({0}));
}

TEST(Decode, KnowsConditions) {
  EXPECT_EQ(decode("bne.n", "100 <layer_0>").unit, Unit::Branch);
  EXPECT_EQ(decode("bxeq", "lr").unit, Unit::Branch);
  EXPECT_EQ(decode("bics", "r0, r1").unit, Unit::Alu);
  const Instruction move = decode("movlt", "r0, r1");
  EXPECT_EQ(move.unit, Unit::Alu);
  EXPECT_NE(move.reads & bits({0}), 0u);  // What it leaves when the condition does not hold.
}

TEST(Decode, TellsUnitsApart) {
  EXPECT_EQ(decode("sxtb16", "r0, r1, ror #8").unit, Unit::Simd);
  EXPECT_EQ(decode("add.w", "r0, r1, r2, lsl #2").unit, Unit::ShiftedAlu);
  EXPECT_EQ(decode("asrs", "r0, r1, #3").unit, Unit::Shift);
  EXPECT_EQ(decode("vldrb.8", "q0, [r1], #16").unit, Unit::VectorLoad);
  EXPECT_EQ(decode("vmladava.s8", "r0, q0, q1").unit, Unit::VectorMultiply);
  EXPECT_EQ(decode("vldr", "s0, [r1]").unit, Unit::Load);
  EXPECT_EQ(decode("udiv", "r0, r1, r2").unit, Unit::Divide);
}

}  // namespace
}  // namespace hone::cortex_m
