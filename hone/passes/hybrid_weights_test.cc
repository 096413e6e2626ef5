#include "hone/passes/hybrid_weights.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(HybridWeights, BecomeFloatsOnce) {
  auto graph = parse_graph(R"(graph(%x: f32[1,2], %q: i8[1,2]<1:0>) -> (%y, %z, %i) {
    const %w: i8[2,2]<axis 0, 0.5:1 2:0> = {1 2 3 4}
    %y: f32[1,2] = gemm(%x, %w) transB=1
    %z: f32[1,2] = gemm(%y, %w) transB=1
    %i: i8[1,2]<1:0> = gemm(%q, i8[2,2]<1:0>{1 2 3 4}) transB=1
  })");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(expand_hybrid_weights(*graph), 2);
  const Status valid = verify(*graph);
  ASSERT_TRUE(valid.ok()) << valid.error().message;
  const Node& first = *graph->nodes()[0];
  const Tensor& floats = *first.inputs[1]->constant;
  const std::vector<float> values(floats.data<float>().begin(), floats.data<float>().end());
  EXPECT_EQ(values, (std::vector<float>{0, 0.5f, 6, 8}));
  EXPECT_EQ(graph->nodes()[1]->inputs[1], first.inputs[1]);
  EXPECT_EQ(graph->nodes()[2]->inputs[1]->constant->dtype(), DType::I8);
}

}  // namespace
}  // namespace hone
