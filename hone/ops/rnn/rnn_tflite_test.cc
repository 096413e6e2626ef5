#include "hone/ops/quant/quant_testing.h"

namespace hone {
namespace {

Tensor floats(Shape shape, size_t seed) {
  const auto count = static_cast<size_t>(elements(shape));
  std::vector<float> values = some_values<float>(count + seed, -10, 10);
  values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(seed));
  for (float& value : values) value /= 8;
  return Tensor::of<float>(std::move(shape), values);
}

constexpr size_t kBatch = 2, kSteps = 3, kWidth = 3, kHidden = 4;

double at(const Tensor& tensor, size_t i) {
  return double{tensor.data<float>()[i]};
}

// x [batch, steps, width]; parameters w, r, b from `first` on.
std::vector<double> expected(const std::vector<Tensor>& in, size_t first, bool reverse) {
  std::vector<double> y(kBatch * kSteps * kHidden);
  for (size_t b = 0; b < kBatch; ++b) {
    std::vector<double> h(kHidden);
    for (size_t i = 0; i < kHidden; ++i) h[i] = at(in[first + 3], b * kHidden + i);
    for (size_t t = 0; t < kSteps; ++t) {
      const size_t row = b * kSteps + (reverse ? kSteps - 1 - t : t);
      std::vector<double> next(kHidden);
      for (size_t i = 0; i < kHidden; ++i) {
        double sum = at(in[first + 2], i);
        for (size_t k = 0; k < kWidth; ++k) {
          sum += at(in[first], i * kWidth + k) * at(in[0], row * kWidth + k);
        }
        for (size_t k = 0; k < kHidden; ++k) sum += at(in[first + 1], i * kHidden + k) * h[k];
        next[i] = std::tanh(sum);
        y[row * kHidden + i] = next[i];
      }
      h = next;
    }
  }
  return y;
}

TfliteCase sequence_case() {
  return {.op = "UNIDIRECTIONAL_SEQUENCE_RNN",
          .inputs = {floats({kBatch, kSteps, kWidth}, 1), floats({kHidden, kWidth}, 2),
                     floats({kHidden, kHidden}, 3), floats({kHidden}, 4),
                     Tensor(TensorType{DType::F32, {kBatch, kHidden}})},
          .outputs = {{DType::F32, {kBatch, kSteps, kHidden}}},
          .options = {{"fused_activation_function", std::string("TANH")}, {"time_major", false}}};
}

TEST(RnnTflite, RunsASequence) {
  const TfliteCase test = sequence_case();
  const Result<Tensor> y = run_tflite(test);
  ASSERT_TRUE(y.ok()) << y.error().message;
  const std::vector<double> wanted = expected(test.inputs, 1, false);
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(at(*y, i), wanted[i], 1e-6);
}

TEST(RnnTflite, RunsBothWays) {
  TfliteCase test = sequence_case();
  test.op = "BIDIRECTIONAL_SEQUENCE_RNN";
  for (const size_t i : {size_t{1}, size_t{2}, size_t{3}, size_t{4}}) {
    const Tensor& there = test.inputs[i];
    test.inputs.push_back(i == 4 ? there : floats(there.shape(), 20 + i));
  }
  test.inputs.resize(12);
  test.options["merge_outputs"] = true;
  test.outputs[0].shape[2] = 2 * kHidden;
  const Result<Tensor> y = run_tflite(test);
  ASSERT_TRUE(y.ok()) << y.error().message;
  const std::vector<double> there = expected(test.inputs, 1, false);
  const std::vector<double> back = expected(test.inputs, 5, true);
  for (size_t i = 0; i < there.size(); ++i) {
    const size_t joined = i / kHidden * 2 * kHidden + i % kHidden;
    EXPECT_NEAR(at(*y, joined), there[i], 1e-6);
    EXPECT_NEAR(at(*y, joined + kHidden), back[i], 1e-6);
  }
  test.inputs[10] = test.inputs[1];
  expect_unsupported(run_tflite(test));
}

// The first step of a sequence from a state that is not zero.
TEST(RnnTflite, RunsOneStep) {
  TfliteCase test = sequence_case();
  test.inputs[4] = floats({kBatch, kHidden}, 7);
  const std::vector<double> wanted = expected(test.inputs, 1, false);
  test.op = "RNN";
  std::vector<float> first;
  for (size_t b = 0; b < kBatch; ++b) {
    const auto x = test.inputs[0].data<float>().subspan(b * kSteps * kWidth, kWidth);
    first.insert(first.end(), x.begin(), x.end());
  }
  test.inputs[0] = Tensor::of<float>({kBatch, kWidth}, first);
  test.outputs = {{DType::F32, {kBatch, kHidden}}};
  const Result<Tensor> y = run_tflite(test);
  ASSERT_TRUE(y.ok()) << y.error().message;
  for (size_t b = 0; b < kBatch; ++b) {
    for (size_t i = 0; i < kHidden; ++i) {
      EXPECT_NEAR(at(*y, b * kHidden + i), wanted[b * kSteps * kHidden + i], 1e-6);
    }
  }
}

TEST(RnnTflite, RefusesWhatASequenceOfOnnxDoesNotSay) {
  TfliteCase test = sequence_case();
  test.options["fused_activation_function"] = std::string("RELU6");
  expect_unsupported(run_tflite(test));
  test = sequence_case();
  test.inputs[4] = floats({kBatch, kHidden}, 7);
  expect_unsupported(run_tflite(test));
  test = sequence_case();
  test.inputs[1] =
      quantized<int8_t>({kHidden, kWidth}, std::vector<int8_t>(kHidden * kWidth), quant(0.1f));
  expect_unsupported(run_tflite(test));
  test = sequence_case();
  test.inputs[2] = floats({kHidden, 1}, 1);
  expect_unsupported(run_tflite(test));
}

}  // namespace
}  // namespace hone
