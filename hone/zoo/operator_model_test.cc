#include "hone/zoo/operator_model.h"

#include <gtest/gtest.h>

#include "hone/ops/node_cost.h"
#include "hone/ops/op_def.h"

namespace hone {
namespace {

Graph built_operator(std::string_view text) {
  Result<OperatorModel> model = build_operator(text);
  EXPECT_TRUE(model.ok()) << text << ": " << model.error().message;
  return model.ok() ? std::move(model->graph) : Graph();
}

std::string operator_error(std::string_view text) {
  const Result<OperatorModel> model = build_operator(text);
  return model.ok() ? "built" : model.error().message;
}

Shape input_shape(const Graph& graph, size_t i) {
  return graph.inputs()[i]->type.tensor.shape;
}

TEST(OperatorModel, TakesBothOperandsOfAProductAsInputs) {
  const Graph one = built_operator("matmul:3x5x7");
  ASSERT_EQ(one.inputs().size(), 2u);
  EXPECT_EQ(input_shape(one, 0), (Shape{3, 7}));
  EXPECT_EQ(input_shape(one, 1), (Shape{7, 5}));
  EXPECT_EQ(one.outputs()[0]->type.tensor.shape, (Shape{3, 5}));
  EXPECT_EQ(node_cost(*one.node(0)).macs, 3 * 5 * 7);
  EXPECT_EQ(input_shape(built_operator("matmul:2x3x5x7"), 1), (Shape{2, 7, 5}));
}

TEST(OperatorModel, KeepsWeightsOfLayersConstant) {
  const Graph linear = built_operator("linear:3x5x7");
  ASSERT_EQ(linear.inputs().size(), 1u);
  EXPECT_EQ(linear.constants().size(), 2u);
  EXPECT_EQ(linear.outputs()[0]->type.tensor.shape, (Shape{3, 5}));
  const Graph conv = built_operator("conv2d:1x8x9x9:k3s2:16");
  EXPECT_EQ(conv.outputs()[0]->type.tensor.shape, (Shape{1, 16, 5, 5}));
  EXPECT_EQ(node_cost(*conv.node(0)).macs, 16 * 25 * 8 * 9);
  EXPECT_EQ(node_cost(*built_operator("depthwise:1x8x9x9:k3").node(0)).macs, 8 * 81 * 9);
}

TEST(OperatorModel, IsOfTheTypeThatIsNamed) {
  const Graph halves = built_operator("linear:3x5x7:fp16");
  for (const Value* value : {halves.inputs()[0], halves.constants()[0], halves.outputs()[0]}) {
    EXPECT_EQ(value->type.tensor.dtype, DType::F16) << value->name;
  }
  EXPECT_FALSE(build_operator("softmax:4x8")->quantized);
  EXPECT_TRUE(build_operator("linear:3x5x7:int8")->quantized);
}

// Each that is listed can be built, and every form as its example has it.
TEST(OperatorModel, BuildsEveryOperatorThatIsListed) {
  for (const OperatorForm& form : operator_forms()) {
    const Graph graph = built_operator(str(form.kind, ":", form.example));
    EXPECT_EQ(graph.node_count(), 1u) << form.kind;
    EXPECT_TRUE(verify(graph).ok()) << form.kind;
  }
  const std::vector<std::string> names = operators_of_a_shape();
  EXPECT_GT(names.size(), 40u);
  for (const std::string_view name : {"add", "softmax", "gelu", "reduce_mean"}) {
    EXPECT_EQ(std::ranges::count(names, name), 1) << name;
  }
  EXPECT_EQ(std::ranges::count(names, "resize"), 0) << "to what size?";
  for (const std::string& name : names) {
    EXPECT_TRUE(verify(built_operator(name + ":1x4x6x2")).ok()) << name;
  }
}

TEST(OperatorModel, HasSeveralOfItInABatch) {
  EXPECT_EQ(batched_operator("matmul:3x5x7:fp16", 4), "matmul:4x3x5x7:fp16");
  EXPECT_EQ(batched_operator("matmul:2x3x5x7", 4), "matmul:8x3x5x7");
  EXPECT_EQ(batched_operator("conv2d:1x8x9x9:k3:16", 4), "conv2d:4x8x9x9:k3:16");
}

TEST(OperatorModel, SaysWhatIsWrong) {
  EXPECT_EQ(operator_error("matmul"),
            "no shape behind the operator; spelled op:matmul:[Bx]MxNxK[:TYPE]");
  EXPECT_EQ(operator_error("matmul:4x0x4"),
            "'4x0x4' is no shape; expected numbers from 1 on with x between them, such as "
            "1x64x56x56; spelled op:matmul:[Bx]MxNxK[:TYPE]");
  EXPECT_EQ(operator_error("matmul:4x4x4:tf32"),
            "'tf32' is no type of an operator; there are: fp32, fp16; spelled "
            "op:matmul:[Bx]MxNxK[:TYPE]");
  EXPECT_EQ(operator_error("matmul:4x4x4:fp16:fp16"),
            "'fp16' is one piece too many; spelled op:matmul:[Bx]MxNxK[:TYPE]");
  EXPECT_EQ(operator_error("depthwise:1x8x9x9:fp16"),
            "no window behind the shape; expected a window such as k3 or k3s2; spelled "
            "op:depthwise:NxCxHxW:kKsS[:TYPE]");
  EXPECT_EQ(operator_error("softmx:4"), "no operator 'softmx' (did you mean 'softmax'?)");
  EXPECT_EQ(operator_error("gather:4x4"),
            "operator 'gather' cannot be named by a shape alone; "
            "a model of that one node can be given");
  EXPECT_EQ(operator_error("gemm:4x4x4"), "operator 'gemm' is spelled op:linear:MxNxK[:TYPE]");
  EXPECT_EQ(operator_error("linear:4x4x4:bf16"),
            "'bf16' is no type of an operator; there are: fp32, fp16, int8; spelled "
            "op:linear:MxNxK[:TYPE]");
  EXPECT_EQ(operator_error("add:99999x99999"),
            "a tensor of 99999x99999 is too large; expected at most 1073741824 elements; spelled "
            "op:add:SHAPE[:TYPE]");
}

}  // namespace
}  // namespace hone
