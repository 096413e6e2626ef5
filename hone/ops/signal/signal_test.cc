#include <cmath>

#include "hone/ops/signal/fourier.h"
#include "hone/ops/testing.h"

namespace hone {
namespace {

using Complex = std::complex<double>;

TEST(Fourier, EqualsTheSumForAnyLength) {
  for (const size_t n : {1, 2, 3, 7, 8, 12, 30, 49, 64}) {
    std::vector<Complex> x(n);
    for (size_t i = 0; i < n; ++i)
      x[i] = {std::sin(static_cast<double>(i)), static_cast<double>(i % 3)};
    const std::vector<Complex> y = fourier(x, false);
    for (size_t k = 0; k < n; ++k) {
      Complex sum = 0;
      for (size_t j = 0; j < n; ++j) {
        sum +=
            x[j] * std::polar(1.0, -2 * M_PI * static_cast<double>(j * k) / static_cast<double>(n));
      }
      EXPECT_NEAR(std::abs(sum - y[k]), 0, 1e-10) << n << " " << k;
    }
  }
}

Tensor reals(const std::vector<float>& values) {
  return Tensor::of<float>({1, static_cast<int64_t>(values.size()), 1}, values);
}

TEST(Dft, CutsAndPadsToTheLength) {
  expect_tensor<float>(run_op("dft", {reals({1, 2, 9}), Tensor::scalar<int64_t>(2)}), {1, 2, 2},
                       {3, 0, -1, 0});
  expect_tensor<float>(run_op("dft", {reals({1}), Tensor::scalar<int64_t>(2)}), {1, 2, 2},
                       {1, 0, 1, 0});
  for (const int64_t length : {int64_t{0}, int64_t{-1}, INT64_MAX}) {
    expect_bad_input(run_op("dft", {reals({1}), Tensor::scalar(length)}));
  }
}

TEST(Dft, RefusesWhatItCannotMean) {
  const Tensor complex = Tensor::of<float>({1, 1, 2}, {1, 2});
  expect_unsupported(run_op("dft", {complex}, {{"onesided", int64_t{1}}}));
  expect_unsupported(
      run_op("dft", {reals({1})}, {{"onesided", int64_t{1}}, {"inverse", int64_t{1}}}));
  expect_bad_input(run_op("dft", {reals({1}), Tensor(), Tensor::scalar<int64_t>(2)}));
  expect_bad_input(run_op("dft", {Tensor::of<float>({1, 3}, {1, 2, 3})}));
  expect_bad_input(run_op("dft", {vector_of<float>({1})}));
  expect_tensor<float>(run_op("dft", {reals({})}), {1, 0, 2}, {});
  expect_tensor<float>(run_op("dft", {reals({})}, {{"onesided", int64_t{1}}}), {1, 0, 2}, {});
}

TEST(Dft, OldVersionsHaveAnAxisOfOne) {
  const Tensor x = Tensor::of<float>({1, 2, 1, 1}, {1, 2});
  expect_tensor<float>(run_onnx("DFT", 17, {x}), {1, 2, 1, 2}, {3, 0, -1, 0});
  expect_tensor<float>(run_onnx("DFT", 20, {x}), {1, 2, 1, 2}, {1, 0, 2, 0});
}

TEST(Stft, RefusesFramesThatDoNotFit) {
  const Tensor x = reals({1, 2, 3, 4});
  const Tensor step = Tensor::scalar<int64_t>(2);
  const auto run = [&](const Tensor& by, const Tensor& window, int64_t length) {
    return run_op("stft", {x, by, window, Tensor::scalar(length)}, {{"onesided", int64_t{1}}});
  };
  expect_tensor<float>(run(step, Tensor(), 2), {1, 2, 2, 2}, {3, 0, -1, 0, 7, 0, -1, 0});
  expect_tensor<float>(run(step, vector_of<float>({0, 1}), 2), {1, 2, 2, 2},
                       {2, 0, -2, 0, 4, 0, -4, 0});
  expect_bad_input(run(Tensor::scalar<int64_t>(0), Tensor(), 2));
  expect_bad_input(run(step, Tensor(), 5));
  expect_bad_input(run(step, vector_of<float>({1}), 2));
  expect_bad_input(run_op("stft", {x, step}));
}

TEST(Window, HasSmallSizesAndIntegerTypes) {
  const Attrs symmetric{{"periodic", int64_t{0}}};
  expect_tensor<float>(run_op("hann_window", {Tensor::scalar<int64_t>(0)}, symmetric), {0}, {});
  expect_tensor<float>(run_op("hann_window", {Tensor::scalar<int64_t>(1)}, symmetric), {1}, {1});
  expect_tensor<uint8_t>(run_op("hann_window", {Tensor::scalar<int64_t>(3)},
                                {{"periodic", int64_t{0}}, {"output_datatype", DType::U8}}),
                         {3}, {0, 1, 0});
  expect_bad_input(run_op("hamming_window", {Tensor::scalar<int64_t>(-1)}));
  expect_unsupported(
      run_op("hamming_window", {Tensor::scalar<int64_t>(1)}, {{"output_datatype", DType::Bool}}));
}

TEST(MelWeightMatrix, RefusesEdgesOutsideTheSpectrum) {
  const auto run = [](int64_t bins, int64_t length, int64_t rate, float low, float high) {
    return run_op("mel_weight_matrix",
                  {Tensor::scalar(bins), Tensor::scalar(length), Tensor::scalar(rate),
                   Tensor::scalar(low), Tensor::scalar(high)});
  };
  EXPECT_TRUE(run(4, 16, 8000, 0, 4000).ok());
  expect_bad_input(run(4, 16, 8000, 0, 40000));
  expect_bad_input(run(4, 16, 8000, -1000, 4000));
  expect_bad_input(run(4, 16, 8000, NAN, 4000));
  expect_bad_input(run(4, 16, 8000, 3000, 100));
  expect_bad_input(run(0, 16, 8000, 0, 4000));
  expect_bad_input(run(4, INT64_MAX, 8000, 0, 4000));
  expect_bad_input(run(4, 16, 0, 0, 4000));
}

}  // namespace
}  // namespace hone
