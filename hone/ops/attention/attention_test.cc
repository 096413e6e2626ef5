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

TEST(Attention, ARowThatSeesNoKeyIsZero) {
  const Tensor none = Tensor::of<bool>({2, 2}, {false, false, true, true});
  expect_tensor<float>(run_op("attention", {head({0, 0}), head({1, 2}), head({10, 20}), none}),
                       {1, 1, 2, 1}, {0, 15});
}

TEST(Attention, ScoresAreCappedBeforeTheyAreMasked) {
  const Attrs capped{{"softcap", 2.0}};
  const Tensor second = Tensor::of<bool>({1, 2}, {false, true});
  expect_tensor<float>(
      run_op("attention", {head({1}), head({100, 100}), head({10, 20}), second}, capped),
      {1, 1, 1, 1}, {20});
}

TEST(Attention, QueriesStandAtTheEndOfAFilledCache) {
  const std::vector<Tensor> inputs{
      head({0, 0}), head({1, 2, 3, 4}), head({10, 20, 30, 40}), Tensor(),
      Tensor(),     Tensor(),           vector_of<int64_t>({3})};
  expect_tensor<float>(run_op("attention", inputs), {1, 1, 2, 1}, {20, 20});
  expect_tensor<float>(run_op("attention", inputs, kCausal), {1, 1, 2, 1}, {15, 20});
}

// Of ONNX Runtime: one head of one element, [1, n, 1].
Tensor rows(const std::vector<float>& values) {
  return Tensor::of<float>({1, static_cast<int64_t>(values.size()), 1}, values);
}

const Attrs kOneHead{{"num_heads", int64_t{1}}};

TEST(MultiHeadAttention, MasksWhatThePaddingHides) {
  const std::vector<Tensor> inputs{rows({0}), rows({1, 2, 3}), rows({10, 20, 90})};
  expect_tensor<float>(run_ort("MultiHeadAttention", inputs, kOneHead), {1, 1, 1}, {40});
  std::vector<Tensor> masked = inputs;
  masked.resize(4);
  masked.push_back(Tensor::of<int32_t>({1, 3}, {1, 1, 0}));
  expect_tensor<float>(run_ort("MultiHeadAttention", masked, kOneHead), {1, 1, 1}, {15});
  masked[4] = vector_of<int32_t>({2});
  expect_tensor<float>(run_ort("MultiHeadAttention", masked, kOneHead), {1, 1, 1}, {15});
  masked[4] = Tensor();
  masked.push_back(Tensor::of<float>({1, 1, 1, 3}, {0, 0, -INFINITY}));
  expect_tensor<float>(run_ort("MultiHeadAttention", masked, kOneHead), {1, 1, 1}, {15});
  expect_bad_input(run_ort("MultiHeadAttention", inputs));
}

TEST(MultiHeadAttention, AddsBiasesAndTakesPackedOperands) {
  const Tensor bias = vector_of<float>({0, 0, 5});
  expect_tensor<float>(
      run_ort("MultiHeadAttention", {rows({0}), rows({1, 2}), rows({10, 20}), bias}, kOneHead),
      {1, 1, 1}, {20});
  const Tensor pairs = Tensor::of<float>({1, 2, 1, 2, 1}, {1, 10, 2, 20});
  expect_tensor<float>(run_ort("MultiHeadAttention", {rows({0}), pairs}, kOneHead), {1, 1, 1},
                       {15});
  const Tensor triples = Tensor::of<float>({1, 2, 1, 3, 1}, {0, 1, 10, 0, 2, 20});
  expect_tensor<float>(run_ort("MultiHeadAttention", {triples}, kOneHead), {1, 2, 1}, {15, 15});
}

TEST(PackedAttention, CutsOneProductIntoThree) {
  const Tensor x = rows({1, 3});
  const Tensor weights = Tensor::of<float>({1, 3}, {0, 1, 10});
  const Tensor bias = vector_of<float>({0, 0, 5});
  expect_tensor<float>(run_ort("Attention", {x, weights, bias}, kOneHead), {1, 2, 1}, {25, 25});
  expect_tensor<float>(run_ort("Attention", {x, weights, bias},
                               {{"num_heads", int64_t{1}}, {"unidirectional", int64_t{1}}}),
                       {1, 2, 1}, {15, 25});
  const Tensor first = Tensor::of<int32_t>({1, 2}, {1, 0});
  expect_tensor<float>(run_ort("Attention", {x, weights, bias, first}, kOneHead), {1, 2, 1},
                       {15, 15});
  expect_unsupported(run_ort("Attention", {x, weights, bias},
                             {{"num_heads", int64_t{1}}, {"do_rotary", int64_t{1}}}));
}

// One head, one key, one value: the state is one number.
TEST(LinearAttention, FollowsItsUpdateRules) {
  const Tensor q = rows({1, 1}), k = rows({1, 2}), v = rows({3, 10});
  const auto run = [&](const char* rule, std::vector<Tensor> more) {
    std::vector<Tensor> inputs{q, k, v};
    inputs.insert(inputs.end(), more.begin(), more.end());
    return run_op("linear_attention", inputs,
                  {{"q_num_heads", int64_t{1}},
                   {"kv_num_heads", int64_t{1}},
                   {"update_rule", std::string(rule)}});
  };
  const Tensor none, past = Tensor::of<float>({1, 1, 1, 1}, {4});
  expect_tensor<float>(run("linear", {}), {1, 2, 1}, {3, 23});
  expect_tensor<float>(run("linear", {past}), {1, 2, 1}, {7, 27});
  // Half of what was remembered, by a decay of -log 2; 4 / 2 + 3 = 5, 5 / 2 + 20.
  const float half = -0.69314718f;
  expect_tensor<float>(run("gated", {past, rows({half, half})}), {1, 2, 1}, {5, 22.5f});
  // 1 * (3 - 0 * 1), then 0.5 * (10 - 3 * 2) = 2 times the key.
  expect_tensor<float>(run("delta", {none, none, rows({1, 0.5f})}), {1, 2, 1}, {3, 7});
  // Nothing is erased: 0.5 * 10.
  expect_tensor<float>(run("delta", {none, none, rows({1, 0.5f}), rows({0, 0})}), {1, 2, 1},
                       {3, 13});
  expect_bad_input(run("delta", {}));
  expect_bad_input(run("linear", {none, rows({0, 0})}));
  expect_unsupported(run("quadratic", {}));
}

TEST(LinearAttention, QueryHeadsShareAState) {
  const Tensor q = Tensor::of<float>({1, 1, 2}, {1, 2});
  expect_tensor<float>(run_op("linear_attention", {q, rows({1}), rows({3})},
                              {{"q_num_heads", int64_t{2}},
                               {"kv_num_heads", int64_t{1}},
                               {"update_rule", std::string("linear")}}),
                       {1, 1, 2}, {3, 6});
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
