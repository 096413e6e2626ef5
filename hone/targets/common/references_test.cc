#include "hone/targets/common/references.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(References, AreCountedByOperator) {
  const auto graph = parse_graph(R"(graph(%x: f32[4]) -> (%y) {
    %a: f32[4] = relu(%x)
    %b: f32[4] = cum_sum(%a, i64[]{0})
    %y: f32[4] = cum_sum(%b, i64[]{0})
  })");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  std::vector<StepInfo> steps;
  for (const Node* node : graph->nodes()) {
    steps.push_back({.node = node, .kind = {.reference = node->op == "cum_sum"}});
  }
  References references = count_references(steps);
  EXPECT_EQ(text_of(references), "2 of 3 steps: no kernel takes them (cum_sum 2)");
  references.percent = 45.06;
  EXPECT_EQ(text_of(references),
            "2 of 3 steps, 45.1 % of their time: no kernel takes them (cum_sum 2)");
  EXPECT_EQ(text_of(count_references({steps[0]})), "");
}

}  // namespace
}  // namespace hone
