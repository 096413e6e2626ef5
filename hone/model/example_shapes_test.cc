#include "hone/model/example_shapes.h"

#include <gtest/gtest.h>

#include "hone/model/load.h"

namespace hone {
namespace {

std::string example(std::string_view inputs, const std::vector<std::vector<std::string>>& dims = {},
                    const std::set<std::string>& given = {}) {
  auto graph = parse_graph(str("graph(", inputs, ") -> () { }"));
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  for (size_t i = 0; i < dims.size(); ++i) graph->inputs()[i]->dims = dims[i];
  return example_shapes(*graph, given);
}

TEST(ExampleShapes, HaveTheRankAndTheKnownExtentsOfTheInput) {
  EXPECT_EQ(example("%ids: i64[?,?]"), "ids:1x128");
  EXPECT_EQ(example("%x: f32[?,3,32,32]"), "x:1x3x32x32");
  EXPECT_EQ(example("%x: f32[?,?,?,?]"), "x:1x3x224x224");
  EXPECT_EQ(example("%x: f32[?,?,?,3]"), "x:1x224x224x3");
  EXPECT_EQ(example("%x: f32[8,?,16]"), "x:8x128x16");
  EXPECT_EQ(example("%x: f32[...]"), "x:1x3x224x224");
  EXPECT_EQ(example("%x: f32[2,2]"), "");
}

TEST(ExampleShapes, NameAllInputsThatNeedOne) {
  EXPECT_EQ(example("%x: f32[?,8], %k: f32[4], %y: i64[2,?]"), "x:1x8 y:2x128");
  EXPECT_EQ(example("%x: f32[?,8], %y: i64[2,?]", {}, {"x"}), "y:2x128");
}

// Binding one binds the others of the same symbol.
TEST(ExampleShapes, GiveASymbolOneExtent) {
  EXPECT_EQ(example("%x: f32[?,8], %y: f32[?,4]", {{"n", ""}, {"n", ""}}), "x:1x8");
  EXPECT_EQ(example("%x: f32[?,?], %y: f32[?,?]", {{"n", "s"}, {"s", "t"}}), "x:1x128 y:128x128");
  EXPECT_EQ(example("%x: f32[?,?]", {{"n", "n"}}), "x:1x1");
}

TEST(ExampleShapes, AreReadBack) {
  const auto read = parse_shape_binding(example("%x: f32[?,3,32,32]"));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->second, (Shape{1, 3, 32, 32}));
}

}  // namespace
}  // namespace hone
