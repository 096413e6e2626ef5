#include <algorithm>
#include <cmath>

#include "hone/ops/testing.h"

namespace hone {
namespace {

Attrs many(Attrs attrs = {}) {
  attrs["shape"] = Ints{100, 100};
  return attrs;
}

std::vector<double> drawn(std::string_view op, Attrs attrs) {
  const Result<Tensor> result = run_op(op, {}, std::move(attrs));
  EXPECT_TRUE(result.ok()) << result.error().message;
  return to_doubles(*result);
}

TEST(Random, UniformFillsItsRange) {
  const std::vector<double> x = drawn("random_uniform", many({{"low", -1.0}, {"high", 3.0}}));
  EXPECT_GE(std::ranges::min(x), -1);
  EXPECT_LT(std::ranges::max(x), 3);
  double sum = 0;
  for (const double value : x) sum += value;
  EXPECT_NEAR(sum / 1e4, 1, 0.05);
}

TEST(Random, NormalHasItsMeanAndDeviation) {
  double sum = 0, squares = 0;
  for (const double value : drawn("random_normal", many({{"mean", 5.0}, {"scale", 2.0}}))) {
    sum += value - 5;
    squares += (value - 5) * (value - 5);
  }
  EXPECT_NEAR(sum / 1e4, 0, 0.1);
  EXPECT_NEAR(squares / 1e4, 4, 0.2);
}

TEST(Random, ASeedRepeatsAndAnotherDiffers) {
  const auto with = [](double seed) { return drawn("random_normal", many({{"seed", seed}})); };
  EXPECT_EQ(with(1), with(1));
  EXPECT_NE(with(1), with(2));
}

TEST(Random, TwoNodesOfOneGraphDiffer) {
  const auto items = run_text(
      "graph() -> (%a, %b) { %a = random_normal() shape=[4] %b = random_normal() shape=[4] }");
  ASSERT_TRUE(items.ok());
  EXPECT_NE(to_doubles((*items)[0].tensor), to_doubles((*items)[1].tensor));
}

TEST(Random, RefusesShapesAndTypesThatCannotBe) {
  expect_bad_input(run_op("random_normal", {}, {{"shape", Ints{-1}}}));
  expect_bad_input(run_op("random_normal", {}, {{"shape", Ints{INT64_MAX, 2}}}));
  expect_unsupported(run_op("random_uniform", {}, many({{"dtype", DType::I32}})));
  expect_unsupported(run_op("random_uniform_like", {vector_of<int32_t>({1})}));
  EXPECT_TRUE(
      run_op("random_uniform_like", {vector_of<int32_t>({1})}, {{"dtype", DType::F16}}).ok());
}

TEST(Bernoulli, IsCertainAtZeroAndOne) {
  expect_tensor<bool>(
      run_op("bernoulli", {vector_of<float>({0, 1, 0, 1})}, {{"dtype", DType::Bool}}), {4},
      {false, true, false, true});
}

TEST(Multinomial, DrawsOnlyWhatCanBe) {
  const Tensor x = Tensor::of<float>({2, 3}, {-INFINITY, 0, -INFINITY, 1000, -1000, -1000});
  expect_tensor<int32_t>(run_op("multinomial", {x}, {{"sample_size", int64_t{2}}}), {2, 2},
                         {1, 1, 0, 0});
  const Tensor impossible = Tensor::of<float>({1, 2}, {-INFINITY, -INFINITY});
  expect_bad_input(run_op("multinomial", {impossible}));
  expect_bad_input(run_op("multinomial", {Tensor::of<float>({1, 0}, {})}));
  expect_bad_input(run_op("multinomial", {x}, {{"sample_size", int64_t{-1}}}));
}

}  // namespace
}  // namespace hone
