#include "hone/targets/cuda/pair_pixels.h"

#include <gtest/gtest.h>

#include <random>

#include "hone/ops/interpreter.h"
#include "hone/tensor/compare.h"

namespace hone::cuda {
namespace {

Tensor some_numbers(const Shape& shape, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> number(-8, 8);
  std::vector<Half> values;
  for (int64_t i = 0; i < TensorType{DType::F16, shape}.elements(); ++i) {
    values.emplace_back(static_cast<float>(number(random)));
  }
  return Tensor::of<Half>(shape, values);
}

struct Stem {
  int64_t channels, height, width, kernel, stride, pad;
};

Graph stem_of(const Stem& stem) {
  Graph graph;
  Value* x =
      graph.add_input("x", TensorType{DType::F16, {2, stem.height, stem.width, stem.channels}});
  Value* w = graph.add_constant("w", some_numbers({5, stem.kernel, stem.kernel, stem.channels}, 1));
  const int64_t out_height = (stem.height + 2 * stem.pad - stem.kernel) / stem.stride + 1;
  const int64_t out_width = (stem.width + 2 * stem.pad - stem.kernel) / stem.stride + 1;
  Node* conv =
      graph.add_node("conv", {x, w}, {TensorType{DType::F16, {2, out_height, out_width, 5}}},
                     {{"strides", Ints{stem.stride, stem.stride}},
                      {"pads", Ints{stem.pad, stem.pad, stem.pad, stem.pad}},
                      {"layout", std::string("nhwc")}},
                     "stem");
  graph.add_output(conv->outputs[0]);
  return graph;
}

TEST(PairPixels, ComputesTheSame) {
  for (const Stem& stem :
       {Stem{3, 12, 14, 7, 2, 3}, Stem{3, 9, 11, 3, 2, 1}, Stem{1, 8, 9, 6, 2, 2},
        Stem{4, 10, 10, 4, 4, 0}, Stem{2, 7, 13, 5, 2, 0}}) {
    Graph graph = stem_of(stem);
    ASSERT_TRUE(verify(graph).ok()) << verify(graph).error().message;
    const std::vector<Item> inputs = {some_numbers({2, stem.height, stem.width, stem.channels}, 2)};
    const auto before = run_graph(graph, inputs);
    ASSERT_TRUE(before.ok()) << before.error().message;
    EXPECT_EQ(pair_pixels(graph), 1);
    ASSERT_TRUE(verify(graph).ok()) << verify(graph).error().message;
    const auto after = run_graph(graph, inputs);
    ASSERT_TRUE(after.ok()) << after.error().message;
    const Difference difference = compare((*after)[0].tensor, (*before)[0].tensor);
    ASSERT_TRUE(difference.comparable) << difference.what;
    EXPECT_EQ(difference.max_abs, 0) << "kernel " << stem.kernel;
  }
}

TEST(PairPixels, LeavesOddStridesAndManyChannels) {
  Graph odd = stem_of({3, 8, 8, 3, 1, 1});
  EXPECT_EQ(pair_pixels(odd), 0);
  Graph many = stem_of({5, 8, 8, 3, 2, 1});
  EXPECT_EQ(pair_pixels(many), 0);
}

}  // namespace
}  // namespace hone::cuda
