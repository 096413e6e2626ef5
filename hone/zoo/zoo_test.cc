#include "hone/zoo/zoo.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <unordered_set>

#include "hone/ops/infer_types.h"
#include "hone/ops/interpreter.h"
#include "hone/ops/op_def.h"

namespace hone {
namespace {

// Trained numbers: constants but for batch norm's statistics and for the integers that steer
// shapes.
int64_t count_parameters(const Graph& graph) {
  std::unordered_set<const Value*> counted;
  int64_t total = 0;
  for (const Node* node : graph.nodes()) {
    for (size_t i = 0; i < node->inputs.size(); ++i) {
      const Value* value = node->inputs[i];
      if (value == nullptr || !value->constant || !counted.insert(value).second) continue;
      const bool statistic = node->op == "batch_norm" && i >= 3;
      const DType dtype = value->type.tensor.dtype;
      if (statistic || dtype == DType::I64 || dtype == DType::Bool) continue;
      total += value->constant->elements();
    }
  }
  return total;
}

int64_t count_macs(const Graph& graph) {
  int64_t total = 0;
  for (const Node* node : graph.nodes()) {
    const OpDef* op = find_op(node->op);
    if (op->cost != nullptr) total += op->cost(static_context(*op, *node)).macs;
  }
  return total;
}

// What `--shapes` may give instead of the default.
const std::map<std::string_view, Shape>& other_shapes() {
  static const std::map<std::string_view, Shape> kShapes = {
      {"shufflenet_v2_10", {2, 3, 192, 160}},
      {"regnet_y_800mf", {2, 3, 192, 160}},
      {"inception_v3", {2, 3, 224, 224}},
      {"convnext_tiny", {2, 3, 192, 160}},
      {"vit_b_16", {8, 3, 224, 224}},
      {"swin_tiny", {8, 3, 224, 224}},
      {"yolov8n_seg", {2, 3, 320, 416}},
      {"yolo11n", {2, 3, 320, 416}},
      {"resnet_2plus1d", {2, 3, 8, 96, 128}},
      {"yolov7_tiny", {2, 3, 320, 416}},
      {"yolox_s", {2, 3, 320, 416}},
      {"retinanet", {2, 3, 320, 416}},
      {"fcn_resnet50", {2, 3, 224, 224}},
      {"deeplabv3_plus_mobilenet", {2, 3, 520, 520}},
      {"unet_camvid", {2, 3, 320, 416}},
      {"ffnet_40s", {2, 3, 512, 1024}},
      {"face_det_lite", {2, 1, 320, 416}},
      {"midas_small", {2, 3, 320, 384}},
      {"sesr_m5", {2, 3, 96, 64}},
      {"inception_v2", {2, 3, 192, 160}},
      {"resnet_v2_50", {2, 3, 224, 224}},
      {"gear_guard_net", {2, 3, 192, 320}},
      {"mediapipe_pose", {2, 3, 192, 160}},
      {"mediapipe_selfie", {2, 3, 144, 256}},
      {"real_esrgan_x4plus", {2, 3, 64, 96}},
      {"yamnet", {4, 1, 96, 64}},
      {"mobile_bert", {2, 128}},
      {"bert_base", {2, 384}},
      {"transformer_encoder", {2, 100, 128}}};
  return kShapes;
}

void expect_takes(Graph& graph, const Shape& shape) {
  graph.inputs()[0]->type.tensor.shape = shape;
  const auto inferred = infer_types(graph);
  ASSERT_TRUE(inferred.ok()) << inferred.error().message;
  for (const Value* output : graph.outputs()) {
    EXPECT_TRUE(output->type.tensor.known()) << output->type;
    EXPECT_EQ(output->type.tensor.shape[0], shape[0]);
  }
}

// The counts, and what else must hold of every network, on one graph: building is most of the time.
class Networks : public testing::TestWithParam<const NetworkDef*> {};

TEST_P(Networks, HaveThePublishedCountsAndKnownTypes) {
  const NetworkDef& network = *GetParam();
  Graph graph = *build_network(network.name);
  const auto parameters = static_cast<double>(count_parameters(graph));
  const auto macs = static_cast<double>(count_macs(graph));
  EXPECT_NEAR(parameters, network.published_parameters, 0.01 * network.published_parameters);
  EXPECT_NEAR(macs, network.published_macs, 0.01 * network.published_macs);
  RecordProperty("parameters", str(static_cast<int64_t>(parameters)));
  RecordProperty("macs", str(static_cast<int64_t>(macs)));

  const Status status = verify(graph);
  EXPECT_TRUE(status.ok()) << status.error().message;
  const auto inferred = infer_types(graph);
  ASSERT_TRUE(inferred.ok()) << inferred.error().message;
  for (const UnsupportedNode& entry : inferred->unsupported) {
    ADD_FAILURE() << entry.node->name << ": " << entry.reason;
  }
  std::unordered_set<std::string> names;
  for (const Node* node : graph.nodes()) {
    EXPECT_TRUE(names.insert(node->name).second) << node->name << " is there twice";
    for (const Value* value : node->outputs) {
      EXPECT_TRUE(value->type.tensor.known()) << node->name << ": " << value->type;
    }
  }
  const auto other = other_shapes().find(network.name);
  if (other != other_shapes().end()) expect_takes(graph, other->second);
}

INSTANTIATE_TEST_SUITE_P(All, Networks, testing::ValuesIn(all_networks()),
                         [](const auto& test) { return std::string(test.param->name); });

TEST(Zoo, EveryNodeIsItsOwnSourceUnderItsOnnxName) {
  const auto graph = build_network("ds_cnn_kws");
  ASSERT_TRUE(graph.ok());
  ASSERT_EQ(graph->sources.size(), graph->node_count());
  EXPECT_EQ(graph->sources[0].name, "stem.0");
  EXPECT_EQ(graph->sources[0].op, "Conv");
  EXPECT_EQ(graph->node(5)->origins, std::vector<int>{5});
}

bool same_weights(const Graph& a, const Graph& b) {
  const auto equal = [](const Value* x, const Value* y) {
    return x->name == y->name && std::ranges::equal(x->constant->bytes(), y->constant->bytes());
  };
  return std::ranges::equal(a.constants(), b.constants(), equal);
}

TEST(Zoo, TheSameSeedGivesTheSameWeights) {
  const auto first = build_network("resnet8", 7);
  const auto second = build_network("resnet8", 7);
  const auto other = build_network("resnet8", 8);
  EXPECT_TRUE(same_weights(*first, *second));
  EXPECT_FALSE(same_weights(*first, *other));
}

// Seeds are promised to mean the same weights on every machine and in every version.
TEST(Zoo, WeightsAreThoseOfEarlierVersions) {
  const auto graph = build_network("ds_cnn_kws", 1);
  const std::span<const float> weights =
      graph->find_value("stem.0.weight")->constant->data<float>();
  EXPECT_FLOAT_EQ(weights[0], -0.028616309f);
  EXPECT_FLOAT_EQ(weights[2559], 0.053304732f);
}

TEST(Zoo, WeightsHaveTheDeviationOfHe) {
  const auto graph = build_network("resnet18");
  const Value* value = graph->find_value("layer1.0.conv2.weight");
  double sum = 0, squares = 0;
  for (const float weight : value->constant->data<float>()) {
    sum += weight;
    squares += weight * weight;
  }
  const auto n = static_cast<double>(value->constant->elements());
  EXPECT_NEAR(sum / n, 0, 1e-3);
  EXPECT_NEAR(std::sqrt(squares / n), std::sqrt(2.0 / (64 * 9)), 1e-3);
}

// A wave, so that neighbours differ.
Tensor wave(const TensorType& type) {
  Tensor tensor(type);
  const std::span<float> data = tensor.mutable_data<float>();
  for (size_t i = 0; i < data.size(); ++i) data[i] = 1.4f * std::sin(static_cast<float>(i));
  return tensor;
}

TEST(Zoo, KeywordSpottingRuns) {
  const auto graph = build_network("ds_cnn_kws");
  const auto outputs = run_graph(*graph, {wave(graph->inputs()[0]->type.tensor)});
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  const Tensor& output = outputs->at(0).tensor;
  EXPECT_EQ(output.shape(), (Shape{1, 12}));
  double sum = 0;
  for (const float probability : output.data<float>()) sum += probability;
  EXPECT_NEAR(sum, 1, 1e-5);
}

// Every anchor of the detector has a box and scores: 3 on each of 19x19 cells, 6 on 10x10, 5x5,
// 3x3, 2x2 and 1x1.
TEST(Zoo, DetectorsHaveBoxesAndScores) {
  const auto graph = build_network("mobilenet_v2_ssdlite");
  ASSERT_TRUE(graph.ok());
  ASSERT_EQ(graph->outputs().size(), 2u);
  EXPECT_EQ(graph->outputs()[0]->name, "box_encodings");
  EXPECT_EQ(graph->outputs()[0]->type.tensor.shape, (Shape{1, 1917, 4}));
  EXPECT_EQ(graph->outputs()[1]->name, "class_scores");
  EXPECT_EQ(graph->outputs()[1]->type.tensor.shape, (Shape{1, 1917, 91}));
}

struct Nas201Counts {
  const char* cell;
  double parameters;
  double macs;
};

// For CIFAR-10, MACs as the MFLOPs of the benchmark: of its best cell, and the bounds over all cells,
// which are those of the skeleton alone and of the cell with most arithmetic.
TEST(Zoo, CellsOfNas201HaveThePublishedCounts) {
  const Nas201Counts cells[] = {
      {"|nor_conv_3x3~0|+|nor_conv_3x3~0|nor_conv_3x3~1|+|skip_connect~0|nor_conv_3x3~1|"
       "nor_conv_1x1~2|",
       1073466, 153.27e6},
      {"|nor_conv_3x3~0|+|nor_conv_3x3~0|nor_conv_3x3~1|+|nor_conv_3x3~0|nor_conv_3x3~1|"
       "nor_conv_3x3~2|",
       1531546, 220.11969e6},
      {"|none~0|+|none~0|none~1|+|none~0|none~1|none~2|", 73306, 7.78305e6},
      {"333132", 1073466, 153.27e6},
  };
  for (const Nas201Counts& cell : cells) {
    const auto graph = build_network(str("nas201:", cell.cell));
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    // The zero of "none" is a constant.
    EXPECT_NEAR(static_cast<double>(count_parameters(*graph)), cell.parameters, 1);
    EXPECT_NEAR(static_cast<double>(count_macs(*graph)), cell.macs, 0.005e6);
    EXPECT_EQ(graph->outputs()[0]->type.tensor.shape, (Shape{1, 10}));
  }
}

// The benchmark's network multiplies by zero, so what nothing else reads is in it, too.
TEST(Zoo, CellsOfNas201HoldWhatOnlyNoneReads) {
  const auto graph =
      build_network("nas201:|nor_conv_3x3~0|+|none~0|none~1|+|none~0|none~1|none~2|");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  constexpr double kConv = (220.11969e6 - 7.78305e6) / 6;  // One of the cell with six.
  EXPECT_NEAR(static_cast<double>(count_macs(*graph)), 7.78305e6 + kConv, 0.005e6);
}

// Nothing but zeros reaches the result, or zeros reach a convolution.
TEST(Zoo, CellsOfNas201MayBeEmpty) {
  for (const char* cell : {"|none~0|+|none~0|none~1|+|none~0|none~1|none~2|",
                           "|none~0|+|none~0|none~1|+|none~0|nor_conv_3x3~1|avg_pool_3x3~2|"}) {
    const auto graph = build_network(str("nas201:", cell));
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    const auto outputs = run_graph(*graph, {wave(graph->inputs()[0]->type.tensor)});
    EXPECT_TRUE(outputs.ok()) << outputs.error().message;
  }
}

TEST(Zoo, MalformedCellsOfNas201AreRefused) {
  for (const char* cell :
       {"", ":", ":|none~0|", ":|none~0|+|none~0|none~1|+|none~0|none~1|none~1|",
        ":|none~0|+|none~0|none~1|+|none~0|none~1|conv~2|",
        ":|none~0|+|none~0|none~1|+|none~0|none~1|none~2|+|none~0|none~1|none~2|none~3|",
        ":|none~0|+|none~0|none~1|+none~0|none~1|none~2|", ":33313", ":333135"}) {
    const auto graph = build_network(str("nas201", cell));
    ASSERT_FALSE(graph.ok()) << cell;
    EXPECT_EQ(graph.error().kind, ErrorKind::BadInput);
    EXPECT_NE(graph.error().message.find("expected |OP~0|+|OP~0|OP~1|+"), std::string::npos)
        << graph.error().message;
  }
}

// The root of the mean square of what every layer gives is neither lost nor out of bounds.
TEST(Zoo, ActivationsStayInRangeThroughTheDepth) {
  for (const char* name : {"resnet8", "mobilenet_v1_025_96", "autoencoder", "micronet_kws_m"}) {
    const auto graph = build_network(name);
    RunOptions options;
    options.after_node = [&](const Node& node, const std::vector<Item>& items) {
      if (node.op != "conv" && node.op != "gemm") return;
      double squares = 0;
      for (const float x : items[0].tensor.data<float>()) squares += x * x;
      const double root = std::sqrt(squares / static_cast<double>(items[0].tensor.elements()));
      EXPECT_GT(root, 0.1) << name << ": " << node.name;
      EXPECT_LT(root, 10) << name << ": " << node.name;
    };
    const auto outputs = run_graph(*graph, {wave(graph->inputs()[0]->type.tensor)}, options);
    EXPECT_TRUE(outputs.ok()) << outputs.error().message;
  }
}

TEST(Zoo, AnUnknownNameIsRefusedWithANearOne) {
  const auto graph = build_network("resnet5");
  ASSERT_FALSE(graph.ok());
  EXPECT_EQ(graph.error().kind, ErrorKind::BadInput);
  EXPECT_NE(graph.error().message.find("did you mean 'resnet"), std::string::npos)
      << graph.error().message;
}

}  // namespace
}  // namespace hone
