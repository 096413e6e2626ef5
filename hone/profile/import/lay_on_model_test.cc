#include "hone/profile/import/lay_on_model.h"

#include <gtest/gtest.h>

#include "hone/profile/import/evidence.h"

namespace hone {
namespace {

// conv, batch norm and relu; a residual sum and a softmax behind them.
Graph model() {
  auto graph = parse_graph(R"(graph(%x: f32[1,1,4,4]) -> (%top) {
  const %w: f32[1,1,1,1] = {1}
  const %s: f32[1] = {1}
  %a: f32[1,1,4,4] = conv(%x, %w)
  %n: f32[1,1,4,4] = batch_norm(%a, %s, %s, %s, %s)
  %r: f32[1,1,4,4] = relu(%n)
  %b: f32[1,1,4,4] = conv(%r, %w)
  %sum: f32[1,1,4,4] = add(%b, %r)
  %top: f32[1,1,4,4] = softmax(%sum)
})");
  EXPECT_TRUE(graph.ok()) << (graph.ok() ? "" : graph.error().message);
  const char* ops[] = {"Conv", "BatchNormalization", "Relu", "Conv", "Add", "Softmax"};
  int position = 0;
  for (Node* node : graph->nodes()) {
    graph->sources.push_back({"layer_" + node->outputs[0]->name, ops[position], position});
    graph->set_origins(node, {position++});
  }
  return *std::move(graph);
}

Profile measured(const std::vector<std::pair<const char*, const char*>>& steps) {
  Profile profile = imported_profile("tool", "there");
  for (const auto& [name, op] : steps) {
    StepProfile step;
    step.name = name;
    step.op = op;
    step.kind.work = "kernel";
    step.us = 10;
    add_step(std::move(step), profile);
  }
  finish(profile);
  return profile;
}

TEST(LayOnModel, FindsLayersByTheirNamesAndTheValuesTheyGive) {
  const Graph graph = model();
  // The first is named after the value at the end of its fusion, the second after its layer.
  Profile profile = measured({{"Reorder", "ReorderInput"},
                              {"r", "Conv"},
                              {"layer_b", "FusedConv"},
                              {"layer_top", "Softmax"}});
  const auto nodes = lay_on_model(graph, profile);
  ASSERT_TRUE(nodes.ok()) << nodes.error().message;
  EXPECT_EQ((*nodes)[0], nullptr);
  EXPECT_EQ((*nodes)[1]->outputs[0]->name, "a");
  EXPECT_EQ(profile.steps[0].sources, std::vector<size_t>{});
  EXPECT_EQ(profile.steps[1].sources, (std::vector<size_t>{0, 1, 2}));
  EXPECT_EQ(profile.steps[2].sources, (std::vector<size_t>{3, 4}));
  EXPECT_EQ(profile.steps[3].sources, std::vector<size_t>{5});
  EXPECT_EQ(profile.steps[1].op, "conv");
  EXPECT_EQ(kernel_name(profile.steps[1].kind), "Conv kernel");
  EXPECT_EQ(profile.steps[1].macs, 16);
  ASSERT_EQ(profile.layers.size(), 4u);
  EXPECT_EQ(profile.layers[0].name, "layer_a + 2");
  EXPECT_EQ(profile.layers[0].us, 10);
  EXPECT_EQ(profile.layers[3].name, "(added) Reorder");
  EXPECT_EQ(profile.notes.back(), "1 of 4 steps are tool's own: 10 us");
}

TEST(LayOnModel, RefusesAProfileOfAnotherModel) {
  Profile profile = measured({{"somewhere", "Conv"}});
  const auto nodes = lay_on_model(model(), profile);
  ASSERT_FALSE(nodes.ok());
  EXPECT_EQ(nodes.error().message,
            "none of the 1 steps is named after a layer of the model: is it of another model?");
}

}  // namespace
}  // namespace hone
