// What a file states of its values is a claim: a run goes by what is there, on every target, and
// what cannot run is refused before anything counts on it.

#include <gtest/gtest.h>

#include "hone/tensor/compare.h"
#include "hone/workbench/workbench.h"

namespace hone {
namespace {

constexpr const char* kTargets[] = {"ref", "cpu", "npu"};

OnnxValueInfo info(const std::string& name, DType dtype, const Shape& shape) {
  OnnxType type{.dtype = dtype, .shape = std::vector<OnnxDim>()};
  for (const int64_t extent : shape) type.shape->push_back({extent, ""});
  return {name, type};
}

OnnxNode node(const std::string& op, std::vector<std::string> inputs,
              std::vector<std::string> outputs) {
  OnnxNode made;
  made.name = op;
  made.op_type = op;
  made.inputs = std::move(inputs);
  made.outputs = std::move(outputs);
  return made;
}

OnnxModel model_of(OnnxGraph graph) {
  OnnxModel model;
  model.ir_version = 8;
  model.opsets[""] = 17;
  model.graph = std::move(graph);
  return model;
}

Result<std::vector<Item>> run_on(const std::string& target, const OnnxModel& file,
                                 const std::vector<Item>& inputs) {
  HONE_TRY(Model model, import_onnx(file));
  HONE_TRY(const TargetDef* def, find_target(target));
  HONE_TRY(const auto program, def->open()->compile(std::move(model.graph), {.threads = 1}));
  return program->run(inputs);
}

// relu(OP(x, numbers)), where the numbers come with the run and the file states `stated`.
void expect_shape(const std::string& op, const Shape& x, const Ints& numbers, const Shape& stated,
                  const Shape& expected) {
  OnnxGraph graph;
  graph.inputs = {info("x", DType::F32, x),
                  info("n", DType::I64, {static_cast<int64_t>(numbers.size())})};
  graph.nodes = {node(op, {"x", "n"}, {"r"}), node("Relu", {"r"}, {"y"})};
  graph.value_infos = {info("r", DType::F32, stated)};
  graph.outputs = {info("y", DType::F32, stated)};
  const std::vector<Item> inputs = {random_tensor(TensorType{DType::F32, x}, 1),
                                    Tensor::of_ints(numbers)};
  const OnnxModel model = model_of(std::move(graph));
  const auto reference = run_on("ref", model, inputs);
  ASSERT_TRUE(reference.ok()) << reference.error().message;
  EXPECT_EQ((*reference)[0].tensor.shape(), expected);
  for (const char* target : kTargets) {
    const auto outputs = run_on(target, model, inputs);
    ASSERT_TRUE(outputs.ok()) << target << ": " << outputs.error().message;
    EXPECT_TRUE(compare((*outputs)[0].tensor, (*reference)[0].tensor).equal()) << target;
  }
}

TEST(StatedShapes, AreNotTrusted) {
  expect_shape("Reshape", {1, 1600}, {40, 40}, {2, 2}, {40, 40});
  expect_shape("Reshape", {1, 4}, {4, 1}, {200, 200}, {4, 1});
  expect_shape("Squeeze", {1, 4}, {0}, {200, 200}, {4});
  expect_shape("Unsqueeze", {4}, {0}, {9, 9, 9}, {1, 4});
  expect_shape("Expand", {1, 4}, {3, 4}, {1, 1}, {3, 4});
  expect_shape("Tile", {2, 2}, {2, 1}, {1, 1}, {4, 2});
}

// The weights of a convolution, made by an operator that nobody knows.
TEST(StatedShapes, OfUnknownOperatorsAreRefusedFirst) {
  OnnxGraph graph;
  graph.inputs = {info("x", DType::F32, {1, 3, 8, 8})};
  graph.initializers.emplace_back("w", random_tensor(TensorType{DType::F32, {4, 3, 3, 3}}, 2));
  graph.nodes = {node("Quant", {"w"}, {"q"}), node("Conv", {"x", "q"}, {"y"})};
  graph.nodes[0].domain = "qonnx.custom_op.general";
  graph.value_infos = {info("q", DType::F32, {4, 3, 3, 3})};
  graph.outputs = {info("y", DType::F32, {1, 4, 6, 6})};
  const std::vector<Item> inputs = {random_tensor(TensorType{DType::F32, {1, 3, 8, 8}}, 1)};
  for (const char* target : kTargets) {
    const auto outputs = run_on(target, model_of(graph), inputs);
    ASSERT_FALSE(outputs.ok()) << target;
    EXPECT_EQ(outputs.error().kind, ErrorKind::Unsupported) << outputs.error().message;
  }
}

// Without extents there is no kernel but the reference; those of the inputs that a run is given do.
TEST(StatedShapes, OpenOnesAreThoseOfTheInputs) {
  Model model;
  model.graph = *parse_graph(R"(graph(%x: f32[1,?,?,8]) -> (%y) {
  %y: f32[1,?,?,8] = max_pool(%x) kernel_shape=[3,3] layout="nhwc"
})");
  const auto open = (*find_target("cpu"))->open()->compile(std::move(*model.graph.clone()), {});
  ASSERT_TRUE(open.ok()) << open.error().message;
  ASSERT_EQ(count_references((*open)->steps()).count, 1);
  const std::vector<Item> inputs = {random_tensor({DType::F32, {1, 9, 7, 8}}, 1)};
  const auto result = run_model(model, "cpu", {}, inputs, 1);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->references.count, 0);
  EXPECT_EQ(result->outputs[0].tensor.shape(), (Shape{1, 7, 5, 8}));
}

