// Built-in networks with inputs of another size than they were built for: every type follows, and
// what does not fit is refused with the layer that says so.

#include <gtest/gtest.h>

#include <algorithm>

#include "hone/ops/interpreter.h"
#include "hone/workbench/workbench.h"
#include "hone/zoo/zoo.h"

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

// Reshapes, grids of cells and padding are those of the size wanted.
TEST(ZooShapes, EveryDetectorTakesOtherBatchesAndSizes) {
  for (const NetworkDef* network : all_networks()) {
    const SizedInput& sized = network->sized;
    if (sized.build == nullptr) continue;
    const Shape wanted = {3, 3, sized.extent - 32, sized.extent + 64};
    const auto model = open(str("zoo:", network->name), std::string(sized.name), wanted);
    ASSERT_TRUE(model.ok()) << model.error().message;
    EXPECT_TRUE(model->unsupported.empty()) << network->name;
    for (const Value* output : model->graph.outputs()) {
      EXPECT_EQ(output->type.tensor.shape[0], 3) << network->name << " " << output->type;
    }
  }
}

TEST(ZooShapes, TheSmallestImageStatedIsTaken) {
  for (const NetworkDef* network : all_networks()) {
    const SizedInput& sized = network->sized;
    if (sized.build == nullptr) continue;
    const int64_t extent = std::max(sized.smallest, sized.multiple);
    const auto model =
        open(str("zoo:", network->name), std::string(sized.name), {1, 3, extent, extent});
    EXPECT_TRUE(model.ok()) << model.error().message;
  }
}

TEST(ZooShapes, CellsOfADetectorFollowTheImage) {
  const auto model = open("zoo:yolov5n", "images", {4, 3, 320, 416});
  ASSERT_TRUE(model.ok()) << model.error().message;
  const int64_t cells = 40 * 52 + 20 * 26 + 10 * 13;
  EXPECT_EQ(model->graph.outputs()[0]->type.tensor.shape, (Shape{4, 3 * cells, 85}));
}

TEST(ZooShapes, EncodersTakeAnyNumberOfTokens) {
  const auto model = open("zoo:transformer_encoder", "input", {4, 16, 128});
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model->graph.outputs()[0]->type.tensor.shape, (Shape{4, 16, 128}));
}

// Samples do not mix: each of a batch gives what it gives alone.
TEST(ZooShapes, ABatchGivesWhatItsSamplesGive) {
  const auto two = open("zoo:yolo_fastest_v2", "input", {2, 3, 64, 96});
  const auto one = open("zoo:yolo_fastest_v2", "input", {1, 3, 64, 96});
  ASSERT_TRUE(two.ok() && one.ok());
  const auto inputs = *make_inputs(two->graph, {}, 0);
  const std::span<const float> pixels = inputs[0].tensor.data<float>();
  const std::vector<float> second(pixels.begin() + std::ssize(pixels) / 2, pixels.end());
  const auto both = run_graph(two->graph, {inputs[0].tensor});
  const auto alone = run_graph(one->graph, {Tensor::of<float>({1, 3, 64, 96}, second)});
  ASSERT_TRUE(both.ok() && alone.ok());
  const std::span<const float> all = both->at(0).tensor.data<float>();
  const std::span<const float> expected = alone->at(0).tensor.data<float>();
  ASSERT_EQ(all.size(), 2 * expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(all[expected.size() + i], expected[i], 1e-5);
  }
}

// The constant size of an image is of the graph, not of the weights.
TEST(ZooShapes, WeightsDoNotDependOnTheSize) {
  const auto plain = open_model("zoo:nanodet_m");
  const auto other = open("zoo:nanodet_m", "input", {2, 3, 64, 64});
  for (const Value* value : plain->graph.constants()) {
    if (!value->name.ends_with(".weight")) continue;
    const Value* same = other->graph.find_value(value->name);
    ASSERT_NE(same, nullptr) << value->name;
    EXPECT_TRUE(std::ranges::equal(value->constant->bytes(), same->constant->bytes()));
  }
}

TEST(ZooShapes, CellsOfNas201TakeBatchesAndBytes) {
  const std::string cell =
      "|nor_conv_1x1~0|+|skip_connect~0|none~1|+|nor_conv_3x3~0|none~1|"
      "avg_pool_3x3~2|";
  const auto batch = open(str("zoo:nas201:", cell), "input", {8, 3, 32, 32});
  ASSERT_TRUE(batch.ok()) << batch.error().message;
  EXPECT_EQ(batch->graph.outputs()[0]->type.tensor.shape, (Shape{8, 10}));
  const auto quantized = open_model(str("zoo:nas201:", cell, ":int8"));
  ASSERT_TRUE(quantized.ok()) << quantized.error().message;
  EXPECT_EQ(quantized->name, str("zoo:nas201:", cell, ":int8"));
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
      {"yolov5n", "images", {1, 3, 416, 417}, "multiples of 32"},
      {"yolov5n", "images", {1, 3, 0, 0}, "from 32 on"},
      {"yolov5n", "images", {1, 4, 640, 640}, "expected Nx3xHxW"},
      {"yolov5n", "images", {1, 3, 640}, "expected Nx3xHxW"},
      {"yolov5n", "images", {1 << 30, 3, 640, 640}, "pixels"},
      {"yolov5n", "input", {1, 3, 640, 640}, "no input 'input'"},
      {"squeezenet_ssd", "input", {1, 3, 96, 300}, "from 97 on"},
      {"resnet8", "input", {1, 4, 32, 32}, "4 channels"},
      {"resnet8", "input", {1, 3, 0, 0}, "does not fit"},
      {"resnet8", "input", {1, 3, 32}, "rank 4"},
      {"resnet8", "image", {1, 3, 32, 32}, "no input 'image'"},
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
