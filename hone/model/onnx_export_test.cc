#include <gtest/gtest.h>

#include "hone/model/load.h"
#include "hone/model/onnx_check.h"
#include "hone/model/save.h"
#include "hone/ops/interpreter.h"

namespace hone {
namespace {

Graph graph_of(const std::string& text) {
  auto graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  return *std::move(graph);
}

OnnxModel exported(const std::string& text) {
  auto model = export_onnx(graph_of(text));
  EXPECT_TRUE(model.ok()) << model.error().message;
  return *std::move(model);
}

void expect_refused(const OnnxModel& model, const std::string& why) {
  const Status status = check_onnx(model);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find(why), std::string::npos) << status.error().message;
}

constexpr const char* kRelu = "graph(%x: f32[2,3]) -> (%y) {\n  %y: f32[2,3] = relu(%x)\n}";

TEST(OnnxExport, WritesAPadOfBytesAsOneOfFloats) {
  const OnnxModel model = exported(
      "graph(%x: i8[2]<0.5:3>) -> (%y) {\n"
      "  %y: i8[4]<0.5:3> = pad(%x, i64[2]{1 1}, i8[]{7})\n}");
  const Status status = check_onnx(model);
  ASSERT_TRUE(status.ok()) << status.error().message;
  const auto again = import_onnx(model);
  ASSERT_TRUE(again.ok()) << again.error().message;
  const auto outputs = run_graph(again->graph, {Item(Tensor::of<int8_t>({2}, {-5, 9}))});
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  EXPECT_EQ(to_ints((*outputs)[0].tensor), (std::vector<int64_t>{7, -5, 9, 7}));
}

TEST(OnnxExport, CountsThePartsOfASplit) {
  OnnxModel model =
      exported("graph(%x: f32[6]) -> (%a, %b) {\n  %a: f32[3], %b: f32[3] = split(%x) axis=0\n}");
  EXPECT_TRUE(check_onnx(model).ok());
  ASSERT_EQ(model.graph.nodes[0].attrs.count("num_outputs"), 1u);
  model.graph.nodes[0].attrs.erase("num_outputs");
  expect_refused(model, "neither split nor num_outputs");
}

TEST(OnnxExport, LeavesEmptyListsOut) {
  const OnnxModel model = exported(
      "graph(%x: f32[1,1,4]) -> (%y) {\n"
      "  %y: f32[1,1,3] = max_pool(%x) kernel_shape=[2] strides=ints[]\n}");
  EXPECT_EQ(model.graph.nodes[0].attrs.count("strides"), 0u);
  EXPECT_TRUE(check_onnx(model).ok());
}

TEST(OnnxExport, RefusesWhatWouldBeReadOtherwise) {
  OnnxModel model = exported(kRelu);
  EXPECT_TRUE(check_onnx(model).ok());
  model.graph.outputs[0].type->shape->at(1).value = 4;
  expect_refused(model, "'y' would be read as 'y' of f32[2,3]");
  model = exported(kRelu);
  model.graph.outputs[0].type->dtype = DType::F16;
  expect_refused(model, "'y' would be read");
  model = exported(kRelu);
  model.graph.nodes[0].op_type = "Softly";
  expect_refused(model, "Softly");
  model = exported(kRelu);
  model.graph.nodes[0].op_type = "Conv";
  expect_refused(model, "expected at least 2");
}

TEST(OnnxExport, LeavesNothingOfWhatIsRefused) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / "untrue_shape.onnx";
  std::filesystem::remove(path);
  const Graph graph = graph_of("graph(%x: f32[2,3]) -> (%y) {\n  %y: f32[2,4] = relu(%x)\n}");
  const auto status = save_onnx(graph, path);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("not written"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path));
}

// An integer operator is one of floats between conversions there.
TEST(OnnxExport, SaysHowManyNodesTheFileHas) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "counted.onnx";
  const Graph graph =
      graph_of("graph(%x: i8[2,3]<0.5:0>) -> (%y) {\n  %y: i8[2,3]<0.25:1> = add(%x, %x)\n}");
  const auto nodes = save_onnx(graph, path);
  ASSERT_TRUE(nodes.ok()) << nodes.error().message;
  const auto file = read_onnx(path);
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(*nodes, file->graph.nodes.size());
  EXPECT_GT(*nodes, graph.node_count());
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace hone
