#include "hone/quantize/recover/patches.h"

#include <gtest/gtest.h>

#include "hone/ops/interpreter.h"
#include "hone/quantize/recover/recover_testing.h"

namespace hone {
namespace {

// Every result of the node is its row of inputs times the weights.
void expect_rows_make_results(std::string_view op, const Shape& x_shape, const Shape& w_shape,
                              const Attrs& attrs) {
  Graph graph;
  Value* x = graph.add_input("x", ValueType(DType::F32, x_shape));
  Value* w = graph.add_constant("w", random_floats(w_shape, 1, 1));
  Node* node = add_inferred(graph, op, {x, w}, attrs, "node", nullptr);
  graph.add_output(node->outputs[0]);
  const Tensor input = random_floats(x_shape, 1, 2);
  const auto results = run_graph(graph, {input});
  ASSERT_TRUE(results.ok()) << results.error().message;
  const auto y = (*results)[0].tensor.data<float>();

  const auto layer = layer_of(*node);
  ASSERT_TRUE(layer);
  const auto patches = Patches::make(*layer, x_shape);
  ASSERT_TRUE(patches.ok()) << patches.error().message;
  EXPECT_EQ(patches->rows() * static_cast<int64_t>(layer->channels()),
            static_cast<int64_t>(y.size()));
  const auto weights = w->constant->data<float>();
  std::vector<float> inputs(layer->groups * layer->inputs);
  std::vector<float> outputs(layer->channels());
  for (int64_t row = 0; row < patches->rows(); ++row) {
    patches->read_inputs(input.data<float>(), row, inputs.data());
    patches->read_outputs(y, row, outputs.data());
    for (size_t c = 0; c < outputs.size(); ++c) {
      const size_t group = c / layer->outputs;
      float sum = 0;
      for (size_t i = 0; i < layer->inputs; ++i) {
        sum += inputs[group * layer->inputs + i] *
               weights[layer->weight_at(group, c % layer->outputs, i)];
      }
      ASSERT_NEAR(sum, outputs[c], 1e-4) << "row " << row << ", channel " << c;
    }
  }
}

TEST(Patches, OfConvolutionsMakeTheirResults) {
  expect_rows_make_results("conv", {2, 3, 7, 6}, {4, 3, 3, 2},
                           {{"pads", Ints{1, 0, 2, 1}}, {"strides", Ints{2, 1}}});
  expect_rows_make_results("conv", {1, 6, 5, 5}, {4, 3, 3, 3},
                           {{"group", int64_t{2}}, {"dilations", Ints{1, 2}}});
  expect_rows_make_results("conv", {1, 4, 6, 6}, {8, 1, 3, 3},
                           {{"group", int64_t{4}}, {"auto_pad", std::string("SAME_UPPER")}});
  expect_rows_make_results("conv", {2, 3, 9}, {5, 3, 4}, {{"strides", Ints{3}}});
  expect_rows_make_results("conv", {1, 2, 3, 4, 3}, {2, 2, 2, 2, 1}, {});
}

TEST(Patches, OfConvolutionsWithChannelsLastMakeTheirResults) {
  expect_rows_make_results(
      "conv", {2, 7, 6, 3}, {4, 3, 2, 3},
      {{"layout", std::string("nhwc")}, {"pads", Ints{1, 0, 2, 1}}, {"strides", Ints{2, 1}}});
  expect_rows_make_results("conv", {1, 5, 5, 6}, {4, 3, 3, 3},
                           {{"layout", std::string("nhwc")}, {"group", int64_t{2}}});
}

TEST(Patches, OfMatricesMakeTheirResults) {
  expect_rows_make_results("gemm", {5, 7}, {7, 3}, {});
  expect_rows_make_results("gemm", {5, 7}, {3, 7}, {{"transB", int64_t{1}}});
  expect_rows_make_results("matmul", {2, 5, 7}, {7, 3}, {});
}

TEST(SpreadRows, AreInOrderWithoutRepeatsAndTheSameForTheSameSeed) {
  const std::vector<int64_t> rows = spread_rows(1000, 64, 5);
  EXPECT_EQ(rows.size(), 64u);
  EXPECT_TRUE(std::ranges::is_sorted(rows));
  EXPECT_EQ(std::ranges::adjacent_find(rows), rows.end());
  EXPECT_LT(rows.back(), 1000);
  EXPECT_EQ(rows, spread_rows(1000, 64, 5));
  EXPECT_NE(rows, spread_rows(1000, 64, 6));
  EXPECT_EQ(spread_rows(3, 64, 5), (std::vector<int64_t>{0, 1, 2}));
}

}  // namespace
}  // namespace hone
