#include "hone/validate/layer_name.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(LayerName, IsThatOfTheLastLayerThatIsNoConversion) {
  Graph graph = *parse_graph("graph(%x: f32[1]) -> (%y) {\n  %y: f32[1] = relu(%x)\n}\n");
  Node& node = *graph.node(0);
  EXPECT_EQ(layer_name(graph, node), "y");
  node.name = "own";
  EXPECT_EQ(layer_name(graph, node), "own");
  graph.sources = {{"conv", "Conv", 0}, {"relu", "Relu", 1}, {"relu.q", "QuantizeLinear", 2}};
  node.origins = {0, 1, 2};
  EXPECT_EQ(layer_name(graph, node), "relu");
  node.origins = {2};
  EXPECT_EQ(layer_name(graph, node), "relu.q");
  graph.sources[2].name = "";
  EXPECT_EQ(layer_name(graph, node), "own");
}

TEST(ShortLayerName, KeepsTheFirstOfSeveralAndTheEndOfALongOne) {
  EXPECT_EQ(short_layer_name("a/relu;a/conv"), "a/relu");
  const std::string name = short_layer_name("first/" + std::string(50, 'x') + "/last");
  EXPECT_EQ(name.size(), 40u);
  EXPECT_TRUE(name.starts_with("..x") && name.ends_with("x/last")) << name;
}

}  // namespace
}  // namespace hone
