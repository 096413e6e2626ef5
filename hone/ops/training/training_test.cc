#include "hone/ops/testing.h"

namespace hone {
namespace {

Tensor scalar(float value) {
  return Tensor::scalar(value);
}

TEST(Optimizers, RefuseTensorsThatDoNotFit) {
  const Tensor rate = scalar(0.1f), step = Tensor::scalar<int64_t>(0);
  const Tensor x = vector_of<float>({1, 2});
  EXPECT_TRUE(run_op("adagrad", {rate, step, x, x, x}, {}, 2).ok());
  expect_bad_input(run_op("adagrad", {rate, step, x, x}, {}, 2));
  expect_bad_input(run_op("adagrad", {rate, step, x, x, vector_of<float>({1})}, {}, 2));
  expect_bad_input(run_op("adagrad", {rate, step, x, x, x}, {}, 3));
  expect_bad_input(run_op("adagrad", {x, step, x, x, x}, {}, 2));
  expect_bad_input(run_op(
      "momentum", {rate, step, x, x, x},
      {{"alpha", 0.9}, {"beta", 1.0}, {"mode", std::string("?")}, {"norm_coefficient", 0.0}}, 2));
}

// The gradients of %y by %a and %b in a graph of those two scalars, or why there are none.
Result<std::vector<double>> gradient(std::string_view nodes, float a, float b,
                                     std::string_view type = "f32[]") {
  HONE_TRY(Graph graph,
           parse_graph(str("graph(%a: ", type, ", %b: ", type, ") -> () {", nodes, "}")));
  const auto match = find_onnx_op("Gradient", "ai.onnx.preview.training");
  OnnxImport in{.graph = graph,
                .name = "gradient",
                .op_type = "Gradient",
                .opset = 1,
                .inputs = {graph.find_value("a"), graph.find_value("b")},
                .attrs = {{"xs", Strings{"a", "b"}}, {"y", std::string("y")}},
                .outputs = 2,
                .op = "gradient"};
  HONE_RETURN_IF_ERROR(match->rule->upgrade(in));
  for (Value* result : in.results) graph.add_output(result);
  HONE_TRY(const InferredTypes inferred, infer_types(graph));
  HONE_TRY(const std::vector<Item> items, run_graph(graph, {scalar(a), scalar(b)}));
  return std::vector<double>{to_doubles(items[0].tensor)[0], to_doubles(items[1].tensor)[0]};
}

TEST(Gradient, DifferentiatesArithmetic) {
  const auto expect = [](std::string_view nodes, std::vector<double> wanted) {
    const auto found = gradient(nodes, 2, 4);
    ASSERT_TRUE(found.ok()) << nodes << ": " << found.error().message;
    EXPECT_EQ(*found, wanted) << nodes;
  };
  expect("%y = add(%a, %b)", {1, 1});
  expect("%y = sub(%a, %b)", {1, -1});
  expect("%y = mul(%a, %b)", {4, 2});
  expect("%y = div(%a, %b)", {0.25, -0.125});
  expect("%y = mul(%a, %a)", {4, 0});
  expect("%c = mul(%a, %b) %d = neg(%c) %y = mul(%d, %a)", {-16, -4});
  expect("%c = log(%b) %y = sub(%c, f32[]{1})", {0, 0.25});
  expect("%y = neg(f32[]{1})", {0, 0});
}

TEST(Gradient, RefusesWhatItCannotDifferentiate) {
  expect_unsupported(gradient("%y = floor(%a)", 2, 4));
  expect_unsupported(gradient("%y = add(%a, f32[1]{1})", 2, 4));
  expect_unsupported(gradient("%y = add(%a, %b) activation=\"relu\"", 2, 4));
  expect_unsupported(gradient("%z = add(%a, %b)", 2, 4));
  expect_unsupported(gradient("%y = add(%a, %b)", 2, 4, "f32[2]"));
  expect_unsupported(gradient("%y = add(%a, %b)", 2, 4, "f32[?]"));
  // What y does not need may be anything.
  EXPECT_TRUE(gradient("%z = floor(%a) %y = add(%a, %b)", 2, 4).ok());
}

}  // namespace
}  // namespace hone
