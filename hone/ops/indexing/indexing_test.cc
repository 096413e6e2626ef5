#include <limits>

#include "hone/ops/testing.h"

namespace hone {
namespace {

Tensor ints(const std::vector<int64_t>& values) {
  return Tensor::of_ints(values);
}

TEST(Gather, RefusesIndicesOutside) {
  const Tensor x = vector_of<float>({1, 2, 3});
  for (const int64_t index : {int64_t{3}, int64_t{-4}, std::numeric_limits<int64_t>::min()}) {
    expect_bad_input(run_op("gather", {x, ints({index})}));
    expect_bad_input(run_op("gather_elements", {x, ints({index})}));
    expect_bad_input(run_op("gather_nd", {x, ints({index})}));
    expect_bad_input(run_op("scatter_elements", {x, ints({index}), vector_of<float>({0})}));
    expect_bad_input(run_op("scatter_nd", {x, ints({index}), Tensor::scalar(0.0f)}));
  }
}

TEST(Gather, OfAnEmptyAxisIsRefused) {
  expect_bad_input(run_op("gather", {Tensor::of<float>({0}, {}), ints({0})}));
  expect_tensor<float>(run_op("gather", {Tensor::of<float>({0}, {}), ints({})}), {0}, {});
}

TEST(Gather, AScalarIndexTakesTheAxisAway) {
  const Tensor x = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  expect_tensor<float>(run_op("gather", {x, Tensor::scalar<int32_t>(-1)}, {{"axis", int64_t{1}}}),
                       {2}, {2, 4});
}

TEST(GatherElements, RefusesIndicesThatReachBeyond) {
  const Tensor x = Tensor::of<float>({1, 2}, {1, 2});
  expect_bad_input(
      run_op("gather_elements", {x, Tensor::of<int64_t>({2, 1}, {0, 0})}, {{"axis", int64_t{1}}}));
  expect_bad_input(run_op("gather_elements", {x, ints({0})}));
}

TEST(GatherNd, RefusesBatchesThatDisagree) {
  const Tensor x = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  expect_bad_input(
      run_op("gather_nd", {x, Tensor::of<int64_t>({1, 1}, {0})}, {{"batch_dims", int64_t{1}}}));
  expect_bad_input(run_op("gather_nd", {x, ints({0, 0, 0})}));
  expect_bad_input(run_op("gather_nd", {x, ints({0})}, {{"batch_dims", int64_t{-1}}}));
}

TEST(ScatterElements, CombinesRepeatedIndices) {
  const std::vector<Tensor> inputs = {vector_of<int32_t>({1, 2}), ints({0, 0}),
                                      vector_of<int32_t>({5, -3})};
  const auto scatter = [&](const char* reduction) {
    return run_op("scatter_elements", inputs, {{"reduction", std::string(reduction)}});
  };
  expect_tensor<int32_t>(scatter("none"), {2}, {-3, 2});
  expect_tensor<int32_t>(scatter("add"), {2}, {3, 2});
  expect_tensor<int32_t>(scatter("mul"), {2}, {-15, 2});
  expect_tensor<int32_t>(scatter("max"), {2}, {5, 2});
  expect_tensor<int32_t>(scatter("min"), {2}, {-3, 2});
  expect_unsupported(scatter("mean"));
}

TEST(ScatterElements, LeavesItsInputAlone) {
  const Tensor x = vector_of<float>({1, 2});
  expect_tensor<float>(run_op("scatter_elements", {x, ints({1}), vector_of<float>({9})}), {2},
                       {1, 9});
  EXPECT_EQ(x.data<float>()[1], 2);
}

TEST(ScatterElements, RefusesToAddStrings) {
  const Tensor x = vector_of<std::string>({"a"});
  expect_unsupported(
      run_op("scatter_elements", {x, ints({0}), x}, {{"reduction", std::string("add")}}));
}

TEST(ScatterNd, RefusesUpdatesOfAnotherShape) {
  const Tensor x = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  expect_bad_input(
      run_op("scatter_nd", {x, Tensor::of<int64_t>({1, 1}, {0}), vector_of<float>({1})}));
}

TEST(OneHot, LeavesIndicesOutsideOff) {
  expect_tensor<int8_t>(run_op("one_hot", {vector_of<float>({-1, 2, 9}), Tensor::scalar<int64_t>(3),
                                           vector_of<int8_t>({0, 1})}),
                        {3, 3}, {0, 0, 1, 0, 0, 1, 0, 0, 0});
  expect_bad_input(run_op("one_hot", {ints({0}), Tensor::scalar<int64_t>(-1), ints({0, 1})}));
}

TEST(NonZero, OfAScalarHasNoRows) {
  expect_tensor<int64_t>(run_op("non_zero", {Tensor::scalar(1.0f)}), {0, 1}, {});
}

TEST(Compress, RefusesAConditionThatReachesBeyond) {
  expect_bad_input(
      run_op("compress", {vector_of<float>({1}), Tensor::of<bool>({2}, {false, true})}));
  expect_tensor<float>(
      run_op("compress", {vector_of<float>({1, 2}), Tensor::of<bool>({1}, {true})}), {1}, {1});
}

TEST(Unique, SortsOrKeepsTheOrderOfAppearance) {
  const Tensor x = vector_of<std::string>({"b", "a", "b"});
  expect_tensor<std::string>(run_op("unique", {x}), {2}, {"a", "b"});
  expect_tensor<std::string>(run_op("unique", {x}, {{"sorted", int64_t{0}}}), {2}, {"b", "a"});
  expect_tensor<float>(run_op("unique", {Tensor::of<float>({0}, {})}), {0}, {});
}

}  // namespace
}  // namespace hone
