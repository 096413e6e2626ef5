#include "hone/passes/half_precision.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(HalfPrecision, CastsWhereTheGraphIsEnteredAndLeft) {
  auto graph = parse_graph(R"(graph(%x: f32[1,2]) -> (%y) {
    %a: f32[1,2] = relu(%x)
    %y: f32[1,2] = mul(%a, f32[1,2]{1 2})
  })");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(use_half_precision(*graph), 2);
  const Status valid = verify(*graph);
  ASSERT_TRUE(valid.ok()) << valid.error().message;
  std::vector<std::string> ops;
  for (const Node* node : graph->nodes()) ops.push_back(node->op);
  EXPECT_EQ(ops, (std::vector<std::string>{"cast", "relu", "mul", "cast"}));
  EXPECT_EQ(graph->outputs()[0]->name, "y");
  EXPECT_EQ(graph->outputs()[0]->type.tensor.dtype, DType::F32);
}

TEST(HalfPrecision, LeavesOtherOperatorsInSinglePrecision) {
  auto graph = parse_graph(R"(graph(%x: f32[4]) -> (%z) {
    %y: f32[4] = relu(%x)
    %z: f32[4] = cum_sum(%y, i64[]{0})
  })");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(use_half_precision(*graph), 1);
  const Node* last = graph->nodes().back();
  EXPECT_EQ(last->op, "cum_sum");
  EXPECT_EQ(last->inputs[0]->type.tensor.dtype, DType::F32);
}

TEST(HalfPrecision, KeepsTheFactorsOfAResize) {
  auto graph = parse_graph(R"(graph(%x: f32[1,4,4,2]) -> (%y) {
    %a: f32[1,4,4,2] = relu(%x)
    %y: f32[1,6,6,2] = resize(%a, _, f32[4]{1 1.5001 1.5001 1}) mode="linear"
  })");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(use_half_precision(*graph), 2);
  for (const Node* node : graph->nodes()) {
    if (node->op != "resize") continue;
    EXPECT_EQ(node->inputs[0]->type.tensor.dtype, DType::F16);
    EXPECT_EQ(node->inputs[2]->type.tensor.dtype, DType::F32);
    EXPECT_EQ(node->outputs[0]->type.tensor.dtype, DType::F16);
  }
}

// A variance may be beyond what half precision holds.
TEST(HalfPrecision, KeepsTheStatisticsOfABatchNorm) {
  auto graph = parse_graph(R"(graph(%x: f32[1,2,3]) -> (%y) {
    %y: f32[1,2,3] = batch_norm(%x, f32[2]{1 2}, f32[2]{0 1}, f32[2]{1 0}, f32[2]{1 100000})
  })");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(use_half_precision(*graph), 1);
  const Status valid = verify(*graph);
  ASSERT_TRUE(valid.ok()) << valid.error().message;
  for (const Node* node : graph->nodes()) {
    if (node->op != "batch_norm") continue;
    EXPECT_EQ(node->inputs[0]->type.tensor.dtype, DType::F16);
    EXPECT_EQ(node->inputs[4]->type.tensor.dtype, DType::F32);
    EXPECT_EQ(node->outputs[0]->type.tensor.dtype, DType::F16);
  }
}

TEST(HalfPrecision, LeavesABatchNormInTrainingInSinglePrecision) {
  auto graph = parse_graph(R"(graph(%x: f32[1,2,3]) -> (%y, %m, %v) {
    %y: f32[1,2,3], %m: f32[2], %v: f32[2] = batch_norm(%x, f32[2]{1 2}, f32[2]{0 1}, f32[2]{1 0}, f32[2]{1 1}) training_mode=1
  })");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(use_half_precision(*graph), 0);
}

}  // namespace
}  // namespace hone
