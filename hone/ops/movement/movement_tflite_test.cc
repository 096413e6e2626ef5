#include "hone/ops/quant/quant_testing.h"

namespace hone {
namespace {

TEST(MovementTflite, JoinsBytesOfDifferentScalesInSinglePrecision) {
  // round(q * (0.5 / 0.25) - 10 * 2) + 3, and the second as it is.
  const Tensor a = quantized<uint8_t>({3}, {10, 13, 255}, quant(0.5f, 10));
  const Tensor b = quantized<uint8_t>({1}, {77}, quant(0.25f, 3));
  expect_tensor<uint8_t>(run_tflite({.op = "CONCATENATION",
                                     .inputs = {a, b},
                                     .outputs = {{DType::U8, {4}, quant(0.25f, 3)}},
                                     .computed = {0, 1}}),
                         {4}, {3, 9, 255, 77});
}

TEST(MovementTflite, MirrorsWithTheEdge) {
  const Tensor x = Tensor::of<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  expect_tensor<int32_t>(run_tflite({.op = "MIRROR_PAD",
                                     .inputs = {x, Tensor::of<int32_t>({2, 2}, {1, 0, 2, 1})},
                                     .outputs = {{DType::I32, {3, 6}}},
                                     .options = {{"mode", std::string("SYMMETRIC")}}}),
                         {3, 6}, {2, 1, 1, 2, 3, 3, 2, 1, 1, 2, 3, 3, 5, 4, 4, 5, 6, 6});
}

// x[..., newaxis, 1] of a 2x2x2 tensor.
TEST(MovementTflite, SlicesWithAnEllipsisAndNewAxes) {
  const Tensor x = Tensor::of<int32_t>({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  const Tensor zeros = vector_of<int32_t>({0, 0, 1});
  expect_tensor<int32_t>(run_tflite({.op = "STRIDED_SLICE",
                                     .inputs = {x, zeros, vector_of<int32_t>({0, 0, 2}),
                                                vector_of<int32_t>({1, 1, 1})},
                                     .outputs = {{DType::I32, {2, 2, 1}}},
                                     .options = {{"ellipsis_mask", int64_t{1}},
                                                 {"new_axis_mask", int64_t{2}},
                                                 {"shrink_axis_mask", int64_t{4}}}}),
                         {2, 2, 1}, {1, 3, 5, 7});
}

TEST(MovementTflite, MakesZerosRanksAndReversedSequences) {
  const Tensor x = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  expect_tensor<float>(
      run_tflite({.op = "ZEROS_LIKE", .inputs = {x}, .outputs = {{DType::F32, {2, 3}}}}), {2, 3},
      {0, 0, 0, 0, 0, 0});
  expect_tensor<int32_t>(run_tflite({.op = "RANK", .inputs = {x}, .outputs = {{DType::I32, {}}}}),
                         {}, {2});
  expect_tensor<float>(
      run_tflite({.op = "REVERSE_SEQUENCE",
                  .inputs = {x, vector_of<int32_t>({2, 3})},
                  .outputs = {{DType::F32, {2, 3}}},
                  .options = {{"seq_dim", int64_t{1}}, {"batch_dim", int64_t{0}}}}),
      {2, 3}, {2, 1, 3, 6, 5, 4});
}

TEST(IndexingTflite, GathersBehindSharedAxes) {
  const Tensor x = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor places = Tensor::of<int32_t>({2, 2}, {2, 0, 1, 1});
  TfliteCase test{.op = "GATHER",
                  .inputs = {x, places},
                  .outputs = {{DType::F32, {2, 2}}},
                  .options = {{"axis", int64_t{1}}, {"batch_dims", int64_t{1}}},
                  .computed = {0, 1}};
  expect_tensor<float>(run_tflite(test), {2, 2}, {3, 1, 5, 5});
  test.options["batch_dims"] = int64_t{-1};
  expect_tensor<float>(run_tflite(test), {2, 2}, {3, 1, 5, 5});
}

TEST(IndexingTflite, ScattersByAdding) {
  expect_tensor<float>(
      run_tflite({.op = "SCATTER_ND",
                  .inputs = {Tensor::of<int32_t>({3, 1}, {1, 3, 1}), vector_of<float>({10, 20, 5}),
                             vector_of<int32_t>({4})},
                  .outputs = {{DType::F32, {4}}},
                  .computed = {1}}),
      {4}, {0, 15, 0, 20});
  expect_tensor<float>(
      run_tflite({.op = "SPARSE_TO_DENSE",
                  .inputs = {Tensor::of<int32_t>({2, 1}, {0, 2}), vector_of<int32_t>({3}),
                             Tensor::scalar(7.0f), Tensor::scalar(-1.0f)},
                  .outputs = {{DType::F32, {3}}},
                  .computed = {2}}),
      {3}, {7, -1, 7});
}

TEST(IndexingTflite, LooksUpRowsAndFindsDifferentElements) {
  const Tensor table = quantized<int8_t>({2, 2}, {1, 2, 3, 4}, quant(0.5f));
  expect_tensor<float>(run_tflite({.op = "EMBEDDING_LOOKUP",
                                   .inputs = {vector_of<int32_t>({1, 0}), table},
                                   .outputs = {{DType::F32, {2, 2}}}}),
                       {2, 2}, {1.5f, 2, 0.5f, 1});
  const auto parts = run_case({.op = "UNIQUE",
                               .inputs = {vector_of<float>({5, 3, 5, 1})},
                               .outputs = {{DType::F32, {kUnknown}}, {DType::I32, {4}}}});
  ASSERT_TRUE(parts.ok()) << parts.error().message;
  expect_tensor<float>((*parts)[0].tensor, {3}, {5, 3, 1});
  expect_tensor<int32_t>((*parts)[1].tensor, {4}, {0, 1, 0, 2});
}

}  // namespace
}  // namespace hone
