#include "hone/targets/cuda/join_products.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "hone/base/str.h"
#include "hone/ops/interpreter.h"
#include "hone/tensor/compare.h"

namespace hone::cuda {
namespace {

// Three projections of %x with weights and biases of their own.
std::string projections() {
  const auto numbers = [](int64_t count, int64_t step) {
    std::string text;
    for (int64_t i = 0; i < count; ++i) text += str(i * step % 7 - 3, " ");
    return text;
  };
  std::string text = "graph(%x: f32[3,8], %memory: f32[3,8]) -> (%y) {\n";
  for (int64_t i = 0; i < 3; ++i) {
    text += str("  const %w", i, ": f32[8,16] = {", numbers(128, i + 1), "}\n  const %b", i,
                ": f32[16] = {", numbers(16, i + 2), "}\n");
  }
  return text + R"(  const %s: i64[3] = {1 3 16}
  %q: f32[3,16] = gemm(%x, %w0, %b0)
  %k: f32[3,16] = gemm(%x, %w1, %b1)
  %v: f32[3,16] = gemm(%x, %w2, %b2)
  %qt: f32[1,3,16] = reshape(%q, %s)
  %kt: f32[1,3,16] = reshape(%k, %s)
  %vt: f32[1,3,16] = reshape(%v, %s)
  %y: f32[1,3,16] = attention(%qt, %kt, %vt) q_num_heads=1 kv_num_heads=1
}
)";
}

std::vector<std::string> operators(const Graph& graph) {
  std::vector<std::string> ops;
  for (const Node* node : graph.nodes()) ops.push_back(node->op);
  return ops;
}

TEST(JoinProducts, MultipliesTheInputOfAnAttentionOnce) {
  Result<Graph> graph = parse_graph(projections());
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const std::vector<Item> inputs = {
      Tensor::of<float>({3, 8}, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 1, 0, 1, 0,
                                                   1, 0, 1, 0, 2, 2, 2, 2, 3, 3, 3, 3}),
      Tensor::of<float>({3, 8}, std::vector<float>(24, 1))};
  const auto before = run_graph(*graph, inputs);
  ASSERT_TRUE(before.ok()) << before.error().message;
  EXPECT_EQ(join_products(*graph), 3);
  EXPECT_TRUE(verify(*graph).ok()) << verify(*graph).error().message;
  EXPECT_EQ(operators(*graph),
            (std::vector<std::string>{"gemm", "slice", "slice", "slice", "reshape", "reshape",
                                      "reshape", "attention"}));
  const auto after = run_graph(*graph, inputs);
  ASSERT_TRUE(after.ok()) << after.error().message;
  EXPECT_EQ(compare((*after)[0].tensor, (*before)[0].tensor).max_abs, 0);
}

TEST(JoinProducts, LeavesProductsOfOtherInputsAlone) {
  std::string text = projections();
  for (const char* product : {"gemm(%x, %w1", "gemm(%x, %w2"}) {
    text.replace(text.find(product) + 5, 2, "%memory");
  }
  Result<Graph> graph = parse_graph(text);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(join_products(*graph), 2);
  EXPECT_EQ(operators(*graph)[0], "gemm");
  EXPECT_EQ(std::ranges::count(operators(*graph), "gemm"), 2);
}

TEST(JoinProducts, LeavesWhatSomebodyElseReads) {
  std::string text = projections();
  text.replace(text.find("-> (%y)"), 7, "-> (%y, %q, %k)");
  Result<Graph> graph = parse_graph(text);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(join_products(*graph), 0);
}

}  // namespace
}  // namespace hone::cuda
