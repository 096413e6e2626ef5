#include "hone/passes/device_io.h"

#include <gtest/gtest.h>

#include "hone/ops/interpreter.h"
#include "hone/passes/pass_def.h"

namespace hone {
namespace {

constexpr const char* kModel = R"(
graph(%x: f32[4], %w: f32[4]) -> (%y, %z) {
  %xq: i8[4] = quantize_linear(%x, f32[]{0.5}, i8[]{3})
  %xf: f32[4] = dequantize_linear(%xq, f32[]{0.5}, i8[]{3})
  %s: f32[4] = add(%xf, %w)
  %yq: i8[4] = quantize_linear(%s, f32[]{0.25}, i8[]{-7})
  %y: f32[4] = dequantize_linear(%yq, f32[]{0.25}, i8[]{-7})
  %z: f32[4] = relu(%w)
})";

TEST(IntegerIo, GivesTheIntegersBetweenTheFloats) {
  Graph graph = *parse_graph(kModel);
  const Tensor w = Tensor::of<float>({4}, {1, -2, 0.3F, 7});
  const auto floats = run_graph(graph, {Tensor::of<float>({4}, {-1, 0, 2.5F, 9}), w});
  ASSERT_TRUE(floats.ok());

  const IntegerIo io = use_integer_io(graph);
  EXPECT_TRUE(verify(graph).ok()) << verify(graph).error().message;
  ASSERT_EQ(io.inputs.size(), 1u);
  EXPECT_EQ(io.inputs[0].name, "x");
  EXPECT_EQ(io.inputs[0].zero_point, 3);
  ASSERT_EQ(io.outputs.size(), 1u) << "relu is no dequantization";
  EXPECT_EQ(io.outputs[0].name, "y");
  EXPECT_FLOAT_EQ(io.outputs[0].scale, 0.25F);
  EXPECT_EQ(graph.node_count(), 4u) << print(graph);

  const auto integers = run_graph(graph, {Tensor::of<int8_t>({4}, {1, 3, 8, 21}), w});
  ASSERT_TRUE(integers.ok()) << integers.error().message;
  for (size_t i = 0; i < 4; ++i) {
    const double code = to_doubles((*integers)[0].tensor)[i];
    EXPECT_DOUBLE_EQ((code + 7) * 0.25, to_doubles((*floats)[0].tensor)[i]);
  }
}

TEST(IntegerIo, LeavesWhatIsReadAsFloatToo) {
  Graph graph = *parse_graph(R"(
graph(%x: f32[4]) -> (%y) {
  %xq: i8[4] = quantize_linear(%x, f32[]{0.5}, i8[]{3})
  %xf: f32[4] = dequantize_linear(%xq, f32[]{0.5}, i8[]{3})
  %y: f32[4] = add(%xf, %x)
})");
  const IntegerIo io = use_integer_io(graph);
  EXPECT_TRUE(io.inputs.empty() && io.outputs.empty());
  EXPECT_EQ(graph.node_count(), 3u);
}

// Behind the pair of its own the rest of the graph still finds its scale.
TEST(ChannelsLast, KeepsIntegersBetweenPairs) {
  Graph graph = *parse_graph(R"(
graph(%x: i8[1,2,1,3]) -> (%y) {
  %f: f32[1,2,1,3] = dequantize_linear(%x, f32[]{0.5}, i8[]{3})
  %r: f32[1,2,1,3] = relu(%f)
  %y: i8[1,2,1,3] = quantize_linear(%r, f32[]{0.5}, i8[]{3})
})");
  EXPECT_EQ(use_channels_last(graph), std::vector<size_t>{0});
  EXPECT_TRUE(verify(graph).ok()) << verify(graph).error().message;
  const auto outputs =
      run_graph(graph, {Tensor::of<int8_t>({1, 1, 3, 2}, {1, 40, 20, 50, 30, 60})});
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  EXPECT_EQ(to_doubles((*outputs)[0].tensor), (std::vector<double>{3, 20, 30, 40, 50, 60}));
  ASSERT_TRUE(optimize(graph, {.last = PassStage::Engine}).ok());
  EXPECT_EQ(print(graph).find("quantize_linear"), std::string::npos) << print(graph);
}

TEST(ChannelsLast, TurnsImagesAndNothingElse) {
  Graph graph = *parse_graph(R"(
graph(%x: f32[1,2,1,3], %w: f32[3]) -> (%y) {
  %r: f32[1,2,1,3] = relu(%x)
  %y: f32[1,2,1,3] = mul(%r, %w)
})");
  EXPECT_EQ(use_channels_last(graph), std::vector<size_t>{0});
  EXPECT_TRUE(verify(graph).ok()) << verify(graph).error().message;
  const auto outputs = run_graph(graph, {Tensor::of<float>({1, 1, 3, 2}, {1, 4, 2, 5, 3, 6}),
                                         Tensor::of<float>({3}, {1, 1, 10})});
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  EXPECT_EQ(to_doubles((*outputs)[0].tensor), (std::vector<double>{1, 2, 30, 4, 5, 60}));
  EXPECT_TRUE(use_channels_last(graph).empty()) << "its channels are last by now";
}

// Of one channel a transpose is a reshape: the image has its channels last already.
TEST(ChannelsLast, LeavesWhatIsRearrangedFirst) {
  Graph graph = *parse_graph(R"(
graph(%x: f32[1,4,3,1]) -> (%y) {
  %r: f32[1,1,4,3] = reshape(%x, i64[4]{1 1 4 3})
  %y: f32[1,1,4,3] = relu(%r)
})");
  EXPECT_TRUE(use_channels_last(graph).empty());
  EXPECT_EQ(graph.node_count(), 2u);
}

TEST(ChannelsLast, LeavesWhatHasThemLast) {
  Graph graph = *parse_graph(R"(
graph(%x: f32[1,4,4,2]) -> (%y) {
  %y: f32[1,2,2,2] = max_pool(%x) kernel_shape=[2,2] strides=[2,2] layout="nhwc"
})");
  EXPECT_TRUE(use_channels_last(graph).empty());
}

}  // namespace
}  // namespace hone
