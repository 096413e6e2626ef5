#include "hone/ops/rnn/rnn_testing.h"

namespace hone {
namespace {

constexpr size_t kRnnTfliteBatch = 2, kRnnSteps = 3, kRnnWidth = 3, kRnnHidden = 4;

// x [batch, steps, width]; parameters w, r, b from `first` on.
std::vector<double> expected(const std::vector<Tensor>& in, size_t first, bool reverse) {
  std::vector<double> y(kRnnTfliteBatch * kRnnSteps * kRnnHidden);
  for (size_t b = 0; b < kRnnTfliteBatch; ++b) {
    std::vector<double> h(kRnnHidden);
    for (size_t i = 0; i < kRnnHidden; ++i) h[i] = number_at(in[first + 3], b * kRnnHidden + i);
    for (size_t t = 0; t < kRnnSteps; ++t) {
      const size_t row = b * kRnnSteps + (reverse ? kRnnSteps - 1 - t : t);
      std::vector<double> next(kRnnHidden);
      for (size_t i = 0; i < kRnnHidden; ++i) {
        double sum = number_at(in[first + 2], i);
        for (size_t k = 0; k < kRnnWidth; ++k) {
          sum += number_at(in[first], i * kRnnWidth + k) * number_at(in[0], row * kRnnWidth + k);
        }
        for (size_t k = 0; k < kRnnHidden; ++k)
          sum += number_at(in[first + 1], i * kRnnHidden + k) * h[k];
        next[i] = std::tanh(sum);
        y[row * kRnnHidden + i] = next[i];
      }
      h = next;
    }
  }
  return y;
}

TfliteCase sequence_case() {
  return {.op = "UNIDIRECTIONAL_SEQUENCE_RNN",
          .inputs = {floats_of_seed({kRnnTfliteBatch, kRnnSteps, kRnnWidth}, 1),
                     floats_of_seed({kRnnHidden, kRnnWidth}, 2),
                     floats_of_seed({kRnnHidden, kRnnHidden}, 3), floats_of_seed({kRnnHidden}, 4),
                     Tensor(TensorType{DType::F32, {kRnnTfliteBatch, kRnnHidden}})},
          .outputs = {{DType::F32, {kRnnTfliteBatch, kRnnSteps, kRnnHidden}}},
          .options = {{"fused_activation_function", std::string("TANH")}, {"time_major", false}}};
}

TEST(RnnTflite, RunsASequence) {
  const TfliteCase test = sequence_case();
  const Result<Tensor> y = run_tflite(test);
  ASSERT_TRUE(y.ok()) << y.error().message;
  const std::vector<double> wanted = expected(test.inputs, 1, false);
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(number_at(*y, i), wanted[i], 1e-6);
}

TEST(RnnTflite, RunsBothWays) {
  TfliteCase test = sequence_case();
  test.op = "BIDIRECTIONAL_SEQUENCE_RNN";
  for (const size_t i : {size_t{1}, size_t{2}, size_t{3}, size_t{4}}) {
    const Tensor& there = test.inputs[i];
    test.inputs.push_back(i == 4 ? there : floats_of_seed(there.shape(), 20 + i));
  }
  test.inputs.resize(12);
  test.options["merge_outputs"] = true;
  test.outputs[0].shape[2] = 2 * kRnnHidden;
  const Result<Tensor> y = run_tflite(test);
  ASSERT_TRUE(y.ok()) << y.error().message;
  const std::vector<double> there = expected(test.inputs, 1, false);
  const std::vector<double> back = expected(test.inputs, 5, true);
  for (size_t i = 0; i < there.size(); ++i) {
    const size_t joined = i / kRnnHidden * 2 * kRnnHidden + i % kRnnHidden;
    EXPECT_NEAR(number_at(*y, joined), there[i], 1e-6);
    EXPECT_NEAR(number_at(*y, joined + kRnnHidden), back[i], 1e-6);
  }
  test.inputs[10] = test.inputs[1];
  expect_unsupported(run_tflite(test));
}

// The first step of a sequence from a state that is not zero.
TEST(RnnTflite, RunsOneStep) {
  TfliteCase test = sequence_case();
  test.inputs[4] = floats_of_seed({kRnnTfliteBatch, kRnnHidden}, 7);
  const std::vector<double> wanted = expected(test.inputs, 1, false);
  test.op = "RNN";
  std::vector<float> first;
  for (size_t b = 0; b < kRnnTfliteBatch; ++b) {
    const auto x = test.inputs[0].data<float>().subspan(b * kRnnSteps * kRnnWidth, kRnnWidth);
    first.insert(first.end(), x.begin(), x.end());
  }
  test.inputs[0] = Tensor::of<float>({kRnnTfliteBatch, kRnnWidth}, first);
  test.outputs = {{DType::F32, {kRnnTfliteBatch, kRnnHidden}}};
  const Result<Tensor> y = run_tflite(test);
  ASSERT_TRUE(y.ok()) << y.error().message;
  for (size_t b = 0; b < kRnnTfliteBatch; ++b) {
    for (size_t i = 0; i < kRnnHidden; ++i) {
      EXPECT_NEAR(number_at(*y, b * kRnnHidden + i), wanted[b * kRnnSteps * kRnnHidden + i], 1e-6);
    }
  }
}

TEST(RnnTflite, RefusesWhatASequenceOfOnnxDoesNotSay) {
  TfliteCase test = sequence_case();
  test.options["fused_activation_function"] = std::string("RELU6");
  expect_unsupported(run_tflite(test));
  test = sequence_case();
  test.inputs[4] = floats_of_seed({kRnnTfliteBatch, kRnnHidden}, 7);
  expect_unsupported(run_tflite(test));
  test = sequence_case();
  test.inputs[1] = quantized<int8_t>({kRnnHidden, kRnnWidth},
                                     std::vector<int8_t>(kRnnHidden * kRnnWidth), quant(0.1f));
  expect_unsupported(run_tflite(test));
  test = sequence_case();
  test.inputs[2] = floats_of_seed({kRnnHidden, 1}, 1);
  expect_unsupported(run_tflite(test));
}

}  // namespace
}  // namespace hone