// Extents of 0, in operands and results of every kind of layer.
TEST(StatedShapes, MayBeEmpty) {
  for (const char* text : {
           "graph(%x: f32[1,0,4,4]) -> (%y) { %y = conv(%x, f32[2,0,1,1]{}) }",
           "graph(%x: f32[2,0]) -> (%y) { %y = matmul(%x, f32[0,3]{}) }",
           "graph(%x: f32[0,2]) -> (%y) { %y = gemm(%x, f32[2,3]{1 2 3 4 5 6}, f32[3]{1 1 1}) }",
           "graph(%x: f32[0,3,2,2]) -> (%y) { %a = relu(%x) %y = reshape(%a, i64[2]{0 -1}) }",
           "graph(%x: f32[0,4]) -> (%y) { %y = reduce_sum(%x, i64[1]{0}) }",
           "graph(%x: f32[0,4]) -> (%y) { %a = softmax(%x) %y = concat(%a, %x) axis=0 }",
           "graph(%x: f32[3,0]) -> (%y) { %y = transpose(%x) perm=[1,0] }",
           "graph(%x: f32[2,0,3]) -> (%y) { %a = reshape(%x, i64[2]{3 0}) allowzero=1\n"
           "  %b = relu(%a) %y = add(%b, f32[1]{1}) }",
           "graph(%x: f32[1,3,0,2]) -> (%y) { %a = transpose(%x) perm=[0,2,3,1]\n"
           "  %b = sigmoid(%a) %y = reshape(%b, i64[2]{3 0}) allowzero=1 }",
       }) {
    const auto graph = parse_graph(text);
    ASSERT_TRUE(graph.ok()) << graph.error().message << text;
    const auto inputs = make_inputs(*graph, {}, 1);
    ASSERT_TRUE(inputs.ok()) << text;
    std::optional<Tensor> expected;
    for (const char* target : kTargets) {
      auto program =
          (*find_target(target))->open()->compile(std::move(*graph->clone()), {.threads = 1});
      ASSERT_TRUE(program.ok()) << target << ": " << program.error().message << text;
      const auto outputs = (*program)->run(*inputs);
      ASSERT_TRUE(outputs.ok()) << target << ": " << outputs.error().message << text;
      if (!expected) expected = (*outputs)[0].tensor;
      EXPECT_TRUE(compare((*outputs)[0].tensor, *expected).equal()) << target << text;
    }
  }
}

TEST(ConstantOutputs, MayBeStrings) {
  OnnxGraph graph;
  graph.inputs = {info("x", DType::F32, {1})};
  graph.initializers.emplace_back("names", Tensor::of<std::string>({2}, {"a", "b"}));
  graph.nodes = {node("Identity", {"x"}, {"y"})};
  graph.outputs = {info("y", DType::F32, {1}), info("names", DType::String, {2})};
  const OnnxModel model = model_of(std::move(graph));
  for (const char* target : kTargets) {
    const auto outputs = run_on(target, model, {Tensor::of<float>({1}, {3})});
    ASSERT_TRUE(outputs.ok()) << target << ": " << outputs.error().message;
    EXPECT_EQ((*outputs)[1].tensor.data<std::string>()[1], "b") << target;
  }
}

}  // namespace
}  // namespace hone
