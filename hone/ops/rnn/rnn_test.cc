#include <cmath>

#include "hone/ops/testing.h"

namespace hone {
namespace {

// One input, one hidden unit, identity activation: h = x + h.
const Strings kLinear{"Affine"};
const Tensor kOne = Tensor::of<float>({1, 1, 1}, {1});

Tensor steps(const std::vector<float>& values) {
  return Tensor::of<float>({static_cast<int64_t>(values.size()), 1, 1}, values);
}

TEST(Rnn, RunsBackwardsAndStopsAtTheLength) {
  const Tensor x = steps({1, 2, 4});
  const auto run = [&](const char* direction, const Tensor& lengths) {
    return run_op("rnn", {x, kOne, kOne, Tensor(), lengths},
                  {{"activations", kLinear}, {"direction", std::string(direction)}});
  };
  expect_tensor<float>(run("forward", Tensor()), {3, 1, 1, 1}, {1, 3, 7});
  expect_tensor<float>(run("reverse", Tensor()), {3, 1, 1, 1}, {7, 6, 4});
  expect_tensor<float>(run("forward", vector_of<int32_t>({2})), {3, 1, 1, 1}, {1, 3, 0});
  expect_tensor<float>(run("reverse", vector_of<int32_t>({2})), {3, 1, 1, 1}, {3, 2, 0});
  expect_tensor<float>(run("reverse", vector_of<int32_t>({0})), {3, 1, 1, 1}, {0, 0, 0});
  expect_bad_input(run("forward", vector_of<int32_t>({4})));
  expect_bad_input(run("forward", vector_of<int32_t>({-1})));
  expect_bad_input(run("sideways", Tensor()));
}

TEST(Rnn, RunsBothWaysInEitherLayout) {
  const Tensor two = Tensor::of<float>({2, 1, 1}, {1, 1});
  Attrs attrs{{"activations", Strings{"Affine", "Affine"}},
              {"direction", std::string("bidirectional")},
              {"hidden_size", int64_t{1}}};
  expect_tensor<float>(run_op("rnn", {steps({1, 2}), two, two}, attrs), {2, 2, 1, 1}, {1, 3, 3, 2});
  attrs["layout"] = int64_t{1};
  expect_tensor<float>(run_op("rnn", {Tensor::of<float>({1, 2, 1}, {1, 2}), two, two}, attrs),
                       {1, 2, 2, 1}, {1, 3, 3, 2});
}

TEST(Rnn, ConsumesAlphasAndClips) {
  const auto run = [&](Attrs attrs) {
    return run_op("rnn", {steps({-4}), kOne, kOne}, std::move(attrs));
  };
  expect_tensor<float>(
      run({{"activations", Strings{"LeakyRelu"}}, {"activation_alpha", Floats{0.5}}}), {1, 1, 1, 1},
      {-2});
  expect_tensor<float>(run({{"activations", Strings{"Affine"}},
                            {"activation_alpha", Floats{2}},
                            {"activation_beta", Floats{1}},
                            {"clip", 3.0}}),
                       {1, 1, 1, 1}, {-5});
  expect_bad_input(run({{"activations", Strings{"Relu"}}, {"activation_alpha", Floats{1, 2}}}));
  expect_bad_input(run({{"activations", Strings{"ScaledTanh"}}}));
  expect_bad_input(run({{"activations", Strings{"Relu", "Relu"}}}));
  expect_unsupported(run({{"activations", Strings{"Gelu"}}}));
  expect_bad_input(run({{"clip", -1.0}}));
}

TEST(Rnn, RefusesShapesThatDoNotFit) {
  const Tensor x = steps({1});
  expect_bad_input(run_op("rnn", {x, Tensor::of<float>({1, 2, 1}, {1, 1}), kOne}));
  expect_bad_input(run_op("rnn", {x, kOne, kOne, vector_of<float>({1, 1})}));
  expect_bad_input(run_op("rnn", {x, kOne, kOne}, {{"hidden_size", int64_t{2}}}));
  expect_bad_input(run_op("rnn", {x, kOne, kOne}, {{"hidden_size", INT64_MAX}}));
  expect_bad_input(run_op("rnn", {vector_of<float>({1}), kOne, kOne}));
  expect_bad_input(run_op("lstm", {x, kOne, kOne}));
  expect_tensor<float>(run_op("rnn", {steps({}), kOne, kOne}), {0, 1, 1, 1}, {});
}

TEST(Gru, ResetsBeforeOrAfterTheProduct) {
  // z = 0, r = 0.5, n = x + (r * h) or r * (h + 2), through identities.
  const Tensor w = Tensor::of<float>({1, 3, 1}, {0, 0, 1});
  const Tensor r = Tensor::of<float>({1, 3, 1}, {0, 0, 1});
  const Tensor b = Tensor::of<float>({1, 6}, {0, 0.5f, 0, 0, 0, 2});
  const Tensor h = Tensor::of<float>({1, 1, 1}, {10});
  const auto run = [&](int64_t linear) {
    return run_op("gru", {steps({1}), w, r, b, Tensor(), h},
                  {{"activations", Strings{"Affine", "Affine"}}, {"linear_before_reset", linear}});
  };
  expect_tensor<float>(run(0), {1, 1, 1, 1}, {8});
  expect_tensor<float>(run(1), {1, 1, 1, 1}, {7});
}

TEST(Lstm, CouplesInputAndForget) {
  // i = 0.25, o = 1, n = 4; the cell starts at 8.
  const Tensor w = Tensor::of<float>({1, 4, 1}, {0, 0, 0, 0});
  const Tensor b = Tensor::of<float>({1, 8}, {0.25f, 1, 1, 4, 0, 0, 0, 0});
  const Tensor state = Tensor::of<float>({1, 1, 1}, {8});
  const auto run = [&](int64_t coupled) {
    return run_op(
        "lstm", {steps({1}), w, w, b, Tensor(), state, state},
        {{"activations", Strings{"Affine", "Affine", "Affine"}}, {"input_forget", coupled}});
  };
  expect_tensor<float>(run(0), {1, 1, 1, 1}, {9});
  expect_tensor<float>(run(1), {1, 1, 1, 1}, {7});
}

}  // namespace
}  // namespace hone
