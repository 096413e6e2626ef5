#include "hone/targets/cuda/expand_attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "hone/base/str.h"
#include "hone/ops/interpreter.h"
#include "hone/ops/op_case.h"
#include "hone/tensor/compare.h"

namespace hone::cuda {
namespace {

std::vector<Item> random_inputs(const Graph& graph) {
  std::mt19937 random(3);
  std::vector<Item> inputs;
  for (const Value* input : graph.inputs()) {
    Tensor tensor(input->type.tensor);
    if (tensor.dtype() == DType::Bool) {
      for (bool& value : tensor.mutable_data<bool>()) value = random() % 2 == 0;
    } else {
      for (float& value : tensor.mutable_data<float>()) {
        value = static_cast<float>(random() % 1000) / 500 - 1;
      }
    }
    inputs.emplace_back(std::move(tensor));
  }
  return inputs;
}

class ExpandAttention : public testing::TestWithParam<const char*> {};

TEST_P(ExpandAttention, GivesWhatTheAttentionGave) {
  Result<Graph> graph = graph_of_case("attention", GetParam());
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const std::vector<Item> inputs = random_inputs(*graph);
  const auto before = run_graph(*graph, inputs);
  ASSERT_TRUE(before.ok()) << before.error().message;
  EXPECT_EQ(expand_attention(*graph, [](const Node&) { return false; }), 1);
  ASSERT_TRUE(verify(*graph).ok()) << verify(*graph).error().message;
  EXPECT_TRUE(std::ranges::none_of(graph->nodes(),
                                   [](const Node* node) { return node->op == "attention"; }));
  const auto after = run_graph(*graph, inputs);
  ASSERT_TRUE(after.ok()) << after.error().message;
  const Difference difference = compare((*after)[0].tensor, (*before)[0].tensor);
  ASSERT_TRUE(difference.comparable) << difference.what;
  EXPECT_LE(difference.max_abs, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, ExpandAttention,
    testing::Values(
        "(f32[1,2,3,4], f32[1,2,3,4], f32[1,2,3,4])",
        "(f32[2,2,3,4], f32[2,2,5,4], f32[2,2,5,6]) is_causal=1",
        "(f32[2,3,8], f32[2,5,8], f32[2,5,8]) q_num_heads=2 kv_num_heads=2 scale=0.5",
        "(f32[1,4,3,4], f32[1,2,5,4], f32[1,2,5,4]) softcap=2.0",
        "(f32[1,2,3,4], f32[1,2,5,4], f32[1,2,5,4], f32[3,5])",
        "(f32[2,2,3,4], f32[2,2,5,4], f32[2,2,5,4], f32[2,1,3,5]) is_causal=1",
        "(f32[1,2,3,4], f32[1,2,2,4], f32[1,2,2,4], bool[3,2])",
        "(f32[1,2,3,4], f32[1,2,5,4], f32[1,2,5,4], const f32[1,1,1,4])",
        "(f32[1,2,3,4], f32[1,2,2,4], f32[1,2,2,4], bool[3,2]{true false false false true true})",
        "(f32[1,2,3,4], f32[1,2,2,4], f32[1,2,2,4], _, f32[1,2,3,4], f32[1,2,3,4]) is_causal=1"));

TEST(ExpandAttentions, LeavesWhatItIsToldAndWhatItCannot) {
  Result<Graph> graph = graph_of_case("attention", "(f32[1,2,3,4], f32[1,2,3,4], f32[1,2,3,4])");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(expand_attention(*graph, [](const Node&) { return true; }), 0);
  graph =
      graph_of_case("attention", "(f32[1,2,3,4], f32[1,2,3,4], f32[1,2,3,4], _, _, _, i64[1]{2})");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(expand_attention(*graph, [](const Node&) { return false; }), 0);
}

}  // namespace
}  // namespace hone::cuda
