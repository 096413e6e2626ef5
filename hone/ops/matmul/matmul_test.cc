#include <cmath>

#include "hone/ops/testing.h"

namespace hone {
namespace {

Tensor counting(Shape shape) {
  std::vector<float> values(static_cast<size_t>(elements(shape)));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7);
  return Tensor::of<float>(std::move(shape), values);
}

TEST(Matmul, TakesVectorsAsRowsAndColumns) {
  const Tensor v = vector_of<float>({1, 2});
  const Tensor m = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  expect_tensor<float>(run_op("matmul", {v, m}), {3}, {9, 12, 15});
  expect_tensor<float>(run_op("matmul", {v, v}), {}, {5});
  expect_bad_input(run_op("matmul", {m, v}));
  expect_bad_input(run_op("matmul", {Tensor::scalar(1.0f), v}));
}

TEST(Matmul, BroadcastsBatchesAndTakesEmptyOnes) {
  const auto y = run_op("matmul", {counting({2, 1, 1, 2}), counting({3, 2, 1})});
  expect_tensor<float>(y, {2, 3, 1, 1}, {1, 3, 5, 3, 13, 23});
  expect_tensor<float>(run_op("matmul", {counting({2, 0}), counting({0, 2})}), {2, 2},
                       {0, 0, 0, 0});
  expect_tensor<float>(run_op("matmul", {counting({0, 2}), counting({2, 3})}), {0, 3}, {});
}

// Past the panels of 16 columns and 256 rows.
TEST(Matmul, SumsOverManyPanels) {
  const Tensor a = counting({5, 300});
  const Tensor b = counting({300, 19});
  const auto y = run_op("matmul", {a, b});
  ASSERT_TRUE(y.ok());
  for (size_t i = 0; i < 5 * 19; ++i) {
    float sum = 0;
    for (size_t k = 0; k < 300; ++k) {
      sum += a.data<float>()[i / 19 * 300 + k] * b.data<float>()[k * 19 + i % 19];
    }
    EXPECT_EQ(y->data<float>()[i], sum) << i;
  }
}

TEST(Matmul, WrapsIntegers) {
  const Tensor a = vector_of<int32_t>({INT32_MAX, 1});
  expect_tensor<int32_t>(run_op("matmul", {a, vector_of<int32_t>({2, 5})}), {}, {3});
}

TEST(Gemm, BroadcastsItsBias) {
  const Tensor a = counting({2, 2});  // 0 1 / 2 3
  const Tensor b = counting({2, 2});
  expect_tensor<float>(run_op("gemm", {a, b, Tensor::of<float>({2, 1}, {10, 20})}), {2, 2},
                       {12, 13, 26, 31});
  expect_tensor<float>(
      run_op("gemm", {a, b, Tensor::scalar(2.0f)},
             {{"alpha", 2.0}, {"beta", 0.5}, {"transA", int64_t{1}}, {"transB", int64_t{1}}}),
      {2, 2}, {5, 13, 7, 23});
  expect_tensor<float>(run_op("gemm", {a, b}, {{"activation", std::string("relu6")}}), {2, 2},
                       {2, 3, 6, 6});
  expect_tensor<float>(run_op("gemm", {counting({2, 0}), counting({0, 1}), Tensor::scalar(7.0f)}),
                       {2, 1}, {7, 7});
}

TEST(Gemm, RefusesWhatDoesNotFit) {
  const Tensor a = counting({2, 3});
  expect_bad_input(run_op("gemm", {a, a}));
  expect_bad_input(run_op("gemm", {a, vector_of<float>({1, 2, 3})}));
  expect_bad_input(run_op("gemm", {a, counting({3, 2}), counting({3})}));
  expect_bad_input(run_op("gemm", {a, counting({3, 1}), counting({2, 2})}));
  expect_bad_input(run_op("gemm", {a, counting({3, 1}), counting({1, 2, 1})}));
  const Tensor i = Tensor::of<int32_t>({1, 1}, {1});
  expect_unsupported(run_op("gemm", {i, i}, {{"alpha", 2.0}}));
}

TEST(Gemm, OldVersionsBroadcastByAttribute) {
  const auto y = run_onnx("Gemm", 6, {counting({1, 2}), counting({2, 2}), vector_of<float>({1, 2})},
                          {{"broadcast", int64_t{1}}});
  expect_tensor<float>(y, {1, 2}, {3, 5});
}

TEST(MatmulInteger, TakesZeroPointsPerRowAndColumn) {
  const Tensor a = Tensor::of<uint8_t>({2, 1}, {10, 10});
  const Tensor b = Tensor::of<int8_t>({1, 2}, {3, 3});
  expect_tensor<int32_t>(
      run_op("matmul_integer", {a, b, vector_of<uint8_t>({9, 8}), vector_of<int8_t>({0, 1})}),
      {2, 2}, {3, 2, 6, 4});
  expect_bad_input(run_op("matmul_integer", {a, b, vector_of<uint8_t>({1, 2, 3})}));
}

TEST(QlinearMatmul, RoundsTiesToEven) {
  const Tensor a = Tensor::of<int8_t>({1, 1}, {1});
  const Tensor b = Tensor::of<int8_t>({1, 4}, {1, 3, 5, 127});
  const Tensor zero = Tensor::scalar<int8_t>(0);
  const auto y =
      run_op("qlinear_matmul", {a, Tensor::scalar(0.5f), zero, b, Tensor::scalar(1.0f), zero,
                                Tensor::scalar(1.0f), Tensor::scalar<int8_t>(100)});
  expect_tensor<int8_t>(y, {1, 4}, {100, 102, 102, 127});
}

Result<Tensor> einsum(const char* equation, const std::vector<Tensor>& inputs) {
  return run_op("einsum", inputs, {{"equation", std::string(equation)}});
}

TEST(Einsum, ReadsImplicitOutputsDiagonalsAndEllipses) {
  const Tensor m = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  expect_tensor<float>(einsum("ii", {m}), {}, {5});
  expect_tensor<float>(einsum("ii->i", {m}), {2}, {1, 4});
  expect_tensor<float>(einsum("ba", {m}), {2, 2}, {1, 3, 2, 4});
  expect_tensor<float>(einsum(" ...i , i -> ... ", {m, vector_of<float>({1, 10})}), {2}, {21, 43});
  expect_tensor<float>(einsum("i...", {m}), {2, 2}, {1, 3, 2, 4});
  expect_tensor<float>(einsum("...,...", {m, Tensor::of<float>({1, 2}, {1, 10})}), {2, 2},
                       {1, 20, 3, 40});
  expect_tensor<float>(einsum("ij->", {Tensor::of<float>({0, 2}, {})}), {}, {0});
  expect_tensor<int8_t>(einsum("i,i", {vector_of<int8_t>({100}), vector_of<int8_t>({2})}), {},
                        {-56});
}

TEST(Einsum, RefusesWhatItCannotRead) {
  const Tensor m = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  for (const char* wrong : {"", "i", "ijk", "ij,jk", "ij->k", "ij->ii", "i1", "ij-", "......"}) {
    expect_bad_input(einsum(wrong, {m}));
  }
  expect_bad_input(einsum("ij,jk", {m, vector_of<float>({1})}));
  expect_bad_input(einsum("ij,j", {m, vector_of<float>({1, 2, 3})}));
}

TEST(Det, OfNoneIsOneAndOfASingularMatrixZero) {
  expect_tensor<float>(run_op("det", {Tensor::of<float>({0, 0}, {})}), {}, {1});
  expect_tensor<float>(run_op("det", {Tensor::of<float>({2, 2}, {0, 1, 1, 0})}), {}, {-1});
  expect_tensor<float>(run_op("det", {Tensor::of<float>({2, 2}, {1, 2, 2, 4})}), {}, {0});
  expect_bad_input(run_op("det", {Tensor::of<float>({1, 2}, {1, 2})}));
}

}  // namespace
}  // namespace hone
