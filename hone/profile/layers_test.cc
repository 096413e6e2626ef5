#include "hone/profile/layers.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

StepProfile step_of(std::string name, double us, std::vector<size_t> sources) {
  StepProfile step;
  step.name = std::move(name);
  step.us = us;
  step.share = us / 100;
  step.sources = std::move(sources);
  return step;
}

// conv0 and relu1 were fused, resize2 became two steps, bn3 was folded, reshape4 is a view, and a
// pass put in a cast.
TEST(Layers, EveryLayerOfTheFileIsInExactlyOneGroup) {
  Graph graph;
  for (const char* name : {"conv0", "relu1", "resize2", "bn3", "reshape4"}) {
    graph.sources.push_back({name, "Op", static_cast<int>(graph.sources.size())});
  }
  graph.vanished.push_back({3, "fold_batch_norm"});
  Profile profile;
  profile.steps = {step_of("conv0", 60, {0, 1}), step_of("resize2.a", 10, {2}),
                   step_of("cast", 5, {}), step_of("resize2.b", 25, {2})};
  group_layers(graph, profile);

  ASSERT_EQ(profile.layers.size(), 5u);
  EXPECT_EQ(profile.layers[0].name, "conv0 + 1");
  EXPECT_EQ(profile.layers[0].us, 60);
  EXPECT_EQ(profile.layers[1].steps, (std::vector<size_t>{1, 3}));
  EXPECT_EQ(profile.layers[1].us, 35);
  EXPECT_EQ(profile.layers[2].ended, "taken away by fold_batch_norm");
  EXPECT_EQ(profile.layers[3].ended, "a view: no bytes move");
  EXPECT_EQ(profile.layers[4].name, "(added) cast");
  std::vector<int> seen(graph.sources.size());
  double total = 0;
  for (const LayerGroup& group : profile.layers) {
    for (const size_t source : group.sources) ++seen[source];
    total += group.us;
  }
  EXPECT_EQ(seen, std::vector<int>(5, 1));
  EXPECT_EQ(total, 100);
}

TEST(Layers, ConstantsAreNone) {
  Graph graph;
  graph.sources = {{"weights", "Constant", 0}, {"conv", "Conv", 1}, {"gone", "Identity", 2}};
  graph.vanished = {{0, "import"}, {2, "import"}};
  Profile profile;
  profile.steps = {step_of("conv", 60, {1})};
  group_layers(graph, profile);
  ASSERT_EQ(profile.layers.size(), 2u);
  EXPECT_EQ(profile.layers[0].name, "conv");
  EXPECT_EQ(profile.layers[1].name, "gone");
}

// add2 reads relu1's value through a cast that a pass put in, and conv0's through a node of no step.
TEST(Layers, ReadTheGroupsThatMakeTheirValues) {
  Graph graph;
  const ValueType type{{DType::F32, {4}}};
  Value* x = graph.add_input("x", type);
  const auto add = [&](const char* name, std::vector<Value*> inputs, std::vector<int> origins) {
    Node* node = graph.add_node("relu", std::move(inputs), {type}, {}, name);
    if (!origins.empty()) {
      graph.sources.push_back({name, "Op", static_cast<int>(graph.sources.size())});
      graph.set_origins(node, std::move(origins));
    }
    return node->outputs[0];
  };
  Value* conv = add("conv0", {x}, {0});
  Value* relu = add("relu1", {conv}, {1});
  Value* cast = add("cast", {relu}, {});
  Value* hidden = add("unseen", {conv}, {});
  add("add2", {cast, hidden, x}, {2});
  Profile profile;
  profile.steps = {step_of("conv0", 10, {0}), step_of("relu1", 10, {1}), step_of("cast", 5, {}),
                   step_of("add2", 5, {2})};
  group_layers(graph, profile);

  ASSERT_EQ(profile.layers.size(), 4u);
  EXPECT_EQ(profile.layers[0].reads, std::vector<size_t>{});
  EXPECT_EQ(profile.layers[1].reads, std::vector<size_t>{0});
  EXPECT_EQ(profile.layers[3].name, "(added) cast");
  EXPECT_EQ(profile.layers[3].reads, std::vector<size_t>{1});
  EXPECT_EQ(profile.layers[2].reads, (std::vector<size_t>{0, 3}));
}

}  // namespace
}  // namespace hone
