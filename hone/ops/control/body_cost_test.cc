#include "hone/ops/control/body_cost.h"

#include <gtest/gtest.h>

#include "hone/ops/infer_types.h"

namespace hone {
namespace {

NodeCost last_cost(std::string_view text) {
  auto graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  const auto types = infer_types(*graph);
  EXPECT_TRUE(types.ok()) << types.error().message;
  return node_cost(*graph->nodes().back());
}

// 6 weights and 6 MACs in one branch, 2 weights in the other.
constexpr std::string_view kBodyCostIf = R"(graph(%c: bool[], %x: f32[1,2]) -> %y {
  %y = if(%c, %x) captures=1
    then_branch=graph(%x: f32[...]) -> %t {
      const %w: f32[2,3] = {1 2 3 4 5 6}
      %t: f32[...] = matmul(%x, %w)
    }
    else_branch=graph(%x: f32[...]) -> %t {
      const %b: f32[1,3] = {1 1 1}
      %t: f32[...] = neg(%b)
    }
})";

TEST(BodyCost, OfAnIfIsThatOfTheDearerBranch) {
  const NodeCost cost = last_cost(kBodyCostIf);
  EXPECT_EQ(cost.macs, 6);
  EXPECT_EQ(cost.weight_bytes, 24u);
  EXPECT_EQ(cost.stored_bytes, 24u + 12);
  EXPECT_EQ(cost.body_live_bytes, 12u);
  EXPECT_TRUE(cost.known);
}

std::string loop(std::string_view trips) {
  return str(
      "graph(%n: i64[], %x: f32[1,2]) -> %y {\n"
      "  const %w: f32[2,2] = {1 0 0 1}\n"
      "  %y = loop(",
      trips,
      ", _, %x, %w) captures=1\n"
      "    body=graph(%i: i64[], %c: bool[], %s: f32[...], %w: f32[...]) -> (%c, %t) {\n"
      "      %t: f32[...] = matmul(%s, %w)\n"
      "    }\n"
      "}");
}

TEST(BodyCost, OfALoopIsThatOfAllIterations) {
  const NodeCost cost = last_cost(loop("i64[]{5}"));
  EXPECT_EQ(cost.macs, 5 * 4);
  EXPECT_EQ(cost.weight_bytes, 5u * 16);
  EXPECT_EQ(cost.stored_bytes, 16u);
  EXPECT_TRUE(cost.known);
  EXPECT_EQ(last_cost(loop("i64[]{-1}")).macs, 0);
  // More than anything can count.
  EXPECT_GT(last_cost(loop("i64[]{9000000000000000000}")).flops, 0);
}

TEST(BodyCost, OfALoopWithoutAKnownCountIsALowerBound) {
  const NodeCost cost = last_cost(loop("%n"));
  EXPECT_EQ(cost.macs, 4);
  EXPECT_FALSE(cost.known);
}

TEST(BodyCost, OfAScanGoesByTheExtentOfItsAxis) {
  const auto scan = [](std::string_view shape) {
    return last_cost(str("graph(%s: f32[1,2], %x: f32", shape,
                         ") -> (%y, %all) {\n"
                         "  %y, %all = scan(%s, %x) num_scan_inputs=1 scan_input_axes=[1]\n"
                         "    body=graph(%s: f32[...], %x: f32[...]) -> (%u, %u) {\n"
                         "      const %w: f32[2,2] = {1 0 0 1}\n"
                         "      %t: f32[...] = matmul(%x, %w)\n"
                         "      %u: f32[...] = add(%s, %t)\n"
                         "    }\n"
                         "}"));
  };
  EXPECT_EQ(scan("[1,7,2]").macs, 7 * 4);
  EXPECT_TRUE(scan("[1,7,2]").known);
  EXPECT_EQ(scan("[1,?,2]").macs, 4);
  EXPECT_FALSE(scan("[1,?,2]").known);
}

TEST(BodyCost, CountsBodiesInBodies) {
  const NodeCost cost = last_cost(R"(graph(%c: bool[], %x: f32[1,2]) -> %y {
    %y = if(%c, %c, %x) captures=2
      then_branch=graph(%c: bool[], %x: f32[...]) -> %t {
        %t: f32[...] = if(%c, %x) captures=1
          then_branch=graph(%x: f32[...]) -> %u {
            const %w: f32[2,2] = {1 2 3 4}
            %u: f32[...] = matmul(%x, %w)
          }
          else_branch=graph(%x: f32[...]) -> %x { }
      }
      else_branch=graph(%c: bool[], %x: f32[...]) -> %x { }
  })");
  EXPECT_EQ(cost.macs, 4);
  EXPECT_EQ(cost.stored_bytes, 16u);
  EXPECT_EQ(cost.body_live_bytes,
            16u);  // What the inner branch makes, and what the outer one gets.
}

}  // namespace
}  // namespace hone
