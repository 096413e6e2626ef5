// Runs the .test files beside the passes: text graph in, dashes, text graph out, or `unchanged`.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "hone/passes/pass_def.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

struct PassesCase {
  std::string pass;
  std::string name;
  std::string before;
  std::string after;
};

std::vector<PassesCase> read_cases(const fs::path& path) {
  std::ifstream in(path);
  std::vector<PassesCase> cases;
  std::string pass;
  bool after = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("pass ")) {
      pass = line.substr(5);
    } else if (line.starts_with("case ")) {
      cases.push_back({pass, line.substr(5), "", ""});
      after = false;
    } else if (line.find("----") != std::string::npos) {
      after = true;
    } else if (!cases.empty()) {
      (after ? cases.back().after : cases.back().before) += line + "\n";
    }
  }
  return cases;
}

std::vector<PassesCase> all_cases() {
  const char* root = std::getenv("HONE_SOURCE_DIR");
  std::vector<PassesCase> all;
  for (const auto& entry : fs::directory_iterator(fs::path(root ? root : ".") / "hone/passes")) {
    if (entry.path().extension() != ".test") continue;
    for (PassesCase& one : read_cases(entry.path())) all.push_back(std::move(one));
  }
  return all;
}

const PassDef* find_pass(std::string_view name) {
  const auto found = std::ranges::find(all_passes(), name, &PassDef::name);
  return found == all_passes().end() ? nullptr : *found;
}

class PassTest : public testing::TestWithParam<PassesCase> {};

TEST_P(PassTest, RewritesAsTheTextSays) {
  const PassesCase& test = GetParam();
  const PassDef* pass = find_pass(test.pass);
  ASSERT_NE(pass, nullptr) << test.pass;
  auto graph = parse_graph(test.before);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const std::string before = print(*graph);
  const int rewrites = pass->run(*graph);
  const Status valid = verify(*graph);
  EXPECT_TRUE(valid.ok()) << valid.error().message;
  if (test.after.find("unchanged") != std::string::npos) {
    EXPECT_EQ(rewrites, 0) << print(*graph);
    return;
  }
  const auto expected = parse_graph(test.after);
  ASSERT_TRUE(expected.ok()) << expected.error().message;
  EXPECT_EQ(print(*graph), print(*expected));
}

INSTANTIATE_TEST_SUITE_P(Passes, PassTest, testing::ValuesIn(all_cases()), [](const auto& test) {
  std::string name = test.param.pass + "_" + test.param.name;
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

TEST(Pipeline, KeepsEverySourceAccountedFor) {
  auto graph = parse_graph(R"(graph(%x: f32[2]) -> (%z) {
    source "copy" Identity 0
    source "act" Relu 1
    %y: f32[2] = identity(%x) from [0]
    %z: f32[2] = relu(%y) from [1]
  })");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  ASSERT_TRUE(optimize(*graph).ok());
  ASSERT_EQ(graph->vanished.size(), 1u);
  EXPECT_EQ(graph->vanished[0].pass, "remove_identity");
}

TEST(Pipeline, RunsTheStagesAskedFor) {
  Graph graph;
  const auto clean = optimize(graph);
  const auto all = optimize(graph, {.last = PassStage::Engine});
  ASSERT_TRUE(clean.ok() && all.ok());
  EXPECT_LT(clean->size(), all->size());
  EXPECT_EQ(all->size(), all_passes().size());
}

// Sums of %x [1, 4097] and a constant of as many elements tiled `times`; one element more than
// small values may have.
bool folds_tiles(int64_t times) {
  Graph graph;
  Value* x = graph.add_input("x", ValueType(DType::F32, {1, 4097}));
  Value* w = graph.add_constant("w", Tensor(TensorType{DType::F32, {1, 4097}}));
  Value* repeats = graph.add_constant("repeats", Tensor::of_ints({times, 1}));
  const ValueType type(DType::F32, {times, 4097});
  Node* tiled = graph.add_node("tile", {w, repeats}, {type});
  Node* sum = graph.add_node("add", {x, tiled->outputs[0]}, {type});
  graph.add_output(sum->outputs[0]);
  find_pass("fold_constants")->run(graph);
  return sum->inputs[1]->constant.has_value();
}

TEST(FoldConstants, TakesGridsButNotWhatGrowsLarge) {
  EXPECT_TRUE(folds_tiles(4));
  EXPECT_FALSE(folds_tiles(16));
}

TEST(FoldConstants, TakesLargeWeights) {
  Graph graph;
  Value* x = graph.add_input("x", ValueType(DType::F32, {1, 4097}));
  Value* w = graph.add_constant("w", Tensor(TensorType{DType::F32, {1, 4097}}));
  Node* turned = graph.add_node("transpose", {w}, {ValueType(DType::F32, {4097, 1})});
  Node* product =
      graph.add_node("matmul", {x, turned->outputs[0]}, {ValueType(DType::F32, {1, 1})});
  graph.add_output(product->outputs[0]);
  EXPECT_EQ(find_pass("fold_constants")->run(graph), 1);
  EXPECT_TRUE(product->inputs[1]->constant.has_value());
}

TEST(Pipeline, RefusesToDisableAPassThatIsNotThere) {
  Graph graph;
  const auto runs = optimize(graph, {.disabled = {"fold_constant"}});
  ASSERT_FALSE(runs.ok());
  EXPECT_NE(runs.error().message.find("fold_constants"), std::string::npos);
}

}  // namespace
}  // namespace hone
