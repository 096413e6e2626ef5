#include "hone/graph/graph.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

using Pair = std::pair<Value*, Value*>;

Graph parsed(std::string_view text) {
  Result<Graph> graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  return *std::move(graph);
}

// %x -> conv %y -> batch_norm %z -> relu %r, one source each.
Graph chain() {
  return parsed(R"(graph(%x: f32[2]) -> (%r) {
    source "a" Conv 0
    source "b" BatchNormalization 1
    source "c" Relu 2
    %y: f32[2] = conv(%x, f32[1]{1}) from [0]
    %z: f32[2] = batch_norm(%y) from [1]
    %r: f32[2] = relu(%z) from [2]
  })");
}

std::string problem_in(const Graph& graph) {
  const Status status = verify(graph);
  return status.ok() ? "" : status.error().message;
}

bool has_problem(const Graph& graph, std::string_view part) {
  return problem_in(graph).find(part) != std::string::npos;
}

TEST(Graph, TakenNamesGetANumber) {
  Graph graph;
  EXPECT_EQ(graph.add_input("x", {DType::F32, {1}})->name, "x");
  EXPECT_EQ(graph.add_input("x", {DType::F32, {1}})->name, "x_1");
  EXPECT_EQ(graph.add_constant("", Tensor::scalar(1.0f))->name, "v");
}

TEST(Graph, RenameMovesTheOtherValueAway) {
  Graph graph;
  Value* a = graph.add_input("a", {DType::F32, {1}});
  Value* b = graph.add_input("b", {DType::F32, {1}});
  graph.rename(b, "a");
  EXPECT_EQ(graph.find_value("a"), b);
  EXPECT_EQ(a->name, "a_1");
  EXPECT_EQ(graph.find_value("b"), nullptr);
}

TEST(Graph, ReplaceUnitesTheOrigins) {
  Graph graph = chain();
  Node* conv = graph.node(0);
  Node* norm = graph.node(1);
  Node* fused = graph.add_node("conv", {conv->inputs[0], conv->inputs[1]}, {conv->outputs[0]->type},
                               {}, "fused", conv);
  Node* gone[] = {conv, norm};
  Node* by[] = {fused};
  const Pair values[] = {{norm->outputs[0], fused->outputs[0]}};
  graph.replace(gone, by, values, "fold_batch_norm");
  EXPECT_EQ(fused->origins, (std::vector<int>{0, 1}));
  EXPECT_TRUE(graph.vanished.empty());
  EXPECT_EQ(graph.node_count(), 2u);
  EXPECT_EQ(graph.node(1)->inputs[0], fused->outputs[0]);
  EXPECT_EQ(problem_in(graph), "");
}

TEST(Graph, EraseRecordsASourceThatNoNodeStandsForAnyMore) {
  Graph graph = chain();
  Node* norm = graph.node(1);
  graph.replace_uses(norm->outputs[0], norm->inputs[0]);
  graph.erase(norm, "drop_identity");
  ASSERT_EQ(graph.vanished.size(), 1u);
  EXPECT_EQ(graph.vanished[0].source, 1);
  EXPECT_EQ(graph.vanished[0].pass, "drop_identity");
  EXPECT_EQ(graph.find_value("z"), nullptr);
  EXPECT_EQ(problem_in(graph), "");
}

TEST(Graph, EraseOfOneOfTwoHeirsRecordsNothing) {
  Graph graph = chain();
  Node* extra = graph.add_node("neg", {graph.inputs()[0]}, {ValueType()});
  graph.inherit_origins(extra, *graph.nodes()[2]);
  graph.erase(extra, "dead_code");
  EXPECT_TRUE(graph.vanished.empty());
}

TEST(Graph, ReplaceUsesMovesGraphOutputs) {
  Graph graph = chain();
  graph.replace_uses(graph.outputs()[0], graph.inputs()[0]);
  EXPECT_EQ(graph.outputs()[0], graph.inputs()[0]);
  EXPECT_TRUE(graph.find_value("r")->users.empty());
}

