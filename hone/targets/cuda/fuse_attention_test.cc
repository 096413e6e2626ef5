#include "hone/targets/cuda/fuse_attention.h"

#include <gtest/gtest.h>

#include "hone/ops/infer_types.h"

namespace hone::cuda {
namespace {

constexpr const char* kHeads = R"(
graph(%q: f16[1,5,2,16], %k: f16[1,7,2,16], %v: f16[1,7,2,16]) -> (%y) {
  const %s: f16[] = {0.25}
  %qt: f16[1,2,5,16] = transpose(%q) perm=[0,2,1,3]
  %kt: f16[1,2,16,7] = transpose(%k) perm=[0,2,3,1]
  %vt: f16[1,2,7,16] = transpose(%v) perm=[0,2,1,3]
  %scores: f16[1,2,5,7] = matmul(%qt, %kt)
  %scaled: f16[1,2,5,7] = mul(%scores, %s)
  %p: f16[1,2,5,7] = softmax(%scaled) axis=-1
  %c: f16[1,2,5,16] = matmul(%p, %vt)
  %y: f16[1,5,2,16] = transpose(%c) perm=[0,2,1,3]
}
)";

TEST(FuseAttention, MakesOneOperatorOfWrittenOutHeads) {
  Result<Graph> graph = parse_graph(kHeads);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(fuse_attention(*graph), 1);
  EXPECT_TRUE(verify(*graph).ok()) << verify(*graph).error().message;
  std::vector<std::string> ops;
  for (const Node* node : graph->nodes()) ops.push_back(node->op);
  EXPECT_EQ(ops,
            (std::vector<std::string>{"reshape", "reshape", "reshape", "attention", "reshape"}));
  const Node& attention = *graph->node(3);
  EXPECT_EQ(*attention.find_attr<int64_t>("q_num_heads"), 2);
  EXPECT_EQ(*attention.find_attr<double>("scale"), 0.25);
  EXPECT_EQ(graph->outputs()[0]->type.tensor.shape, (Shape{1, 5, 2, 16}));
}

TEST(FuseAttention, LeavesScoresAloneThatSomebodyElseReads) {
  std::string text = kHeads;
  text.replace(text.find("-> (%y)"), 7, "-> (%y, %p)");
  Result<Graph> graph = parse_graph(text);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(fuse_attention(*graph), 0);
}

}  // namespace
}  // namespace hone::cuda
