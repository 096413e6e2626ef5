#include "hone/targets/cpu/gated_product.h"

#include <gtest/gtest.h>

#include "hone/targets/cpu/plan_testing.h"

namespace hone::cpu {
namespace {

std::string ones(const std::string& name, int64_t outs, int64_t ins) {
  std::string text = str("  const %", name, ": f32[", outs, ",1,1,", ins, "] = {");
  for (int64_t i = 0; i < outs * ins; ++i) text += "1 ";
  return text + "}\n";
}

// An image of 8 channels with a gate made by `gate`, and a 1x1 convolution to `outs` channels.
std::string gated(int64_t side, const std::string& gate, int64_t outs) {
  return str("graph(%x: f32[1,", side, ",", side, ",8], %z: f32[1,1,1,8]) -> (%y) {\n",
             ones("w", outs, 8), "  %g = ", gate,
             "(%z)\n  %m = mul(%x, %g)\n  %y = conv(%m, %w) layout=\"nhwc\"\n}");
}

size_t products_of_images(const Plan& plan) {
  return static_cast<size_t>(
      std::ranges::count_if(plan.steps, [](const auto& step) { return step->node->op == "mul"; }));
}

TEST(GatedProduct, TakesTheGateIntoWeightsWhereTheyAreFewer) {
  EXPECT_EQ(products_of_images(*plan_of(gated(8, "sigmoid", 16), {})), 0u);
  EXPECT_EQ(products_of_images(*plan_of(gated(8, "hard_sigmoid", 16), {})), 0u);
  EXPECT_EQ(products_of_images(*plan_of(gated(7, "sigmoid", 16), {})), 1u) << "49 pixels";
  EXPECT_EQ(products_of_images(*plan_of(gated(8, "exp", 16), {})), 1u) << "no bound";
}

TEST(GatedProduct, LeavesValuesThatArePeekedAt) {
  CompileOptions options;
  options.keep_values = true;
  EXPECT_EQ(products_of_images(*plan_of(gated(8, "sigmoid", 16), options)), 1u);
}

// The layer that has no step of its own is told of by the one that does its work.
TEST(GatedProduct, StandsForBothLayers) {
  auto graph = parse_graph(gated(8, "sigmoid", 16));
  ASSERT_TRUE(graph.ok());
  graph->sources = {{"gate", "Sigmoid"}, {"times", "Mul"}, {"product", "Conv"}};
  int source = 0;
  for (Node* node : graph->nodes()) graph->set_origins(node, {source++});
  const auto plan = make_plan(*std::move(graph), {});
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ((*plan)->steps.back()->node->origins, (std::vector<int>{1, 2}));
}

}  // namespace
}  // namespace hone::cpu