TEST(Graph, UnusedConstantsGo) {
  Graph graph = chain();
  graph.set_input(graph.node(0), 1, nullptr);
  Value* kept = graph.add_constant("kept", Tensor::scalar(1.0f));
  graph.add_output(kept);
  EXPECT_EQ(graph.remove_unused_constants(), 1);
  EXPECT_EQ(graph.constants(), std::vector<Value*>{kept});
}

TEST(Graph, ACloneIsEqualAndIndependent) {
  Graph graph = parsed(R"(graph(%c: bool[], %x: f32[2]) -> (%r) {
    source "a" If 0
    %r: f32[2] = if(%c, %x) then_branch=graph(%x) -> %y { %y = neg(%x) } from [0]
  })");
  const PrintOptions all{.origins = true};
  const std::string before = print(graph, all);
  const std::unique_ptr<Graph> copy = graph.clone();
  EXPECT_EQ(print(*copy, all), before);
  EXPECT_EQ(problem_in(*copy), "");
  const auto& body = *copy->node(0)->find_attr<std::shared_ptr<Graph>>("then_branch");
  body->node(0)->op = "abs";
  copy->rename(copy->inputs()[0], "other");
  EXPECT_EQ(print(graph, all), before);
}

TEST(Verify, FindsALostOrigin) {
  Graph graph = chain();
  graph.node(1)->origins.clear();
  EXPECT_EQ(problem_in(graph),
            "source 1 'b' (BatchNormalization) is lost: no node stands for it and no pass recorded "
            "its end");
}

TEST(Verify, FindsOriginsThatAreNoSources) {
  Graph graph = chain();
  graph.node(1)->origins = {1, 3};
  EXPECT_TRUE(has_problem(graph, "origin 3 is not a source"));
  graph.node(1)->origins = {2, 1};
  EXPECT_TRUE(has_problem(graph, "origins are not sorted"));
  graph = chain();
  graph.vanished.push_back({7, "pass"});
  EXPECT_TRUE(has_problem(graph, "vanished source 7 is not a source"));
}

TEST(Verify, FindsAUseBeforeTheDefinition) {
  Graph graph = chain();
  graph.set_input(graph.node(1), 0, graph.find_value("r"));
  EXPECT_EQ(problem_in(graph), "node '' (batch_norm): input 0 is read before it is made");
}

TEST(Verify, FindsAValueOfAnotherGraph) {
  Graph graph = chain();
  Graph other = chain();
  graph.add_output(other.inputs()[0]);
  EXPECT_EQ(problem_in(graph), "graph output 1 is not made by any node");
}

TEST(Verify, FindsUsersAndProducersThatDisagree) {
  Graph graph = chain();
  graph.inputs()[0]->users.clear();
  EXPECT_TRUE(has_problem(graph, "'x' knows 0 of its 1 readers"));
  graph = chain();
  graph.find_value("z")->producer = graph.node(0);
  EXPECT_TRUE(has_problem(graph, "'z' names another producer"));
}

TEST(Verify, FindsTypesThatCannotBe) {
  Graph graph = chain();
  graph.find_value("z")->type.tensor.shape = {-7};
  EXPECT_TRUE(has_problem(graph, "extent -7 is negative"));
}

TEST(Verify, FindsANodeWithoutOutputs) {
  Graph graph = chain();
  graph.add_node("neg", {graph.inputs()[0]}, {});
  EXPECT_TRUE(has_problem(graph, "has no outputs"));
}

TEST(Verify, LooksIntoSubgraphs) {
  Graph graph = parsed(R"(graph(%c: bool[]) -> (%r) {
    %r = if(%c) then_branch=graph(%x) -> %y { %y = neg(%x) }
  })");
  const auto& body = *graph.node(0)->find_attr<std::shared_ptr<Graph>>("then_branch");
  body->inputs()[0]->users.clear();
  EXPECT_TRUE(has_problem(graph, "node '' (if): then_branch: 'x' knows 0 of its 1 readers"));
}

}  // namespace
}  // namespace hone
