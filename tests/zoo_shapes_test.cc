// Built-in networks with inputs of another size than they were built for: every type follows, and
// what does not fit is refused with the layer that says so.

#include <gtest/gtest.h>

#include "hone/workbench/workbench.h"

namespace hone {
namespace {

Result<Model> open(const std::string& spec, const std::string& input, Shape shape) {
  return open_model(spec, {.shapes = {{input, std::move(shape)}}});
}

TEST(ZooShapes, TypesFollowTheInput) {
  const auto model = open("zoo:resnet50", "input", {2, 3, 299, 299});
  ASSERT_TRUE(model.ok()) << model.error().message;
  const Graph& graph = model->graph;
  EXPECT_TRUE(model->unsupported.empty());
  EXPECT_EQ(graph.inputs()[0]->type.tensor.shape, (Shape{2, 3, 299, 299}));
  EXPECT_EQ(graph.outputs()[0]->type.tensor.shape, (Shape{2, 1000}));
  // 299, 150 after the stem, 75 after the pool, halved three times.
  const Value* pooled = graph.nodes()[graph.node_count() - 3]->inputs[0];
  EXPECT_EQ(pooled->type.tensor.shape, (Shape{2, 2048, 10, 10}));
}

TEST(ZooShapes, TheSizeItHasIsNoChange) {
  const auto plain = open_model("zoo:mobilenet_v1_ssd");
  const auto bound = open("zoo:mobilenet_v1_ssd", "input", {1, 3, 300, 300});
  ASSERT_TRUE(bound.ok()) << bound.error().message;
  EXPECT_EQ(print(bound->graph), print(plain->graph));
}

TEST(ZooShapes, QuantizedNetworksRunAtThatSize) {
  auto model = open("zoo:mobilenet_v1_025:int8", "input", {1, 3, 64, 64});
  ASSERT_TRUE(model.ok()) << model.error().message;
  const auto inputs = *make_inputs(model->graph, {}, 0);
  EXPECT_EQ(inputs[0].tensor.shape(), (Shape{1, 3, 64, 64}));
  const auto result = run_model(*model, "cpu", {}, inputs, 1);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->outputs[0].tensor.shape()[0], 1);
}

struct Refusal {
  const char* network;
  const char* input;
  Shape shape;
  const char* says;
};

TEST(ZooShapes, WhatDoesNotFitIsRefused) {
  const Refusal refusals[] = {
      {"vgg16", "input", {1, 3, 299, 299}, "'classifier.0' (gemm)"},
      {"mobilenet_v1_ssd", "input", {2, 3, 300, 300}, "does not reshape"},
      {"resnet8", "input", {1, 4, 32, 32}, "4 channels"},
      {"resnet8", "input", {1, 3, 0, 0}, "does not fit"},
      {"resnet8", "input", {1, 3, 32}, "rank 4"},
      {"resnet8", "image", {1, 3, 32, 32}, "no input 'image'"},
      // As many elements as before: the samples would be mixed.
      {"yolov5n", "images", {4, 3, 320, 320}, "first extent"},
  };
  for (const Refusal& refusal : refusals) {
    const auto model = open(str("zoo:", refusal.network), refusal.input, refusal.shape);
    ASSERT_FALSE(model.ok()) << refusal.network << " " << text_of(refusal.shape);
    EXPECT_EQ(model.error().kind, ErrorKind::BadInput);
    EXPECT_TRUE(model.error().message.starts_with(str("zoo:", refusal.network)))
        << model.error().message;
    EXPECT_NE(model.error().message.find(refusal.says), std::string::npos) << model.error().message;
  }
}

}  // namespace
}  // namespace hone
