#include <cmath>

#include "hone/ops/testing.h"

namespace hone {
namespace {

// One head of one element: [1, 1, n, 1].
Tensor head(const std::vector<float>& values) {
  return Tensor::of<float>({1, 1, static_cast<int64_t>(values.size()), 1}, values);
}

const Attrs kCausal{{"is_causal", int64_t{1}}};

TEST(Attention, MixesValuesByTheirScores) {
  expect_tensor<float>(run_op("attention", {head({0}), head({1, 2}), head({10, 20})}), {1, 1, 1, 1},
                       {15});
  expect_tensor<float>(run_op("attention", {head({0, 0}), head({1, 2}), head({10, 20})}, kCausal),
                       {1, 1, 2, 1}, {10, 15});
}

TEST(Attention, APastComesFirstAndIsSeenByAll) {
  const std::vector<Tensor> inputs{head({0, 0}), head({1, 2}), head({10, 40}),
                                   Tensor(),     head({0}),    head({20})};
  expect_tensor<float>(run_op("attention", inputs, kCausal), {1, 1, 2, 1}, {15, 70.0f / 3});
  std::vector<Tensor> half = inputs;
  half.pop_back();
  expect_bad_input(run_op("attention", half, kCausal));
}

TEST(Attention, MasksBroadcastAndMayBeShort) {
  const auto run = [](const Tensor& mask) {
    return run_op("attention", {head({0, 0}), head({1, 2}), head({10, 20}), mask});
  };
  expect_tensor<float>(run(Tensor::of<bool>({1, 2}, {false, true})), {1, 1, 2, 1}, {20, 20});
  expect_tensor<float>(run(Tensor::of<float>({2, 1}, {5, 5})), {1, 1, 2, 1}, {10, 10});
  expect_bad_input(run(Tensor::of<float>({3, 2}, {0, 0, 0, 0, 0, 0})));
  expect_bad_input(run(Tensor::of<float>({1, 3}, {0, 0, 0})));
}

TEST(Attention, QueryHeadsShareKeyHeads) {
  const Tensor q = Tensor::of<float>({1, 1, 4}, {0, 0, 0, 0});
  const Tensor k = Tensor::of<float>({1, 1, 2}, {1, 1});
  const Tensor v = Tensor::of<float>({1, 1, 2}, {10, 20});
  const Attrs heads{{"q_num_heads", int64_t{4}}, {"kv_num_heads", int64_t{2}}};
  expect_tensor<float>(run_op("attention", {q, k, v}, heads), {1, 1, 4}, {10, 10, 20, 20});
  expect_bad_input(run_op("attention", {q, k, v}));
  expect_bad_input(
      run_op("attention", {q, k, v}, {{"q_num_heads", int64_t{3}}, {"kv_num_heads", int64_t{2}}}));
}

TEST(Attention, RefusesWhatVersionsReadDifferently) {
  const std::vector<Tensor> inputs{head({0}), head({1}), head({10})};
  expect_unsupported(run_op("attention", inputs, {{"is_causal", int64_t{1}}, {"softcap", 2.0}}));
  expect_unsupported(run_op("attention", inputs,
                            {{"is_causal", int64_t{1}}, {"qk_matmul_output_mode", int64_t{1}}}, 4));
  EXPECT_TRUE(run_op("attention", inputs, {{"softcap", 2.0}}).ok());
}

TEST(RotaryEmbedding, RotatesHalvesOrNeighbours) {
  const Tensor x = Tensor::of<float>({1, 1, 1, 5}, {1, 2, 3, 4, 9});
  const Tensor cosines = Tensor::of<float>({2, 2}, {1, 1, 0, 0});
  const Tensor sines = Tensor::of<float>({2, 2}, {0, 0, 1, 1});
  const auto run = [&](int64_t position, int64_t interleaved) {
    return run_op("rotary_embedding", {x, cosines, sines, Tensor::of<int64_t>({1, 1}, {position})},
                  {{"rotary_embedding_dim", int64_t{4}}, {"interleaved", interleaved}});
  };
  expect_tensor<float>(run(0, 0), {1, 1, 1, 5}, {1, 2, 3, 4, 9});
  expect_tensor<float>(run(1, 0), {1, 1, 1, 5}, {-3, -4, 1, 2, 9});
  expect_tensor<float>(run(1, 1), {1, 1, 1, 5}, {-2, 1, -4, 3, 9});
  expect_bad_input(run(2, 0));
  expect_bad_input(run(-1, 0));
  expect_bad_input(run_op("rotary_embedding", {x, cosines, sines}));
}

}  // namespace
}  // namespace hone
