#include <cmath>

#include "hone/ops/testing.h"

namespace hone {
namespace {

const Tensor& scores() {
  static const Tensor x = Tensor::of<float>({2, 2}, {-1, -2, -3, -4});
  return x;
}

Result<Tensor> nll(const Ints& labels, Attrs attrs = {}) {
  return run_op("negative_log_likelihood_loss", {scores(), Tensor::of_ints(labels)},
                std::move(attrs));
}

TEST(CrossEntropy, IgnoredLabelsMayBeAnything) {
  expect_tensor<float>(nll({0, 1}), {}, {2.5f});
  expect_tensor<float>(nll({0, -7}, {{"ignore_index", int64_t{-7}}}), {}, {1});
  expect_tensor<float>(
      nll({0, 99}, {{"ignore_index", int64_t{99}}, {"reduction", std::string("none")}}), {2},
      {1, 0});
  expect_bad_input(nll({0, 2}));
  expect_bad_input(nll({-1, 0}));
}

TEST(CrossEntropy, WeightsDivideTheMean) {
  expect_tensor<float>(run_op("negative_log_likelihood_loss",
                              {scores(), Tensor::of_ints({0, 1}), vector_of<float>({3, 1})}),
                       {}, {1.75f});
}

TEST(CrossEntropy, RefusesShapesThatDoNotFit) {
  const Tensor labels = Tensor::of_ints({0, 1});
  for (const char* op : {"negative_log_likelihood_loss", "softmax_cross_entropy_loss"}) {
    expect_bad_input(run_op(op, {scores(), Tensor::of_ints({0, 1, 1})}));
    expect_bad_input(run_op(op, {scores(), labels, vector_of<float>({1, 2, 3})}));
    expect_bad_input(run_op(op, {vector_of<float>({1, 2}), labels}));
    expect_bad_input(run_op(op, {scores(), labels}, {{"reduction", std::string("max")}}));
  }
}

TEST(CrossEntropy, LargeScoresDoNotOverflow) {
  const Tensor x = Tensor::of<float>({1, 2}, {1000, 1000});
  const Result<Tensor> loss = run_op("softmax_cross_entropy_loss", {x, Tensor::of_ints({0})});
  ASSERT_TRUE(loss.ok());
  EXPECT_FLOAT_EQ(loss->data<float>()[0], std::log(2.0f));
}

TEST(CrossEntropy, NothingHasNoMeanButASum) {
  const Tensor x = Tensor::of<float>({0, 2}, {});
  const Result<Tensor> mean = run_op("softmax_cross_entropy_loss", {x, Tensor::of_ints({})});
  ASSERT_TRUE(mean.ok());
  EXPECT_TRUE(std::isnan(mean->data<float>()[0]));
  expect_tensor<float>(run_op("softmax_cross_entropy_loss", {x, Tensor::of_ints({})},
                              {{"reduction", std::string("sum")}}),
                       {}, {0});
}

}  // namespace
}  // namespace hone
