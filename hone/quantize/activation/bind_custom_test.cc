#include "hone/quantize/activation/bind_custom.h"

#include <gtest/gtest.h>

#include "hone/ops/interpreter.h"

namespace hone {
namespace {

constexpr const char* kModel = R"(
graph(%x: f32[5]) -> (%z) {
  %y: f32[5] = custom(%x) domain="com.example" op_type="SwishBeta" reason="unknown"
  %z: f32[5] = relu(%y)
})";

std::vector<double> outputs_of(std::string_view text) {
  Graph graph = *parse_graph(kModel);
  const Result<int> bound = bind_custom_op(graph, "com.example.SwishBeta", std::string(text));
  EXPECT_TRUE(bound.ok()) << bound.error().message;
  EXPECT_TRUE(verify(graph).ok()) << verify(graph).error().message;
  const auto outputs = run_graph(graph, {Tensor::of<float>({5}, {-2, -0.5, 0, 1, 3})});
  EXPECT_TRUE(outputs.ok()) << outputs.error().message;
  return to_doubles((*outputs)[0].tensor);
}

TEST(BindCustomOp, ComputesWhatTheExpressionSays) {
  for (const char* text : {"x*sigmoid(1.7*x)", "max(x, 0.1*x) + (x >= 1)",
                           "x^2 / (1 + abs(x)) - (x != 0)", "min(6, softplus(x))", "-x + 3", "4"}) {
    const Expression expression = *Expression::parse(text);
    const std::vector<double> outputs = outputs_of(text);
    const double inputs[] = {-2, -0.5, 0, 1, 3};
    for (size_t i = 0; i < 5; ++i) {
      EXPECT_NEAR(outputs[i], std::max(0.0, expression(inputs[i])), 1e-6) << text;
    }
  }
}

TEST(BindCustomOp, TakesTheNodesOwnNumbers) {
  Graph graph = *parse_graph(R"(
graph(%x: f32[2]) -> (%z) {
  %y: f32[2] = custom(%x) domain="" op_type="Line" reason="unknown" names=["slope","offset"] numbers=[2.0,0.5]
  %z: f32[2] = custom(%y) domain="" op_type="Line" reason="unknown" names=["offset","slope"] numbers=[1.0,-3.0]
})");
  const Result<int> bound = bind_custom_op(graph, "Line", "slope*x + offset");
  ASSERT_TRUE(bound.ok()) << bound.error().message;
  EXPECT_EQ(*bound, 2);
  const auto outputs = run_graph(graph, {Tensor::of<float>({2}, {1, -2})});
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  EXPECT_EQ(to_doubles((*outputs)[0].tensor), (std::vector<double>{-6.5, 11.5}));
}

TEST(BindCustomOp, SaysWhatItCannotBind) {
  Graph graph = *parse_graph(kModel);
  EXPECT_FALSE(bind_custom_op(graph, "Mish", "x").ok());
  EXPECT_FALSE(bind_custom_op(graph, "SwishBeta", "x*sigmoid(beta*x)").ok()) << "no beta";
  Graph two = *parse_graph(R"(
graph(%x: f32[5]) -> (%y) {
  %y: f32[5] = custom(%x, %x) domain="" op_type="Pair" reason="unknown"
})");
  const Result<int> bound = bind_custom_op(two, "Pair", "x");
  ASSERT_FALSE(bound.ok());
  EXPECT_NE(bound.error().message.find("2 inputs"), std::string::npos);
}

}  // namespace
}  // namespace hone
