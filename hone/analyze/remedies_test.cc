#include <gtest/gtest.h>

#include "hone/analyze/remedy_def.h"
#include "hone/ops/interpreter.h"
#include "hone/tensor/compare.h"

namespace hone {
namespace {

Graph graph_of(std::string_view text) {
  Result<Graph> graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  return *std::move(graph);
}

Tensor ramp(const TensorType& type) {
  std::vector<float> values;
  for (int64_t i = 0; i < type.elements(); ++i) values.push_back(static_cast<float>(i % 7) - 2.5f);
  return Tensor::of<float>(type.shape, values);
}

Tensor run(const Graph& graph) {
  const Result<std::vector<Item>> outputs =
      run_graph(graph, {ramp(graph.inputs()[0]->type.tensor)});
  EXPECT_TRUE(outputs.ok()) << outputs.error().message;
  return (*outputs)[0].tensor;
}

// Applies the remedy, holds the results to what they were, and gives the operators that are left.
std::string operators_after(std::string_view id, Graph graph, double tolerance) {
  const Tensor before = run(graph);
  CompileOptions options;
  IoChange io;
  std::string setting;
  EXPECT_TRUE(*find_remedy(id)->apply({&graph, &options, &io}, nullptr, setting));
  EXPECT_TRUE(verify(graph).ok()) << verify(graph).error().message;
  EXPECT_TRUE(all_close(run(graph), before, tolerance, tolerance));
  std::vector<std::string> ops;
  for (const Node* node : graph.nodes()) ops.push_back(node->op);
  return join(ops, " ");
}

TEST(Remedies, DropSoftmaxKeepsTheAnswer) {
  EXPECT_EQ(operators_after("drop_softmax", graph_of(R"(
graph(%x: f32[2,5]) -> (%y) {
  %p: f32[2,5] = softmax(%x) axis=1
  %y: i64[2,1] = arg_max(%p) axis=1
})"),
                            0),
            "arg_max");
}

TEST(Remedies, DropSoftmaxLeavesOneThatIsReadElsewhere) {
  Graph graph = graph_of(R"(
graph(%x: f32[2,5]) -> (%y, %p) {
  %p: f32[2,5] = softmax(%x) axis=1
  %y: i64[2,1] = arg_max(%p) axis=1
})");
  CompileOptions options;
  IoChange io;
  std::string setting;
  EXPECT_FALSE(*find_remedy("drop_softmax")->apply({&graph, &options, &io}, nullptr, setting));
}

TEST(Remedies, ABatchNormBehindAnActivationBecomesAProductAndASum) {
  EXPECT_EQ(operators_after("scale_for_batch_norm", graph_of(R"(
graph(%x: f32[1,2,3,3]) -> (%y) {
  const %gamma: f32[2] = {1.5 -2}
  const %beta: f32[2] = {0.25 1}
  const %mean: f32[2] = {0.5 -1}
  const %var: f32[2] = {4 0.25}
  %r: f32[1,2,3,3] = relu(%x)
  %y: f32[1,2,3,3] = batch_norm(%r, %gamma, %beta, %mean, %var)
})"),
                            1e-5),
            "relu mul add");
}

TEST(Remedies, ScalesInARowBecomeOne) {
  EXPECT_EQ(operators_after("merge_scales", graph_of(R"(
graph(%x: f32[1,2,2,2]) -> (%y) {
  const %p: f32[1,2,1,1] = {2 3}
  const %q: f32[] = {1}
  const %r: f32[1,2,1,1] = {4 0.5}
  const %s: f32[1,2,1,1] = {-1 8}
  %a: f32[1,2,2,2] = mul(%x, %p)
  %b: f32[1,2,2,2] = add(%q, %a)
  %c: f32[1,2,2,2] = div(%b, %r)
  %d: f32[1,2,2,2] = sub(%c, %s)
  %y: f32[1,2,2,2] = relu(%d)
})"),
                            1e-5),
            "mul add relu");
}

TEST(Remedies, MergeScalesLeavesWhatBroadcastsDifferently) {
  Graph graph = graph_of(R"(
graph(%x: f32[1,2,2,2]) -> (%y) {
  const %p: f32[1,2,1,1] = {2 3}
  const %r: f32[1,1,2,1] = {4 0.5}
  %a: f32[1,2,2,2] = mul(%x, %p)
  %b: f32[1,2,2,2] = mul(%a, %r)
  %y: f32[1,2,2,2] = add(%b, %p)
})");
  CompileOptions options;
  IoChange io;
  std::string setting;
  EXPECT_FALSE(*find_remedy("merge_scales")->apply({&graph, &options, &io}, nullptr, setting));
}

// A sigmoid that gates its own input is a swish.
TEST(Remedies, HardenTheActivationThatTheFindingIsAbout) {
  constexpr std::string_view kText = R"(
graph(%x: f32[2,5]) -> (%y) {
  %s: f32[2,5] = sigmoid(%x)
  %m: f32[2,5] = mul(%x, %s)
  %t: f32[2,5] = sigmoid(%m)
  %y: f32[2,5] = swish(%t)
})";
  const auto operators = [&](const std::string& part) {
    Graph graph = graph_of(kText);
    CompileOptions options;
    IoChange io;
    Finding finding;
    finding.part = part;
    std::string setting;
    const Result<bool> changed =
        find_remedy("harden_activations")->apply({&graph, &options, &io}, &finding, setting);
    EXPECT_EQ(*changed, part != "gelu");
    EXPECT_EQ(setting, part);
    std::vector<std::string> ops;
    for (const Node* node : graph.nodes()) ops.push_back(node->op);
    return join(ops, " ");
  };
  EXPECT_EQ(operators("sigmoid"), "sigmoid mul hard_sigmoid swish");
  EXPECT_EQ(operators("swish"), "hard_sigmoid mul sigmoid hard_swish");
  EXPECT_EQ(operators(""), "hard_sigmoid mul hard_sigmoid hard_swish");
  EXPECT_EQ(operators("gelu"), "sigmoid mul sigmoid swish");
}

TEST(Remedies, HardenedActivationsHaveNames) {
  Graph graph;
  CompileOptions options;
  IoChange io;
  std::string setting = "relu";
  const auto changed =
      find_remedy("harden_activations")->apply({&graph, &options, &io}, nullptr, setting);
  EXPECT_EQ(changed.error().message, "setting is 'relu', expected sigmoid or swish");
}

TEST(Remedies, PrecisionComesFromTheFinding) {
  Graph graph;
  CompileOptions options;
  IoChange io;
  Finding finding;
  finding.hint = {HintKind::Precision, "fp16"};
  std::string setting;
  EXPECT_TRUE(*find_remedy("use_precision")->apply({&graph, &options, &io}, &finding, setting));
  EXPECT_EQ(options.precision, Precision::F16);
  EXPECT_EQ(setting, "fp16");
}

}  // namespace
}  // namespace hone
