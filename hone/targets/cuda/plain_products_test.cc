#include "hone/targets/cuda/plain_products.h"

#include <gtest/gtest.h>

#include <random>

#include "hone/ops/interpreter.h"
#include "hone/ops/op_case.h"
#include "hone/tensor/compare.h"

namespace hone::cuda {
namespace {

// Gives what there was before, in `changes` products that are changed.
void expect_same(std::string_view op, std::string_view text, int changes) {
  SCOPED_TRACE(text);
  Result<Graph> graph = graph_of_case(op, text);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  std::mt19937 random(5);
  std::vector<Item> inputs;
  for (const Value* input : graph->inputs()) {
    Tensor tensor(input->type.tensor);
    for (float& value : tensor.mutable_data<float>()) {
      value = static_cast<float>(random() % 1000) / 500 - 1;
    }
    inputs.emplace_back(std::move(tensor));
  }
  const auto before = run_graph(*graph, inputs);
  ASSERT_TRUE(before.ok()) << before.error().message;
  EXPECT_EQ(plain_products(*graph), changes);
  ASSERT_TRUE(verify(*graph).ok()) << verify(*graph).error().message;
  const auto after = run_graph(*graph, inputs);
  ASSERT_TRUE(after.ok()) << after.error().message;
  const Difference difference = compare((*after)[0].tensor, (*before)[0].tensor);
  ASSERT_TRUE(difference.comparable) << difference.what;
  EXPECT_LE(difference.max_abs, 1e-5);
}

TEST(PlainProducts, SpreadMatrices) {
  expect_same("matmul", "(f32[2,3,4], f32[2,4,5])", 0);
  expect_same("matmul", "(f32[2,3,4], f32[4,5])", 0);
  expect_same("matmul", "(f32[2,3,4], f32[1,4,5])", 1);
  expect_same("matmul", "(f32[3,4], f32[2,4,5])", 1);
  expect_same("matmul", "(f32[2,1,3,4], f32[1,6,4,5])", 1);
  expect_same("matmul", "(f32[2,3,4], f32[5,1,4,5])", 1);
}

TEST(PlainProducts, MakeMatricesOfVectors) {
  expect_same("matmul", "(f32[4], f32[4,5])", 1);
  expect_same("matmul", "(f32[2,3,4], f32[4])", 1);
  expect_same("matmul", "(f32[4], f32[2,4,5])", 1);
  expect_same("matmul", "(f32[4], f32[4])", 1);
}

TEST(PlainProducts, TurnAndAddApart) {
  expect_same("gemm", "(f32[3,4], f32[4,5], const f32[5])", 0);
  expect_same("gemm", "(f32[4,3], f32[4,5]) transA=1 alpha=0.5", 1);
  expect_same("gemm", "(f32[3,4], f32[5,4], f32[3,1]) transB=1 beta=2.0", 1);
  expect_same("gemm", "(f32[3,4], f32[4,5], f32[3,5])", 1);
  expect_same("gemm", "(f32[3,4], f32[4,5], const f32[5]) beta=0.25", 1);
}

}  // namespace
}  // namespace hone::cuda
