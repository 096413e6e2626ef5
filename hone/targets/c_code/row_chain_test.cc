#include "hone/targets/c_code/row_chain.h"

#include <gtest/gtest.h>

#include "hone/targets/c_code/plan.h"

namespace hone::c_code {
namespace {

// Two windows of three rows with a border of one, a function of one value between them.
constexpr std::string_view kImages = R"(graph(%x: i8[1,8,4,4]<0.1:3>) -> (%y) {
  %a: i8[1,8,4,4]<0.1:3> = max_pool(%x) layout="nhwc" kernel_shape=[3,3] pads=[1,1,1,1]
  %b: i8[1,8,4,4]<0.1:0> = hard_swish(%a)
  %c: i8[1,4,2,4]<0.1:0> = max_pool(%b) layout="nhwc" kernel_shape=[3,3] pads=[1,1,1,1] strides=[2,2]
  %d: i8[1,4,2,4]<0.1:0> = max_pool(%c) layout="nhwc" kernel_shape=[3,3] pads=[1,1,1,1]
  %y: i8[1,4]<0.1:0> = reduce_mean(%d, i64[2]{1 2}) keepdims=0
})";

Plan plan_of(std::string_view text, const FirmwareOptions& firmware = {}) {
  auto graph = parse_graph(text);
  HONE_CHECK(graph.ok(), graph.error().message);
  auto plan = make_plan(std::move(*graph), {.threads = 1, .firmware = firmware});
  HONE_CHECK(plan.ok(), plan.error().message);
  return std::move(*plan);
}

TEST(RowChain, KeepsTheRowsUnderTheNextWindow) {
  const Plan plan = plan_of(kImages);
  const RowChain chain = trace_chain(plan.steps, 0, 3);
  EXPECT_EQ(chain.link_rows, (std::vector<size_t>{1, 3, 3}));
  EXPECT_EQ(chain.cost.calls, 8 + 8 + 4 + 4);
  EXPECT_EQ(chain.cost.macs, 0);
}

TEST(RowChain, TellsHowFarWhatItReadsHasToLieBehindWhatItMakes) {
  const Plan plan = plan_of(kImages);
  EXPECT_EQ(trace_chain(plan.steps, 0, 0).lead, 2u * 16);  // The row above is read once more.
  EXPECT_EQ(trace_chain(plan.steps, 1, 1).lead, 16u);      // A row while it is read.
  EXPECT_EQ(trace_chain(plan.steps, 0, 1).lead, 16u);
  EXPECT_EQ(trace_chain(plan.steps, 0, 2).lead, 0u);  // It makes half as much as it reads.
}

TEST(RowChain, IsOfImagesThatNobodyElseReads) {
  const Plan plan = plan_of(kImages);
  EXPECT_TRUE(runs_by_rows(plan.steps[0]));
  EXPECT_FALSE(runs_by_rows(plan.steps[4]));
  EXPECT_TRUE(hands_on(plan.steps[0], plan.steps[1]));
  EXPECT_FALSE(hands_on(plan.steps[0], plan.steps[2]));
  const Plan shared = plan_of(R"(graph(%x: i8[1,8,4,4]<0.1:3>) -> (%y) {
    %a: i8[1,8,4,4]<0.1:3> = max_pool(%x) layout="nhwc" kernel_shape=[3,3] pads=[1,1,1,1]
    %b: i8[1,8,4,4]<0.1:3> = max_pool(%a) layout="nhwc" kernel_shape=[3,3] pads=[1,1,1,1]
    %y: i8[1,8,4,4]<0.2:0> = add(%a, %b)
  })");
  EXPECT_FALSE(hands_on(shared.steps[0], shared.steps[1]));
  EXPECT_FALSE(runs_by_rows(shared.steps[2]));
}

TEST(PlansByRows, AreThoseThatMustBe) {
  const Plan plain = plan_of(kImages);
  EXPECT_EQ(plain.ram_without_rows, ram_bytes(plain));
  EXPECT_TRUE(plan_of(kImages, {.max_ram = ram_bytes(plain)}).chains.empty());
  const Plan some = plan_of(kImages, {.max_ram = ram_bytes(plain) - 1});
  EXPECT_EQ(some.chains.size(), 1u);
  EXPECT_LT(ram_bytes(some), ram_bytes(plain));
  EXPECT_EQ(some.ram_without_rows, ram_bytes(plain));
  // Nothing fits in a byte: then they need as little as they can.
  EXPECT_LE(ram_bytes(plan_of(kImages, {.max_ram = 1})), ram_bytes(some));
}

TEST(PlansByRows, HaveTheirInputsInTheArenaIfTheyMay) {
  const Plan outside = plan_of(kImages);
  const Plan inside = plan_of(kImages, {.inputs_in_arena = true});
  EXPECT_EQ(outside.places.at(outside.inputs[0]).in, Place::In::Input);
  EXPECT_EQ(inside.places.at(inside.inputs[0]).in, Place::In::Arena);
  EXPECT_LT(ram_bytes(inside), ram_bytes(outside));
  EXPECT_EQ(inside.arena_bytes, 256u);  // What is read, and what is made of it.
}

}  // namespace
}  // namespace hone::c_code
