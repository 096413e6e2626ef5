// Whole networks before and after the passes: the same results, every layer accounted for, every
// type as inferred; and the optimized graph written as ONNX and read again computes the same.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "hone/model/load.h"
#include "hone/model/save.h"
#include "hone/ops/infer_types.h"
#include "hone/ops/interpreter.h"
#include "hone/passes/pass_def.h"
#include "hone/zoo/weights.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

std::vector<Item> random_inputs(const Graph& graph) {
  WeightSource source(1);
  std::vector<Item> items;
  for (const Value* input : graph.inputs()) {
    items.emplace_back(source.normal(input->name, input->type.tensor.shape, 0, 1));
  }
  return items;
}

void expect_close(const std::vector<Item>& expected, const std::vector<Item>& found) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t o = 0; o < expected.size(); ++o) {
    ASSERT_EQ(found[o].tensor.shape(), expected[o].tensor.shape());
    const auto a = expected[o].tensor.data<float>(), b = found[o].tensor.data<float>();
    float largest = 0, error = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      largest = std::max(largest, std::fabs(a[i]));
      error = std::max(error, std::fabs(a[i] - b[i]));
    }
    EXPECT_GT(largest, 0);
    EXPECT_LE(error, 1e-4f * largest);
  }
}

// What the values of the graph say is what their operators infer.
void expect_inferred_types(const Graph& graph) {
  const auto copy = graph.clone();
  const auto inferred = infer_types(*copy);
  ASSERT_TRUE(inferred.ok()) << inferred.error().message;
  EXPECT_TRUE(inferred->unsupported.empty());
  for (size_t i = 0; i < graph.node_count(); ++i) {
    for (size_t o = 0; o < graph.node(i)->outputs.size(); ++o) {
      EXPECT_EQ(graph.node(i)->outputs[o]->type, copy->node(i)->outputs[o]->type)
          << graph.node(i)->outputs[o]->name;
    }
  }
}

struct Case {
  std::string network;
  int transposes;  // Those that are left.
};

class OptimizedNetwork : public testing::TestWithParam<Case> {};

TEST_P(OptimizedNetwork, ComputesTheSame) {
  auto built = build_network(GetParam().network);
  ASSERT_TRUE(built.ok());
  Graph& graph = *built;
  const std::vector<Item> inputs = random_inputs(graph);
  const auto before = run_graph(graph, inputs);
  ASSERT_TRUE(before.ok()) << before.error().message;
  const std::string input = graph.inputs()[0]->name, output = graph.outputs()[0]->name;

  const auto runs = optimize(graph, {.last = PassStage::Engine});
  ASSERT_TRUE(runs.ok()) << runs.error().message;
  EXPECT_TRUE(verify(graph).ok());
  EXPECT_EQ(graph.inputs()[0]->name, input);
  EXPECT_EQ(graph.outputs()[0]->name, output);
  expect_inferred_types(graph);
  const auto nodes = graph.nodes();
  EXPECT_EQ(std::ranges::count(nodes, "transpose", &Node::op), GetParam().transposes);
  const auto after = run_graph(graph, inputs);
  ASSERT_TRUE(after.ok()) << after.error().message;
  expect_close(*before, *after);

  auto file = export_onnx(graph);
  ASSERT_TRUE(file.ok()) << file.error().message;
  const auto read = import_onnx(*file);
  ASSERT_TRUE(read.ok()) << read.error().message;
  const auto again = run_graph(read->graph, inputs);
  ASSERT_TRUE(again.ok()) << again.error().message;
  expect_close(*before, *again);
}

// One transpose brings the image into nhwc; attention needs four per layer.
INSTANTIATE_TEST_SUITE_P(Zoo, OptimizedNetwork,
                         testing::Values(Case{"ds_cnn_kws", 0}, Case{"resnet8", 1},
                                         Case{"mobilenet_v1_025_96", 1}, Case{"autoencoder", 0},
                                         Case{"mobilenet_v3_small", 1}, Case{"squeezenet", 1},
                                         Case{"transformer_encoder", 16}),
                         [](const auto& test) { return test.param.network; });

// What ONNX has no word for is written as the operators it stands for.
TEST(FusedOperators, GoThroughOnnx) {
  for (const std::string activation :
       {"\"relu\"", "\"relu6\"", "\"relu_n1_to_1\"", "\"tanh\"", "\"sigmoid\"", "\"silu\"",
        "\"gelu\"", "\"gelu_tanh\"", "\"hard_swish\"", "\"clip\" activation_params=[-0.5,1.5]",
        "\"leaky_relu\" activation_params=[0.25]",
        "\"hard_sigmoid\" activation_params=[0.25,0.5]"}) {
    auto graph = parse_graph(str(R"(graph(%x: f32[1,4,4,2]) -> (%z) {
      const %w: f32[2,1,1,2] = {1 2 3 -4}
      %y: f32[1,4,4,2] = conv(%x, %w, f32[2]{0.5 -0.5}, %x) layout="nhwc" activation=)",
                                 activation, R"(
      %m: f32[16,2] = reshape(%y, i64[2]{16 2})
      %z: f32[16,2] = gemm(%m, f32[2,2]{1 2 3 4}, _, %m) activation=)",
                                 activation, "\n}"));
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    const std::vector<Item> inputs = random_inputs(*graph);
    const auto expected = run_graph(*graph, inputs);
    ASSERT_TRUE(expected.ok()) << expected.error().message;
    const auto file = export_onnx(*graph);
    ASSERT_TRUE(file.ok()) << file.error().message;
    EXPECT_EQ(file->opsets.at(""), 21);
    const auto read = import_onnx(*file);
    ASSERT_TRUE(read.ok()) << read.error().message;
    const auto found = run_graph(read->graph, inputs);
    ASSERT_TRUE(found.ok()) << found.error().message;
    SCOPED_TRACE(activation);
    expect_close(*expected, *found);
  }
}

// That of the image, and that of the smallest head.
TEST(OptimizedYolo, KeepsTwoTransposes) {
  auto graph = build_network("yolov5n");
  ASSERT_TRUE(graph.ok());
  ASSERT_TRUE(optimize(*graph, {.last = PassStage::Engine}).ok());
  expect_inferred_types(*graph);
  const auto nodes = graph->nodes();
  EXPECT_EQ(std::ranges::count(nodes, "transpose", &Node::op), 2);
  EXPECT_EQ(std::ranges::count(nodes, "sigmoid", &Node::op), 0);
}

}  // namespace
}  // namespace hone
