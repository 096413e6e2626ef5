#include <gtest/gtest.h>

#include "hone/model/load.h"

namespace hone {
namespace {

OnnxNode call_of(const std::string& op, std::vector<std::string> inputs,
                 std::vector<std::string> outputs) {
  OnnxNode node;
  node.op_type = op;
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  return node;
}

OnnxValueInfo info(const std::string& name, DType dtype) {
  return {name, OnnxType{.dtype = dtype, .shape = std::vector<OnnxDim>{{1, ""}}}};
}

// A thousand bytes that stand for ten thousand billions of nodes.
TEST(Functions, AreExpandedWithinABudget) {
  OnnxModel model;
  model.ir_version = 8;
  model.opsets = {{"", 17}, {"d", 1}};
  for (int level = 0; level <= 13; ++level) {
    OnnxFunction function;
    function.name = str("f", level);
    function.domain = "d";
    function.inputs = {"x"};
    function.outputs = {"t10"};
    function.opsets = model.opsets;
    for (int i = 0; i < 10; ++i) {
      OnnxNode call = call_of(level == 0 ? "Relu" : str("f", level - 1),
                              {i == 0 ? "x" : str("t", i)}, {str("t", i + 1)});
      call.domain = level == 0 ? "" : "d";
      function.nodes.push_back(std::move(call));
    }
    model.functions.push_back(std::move(function));
  }
  model.graph.inputs = {info("x", DType::F32)};
  model.graph.outputs = {info("y", DType::F32)};
  model.graph.nodes = {call_of("f13", {"x"}, {"y"})};
  model.graph.nodes[0].domain = "d";
  const auto imported = import_onnx(model);
  ASSERT_FALSE(imported.ok());
  EXPECT_NE(imported.error().message.find("functions come to more than 200000 nodes"),
            std::string::npos)
      << imported.error().message;
}

}  // namespace
}  // namespace hone
