#include "hone/workbench/same_interface.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

// Extents tell nothing about the layout here, and halves are ties.
TEST(SameInterface, QuantizesAndTurnsAsTheNodesDidThatAreGone) {
  Graph graph = *parse_graph(R"(
graph(%x: f32[1,2,2,2]) -> (%y) {
  %q: i8[1,2,2,2] = quantize_linear(%x, f32[]{0.5}, i8[]{3})
  %f: f32[1,2,2,2] = dequantize_linear(%q, f32[]{0.5}, i8[]{3})
  %r: f32[1,2,2,2] = relu(%f)
  %s: u8[1,2,2,2] = quantize_linear(%r, f32[]{0.25}, u8[]{7})
  %y: f32[1,2,2,2] = dequantize_linear(%s, f32[]{0.25}, u8[]{7})
})");
  const std::vector<Item> inputs = {
      Tensor::of<float>({1, 2, 2, 2}, {0.25F, 0.75F, -1, 2, 1000, -1000, 3.25F, 0.1F})};
  const auto target = (*find_target("ref"))->open();
  const auto before = target->compile(std::move(*graph.clone()), {});
  const auto expected = (*before)->run(inputs);
  ASSERT_TRUE(expected.ok()) << expected.error().message;

  IoChange io{.integers = use_integer_io(graph)};
  io.channels_last = use_channels_last(graph);
  ASSERT_TRUE(io.integers.inputs.size() == 1 && io.integers.outputs.size() == 1);
  const auto after = target->compile(std::move(graph), {});
  ASSERT_FALSE((*after)->run(inputs).ok()) << "it takes integers";
  const auto actual = with_same_interface(**after, io)->run(inputs);
  ASSERT_TRUE(actual.ok()) << actual.error().message;
  EXPECT_EQ(to_doubles((*actual)[0].tensor), to_doubles((*expected)[0].tensor));
}

}  // namespace
}  // namespace hone
