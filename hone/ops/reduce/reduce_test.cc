#include <cmath>
#include <limits>

#include "hone/ops/testing.h"

namespace hone {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Tensor ints(const std::vector<int64_t>& values) {
  return Tensor::of_ints(values);
}

TEST(Reduce, OfNothingGivesTheNeutralElement) {
  const Tensor empty = Tensor::of<float>({2, 0}, {});
  const auto reduced = [&](const char* op) { return run_op(op, {empty, ints({1})}); };
  expect_tensor<float>(reduced("reduce_sum"), {2, 1}, {0, 0});
  expect_tensor<float>(reduced("reduce_prod"), {2, 1}, {1, 1});
  expect_tensor<float>(reduced("reduce_max"), {2, 1}, {-kInf, -kInf});
  expect_tensor<float>(reduced("reduce_min"), {2, 1}, {kInf, kInf});
  expect_tensor<float>(reduced("reduce_log_sum_exp"), {2, 1}, {-kInf, -kInf});
  expect_tensor<int32_t>(run_op("reduce_max", {Tensor::of<int32_t>({0}, {})}), {1},
                         {std::numeric_limits<int32_t>::min()});
  expect_bad_input(run_op("reduce_mean", {Tensor::of<int32_t>({0}, {})}));
}

TEST(Reduce, EmptyAxesMeanAllOrNone) {
  const Tensor x = vector_of<float>({-1, -2});
  expect_tensor<float>(run_op("reduce_l1", {x, ints({})}), {1}, {3});
  expect_tensor<float>(run_op("reduce_l1", {x, ints({})}, {{"noop_with_empty_axes", int64_t{1}}}),
                       {2}, {1, 2});
}

TEST(Reduce, WithoutAxesEveryElementIsAGroup) {
  const Attrs none{{"noop_with_empty_axes", int64_t{1}}};
  const auto each = [&](const char* op) { return run_op(op, {vector_of<float>({-1, 4})}, none); };
  expect_tensor<float>(each("reduce_l1"), {2}, {1, 4});
  expect_tensor<float>(each("reduce_l2"), {2}, {1, 4});
  expect_tensor<float>(each("reduce_sum_square"), {2}, {1, 16});
  expect_tensor<float>(each("reduce_log_sum_exp"), {2}, {-1, 4});
  for (const char* same :
       {"reduce_sum", "reduce_mean", "reduce_prod", "reduce_max", "reduce_min"}) {
    expect_tensor<float>(each(same), {2}, {-1, 4});
  }
  expect_tensor<float>(run_op("reduce_log_sum", {vector_of<float>({1, 0})}, none), {2}, {0, -kInf});
}

TEST(Reduce, OldVersionsHaveAxesAsAttribute) {
  const Tensor x = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  expect_tensor<float>(
      run_onnx("ReduceSum", 11, {x}, {{"axes", Ints{-2}}, {"keepdims", int64_t{0}}}), {2}, {4, 6});
}

TEST(Reduce, RefusesAxesOutsideOrRepeated) {
  const Tensor x = vector_of<float>({1, 2});
  expect_bad_input(run_op("reduce_sum", {x, ints({1})}));
  expect_bad_input(run_op("reduce_sum", {x, ints({0, -1})}));
}

TEST(Reduce, MeanOfIntegersDoesNotOverflow) {
  const int32_t big = std::numeric_limits<int32_t>::max();
  expect_tensor<int32_t>(run_op("reduce_mean", {vector_of<int32_t>({big, big})}), {1}, {big});
}

TEST(Reduce, LogSumExpSurvivesLargeAndInfiniteNumbers) {
  expect_tensor<double>(run_op("reduce_log_sum_exp", {vector_of<double>({1e4})}), {1}, {1e4});
  expect_tensor<float>(run_op("reduce_log_sum_exp", {vector_of<float>({-kInf, -kInf})}), {1},
                       {-kInf});
  expect_tensor<float>(run_op("reduce_log_sum_exp", {vector_of<float>({1, kInf})}), {1}, {kInf});
}

TEST(Reduce, MaxOfBooleansIsAny) {
  expect_tensor<bool>(
      run_op("reduce_max", {Tensor::of<bool>({2, 2}, {false, false, true, false}), ints({1})}),
      {2, 1}, {false, true});
}

TEST(ArgMax, TakesTheFirstOrTheLastAndNan) {
  const Tensor x = vector_of<float>({3, 7, 7, 1});
  expect_tensor<int64_t>(run_op("arg_max", {x}), {1}, {1});
  expect_tensor<int64_t>(run_op("arg_max", {x}, {{"select_last_index", int64_t{1}}}), {1}, {2});
  expect_tensor<int64_t>(run_op("arg_min", {vector_of<float>({3, kNan, 1})}), {1}, {1});
}

TEST(ArgMax, OfAnEmptyAxisIsRefused) {
  expect_bad_input(run_op("arg_max", {Tensor::of<float>({0, 2}, {})}));
  expect_tensor<int64_t>(run_op("arg_max", {Tensor::of<float>({2, 0}, {})}), {1, 0}, {});
}

TEST(TopK, OrdersNanFirstAndEqualOnesByPosition) {
  const Tensor x = vector_of<float>({1, kNan, 5, 5});
  const auto values = run_op("top_k", {x, ints({4})}, {}, 2);
  ASSERT_TRUE(values.ok());
  EXPECT_TRUE(std::isnan(values->data<float>()[0]));
  EXPECT_EQ(values->data<float>()[3], 1);
}

TEST(TopK, RefusesMoreThanThereIs) {
  const Tensor x = vector_of<float>({1, 2});
  expect_bad_input(run_op("top_k", {x, ints({3})}, {}, 2));
  expect_bad_input(run_op("top_k", {x, ints({-1})}, {}, 2));
  expect_bad_input(run_op("top_k", {x, ints({1, 1})}, {}, 2));
}

TEST(CumSum, RefusesAnAxisOutside) {
  expect_bad_input(run_op("cum_sum", {vector_of<float>({1, 2}), Tensor::scalar<int64_t>(1)}));
}

TEST(CumProd, RunsForwardsAndBackwards) {
  const Tensor x = vector_of<int32_t>({2, 3, 4});
  const Tensor axis = Tensor::scalar<int64_t>(0);
  const auto run = [&](int64_t exclusive, int64_t reverse) {
    return run_op("cum_prod", {x, axis}, {{"exclusive", exclusive}, {"reverse", reverse}});
  };
  expect_tensor<int32_t>(run(0, 0), {3}, {2, 6, 24});
  expect_tensor<int32_t>(run(1, 0), {3}, {1, 2, 6});
  expect_tensor<int32_t>(run(0, 1), {3}, {24, 12, 4});
  expect_tensor<int32_t>(run(1, 1), {3}, {12, 4, 1});
}

}  // namespace
}  // namespace hone
