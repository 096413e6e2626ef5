// The activation and the residual that operators take in, against the operators they stand for.

#include "hone/ops/testing.h"

namespace hone {
namespace {

struct Activation {
  std::string name;
  Floats params;
  std::string op;
  Attrs attrs;
  std::vector<Tensor> more_inputs;
};

const std::vector<Activation>& activations() {
  static const std::vector<Activation> kActivations = {
      {"relu", {}, "relu", {}, {}},
      {"relu6", {}, "clip", {}, {Tensor::scalar(0.0f), Tensor::scalar(6.0f)}},
      {"relu_n1_to_1", {}, "clip", {}, {Tensor::scalar(-1.0f), Tensor::scalar(1.0f)}},
      {"clip", {-0.5, 2}, "clip", {}, {Tensor::scalar(-0.5f), Tensor::scalar(2.0f)}},
      {"tanh", {}, "tanh", {}, {}},
      {"leaky_relu", {0.125}, "leaky_relu", {{"alpha", 0.125}}, {}},
      {"sigmoid", {}, "sigmoid", {}, {}},
      {"silu", {}, "swish", {}, {}},
      {"hard_sigmoid", {0.25, 0.5}, "hard_sigmoid", {{"alpha", 0.25}, {"beta", 0.5}}, {}},
      {"hard_swish", {}, "hard_swish", {}, {}},
      {"gelu", {}, "gelu", {}, {}},
      {"gelu_tanh", {}, "gelu", {{"approximate", std::string("tanh")}}, {}},
  };
  return kActivations;
}

const Tensor kX = Tensor::of<float>({1, 1, 2, 4}, {-8, -3, -1, -0.25, 0, 0.5, 2, 7});
const Tensor kOne = Tensor::of<float>({1, 1, 1, 1}, {1});

Attrs attrs_of(const Activation& activation) {
  Attrs attrs{{"activation", activation.name}};
  if (!activation.params.empty()) attrs["activation_params"] = activation.params;
  return attrs;
}

TEST(FusedActivation, IsTheOperator) {
  for (const Activation& activation : activations()) {
    std::vector<Tensor> inputs = {kX};
    inputs.insert(inputs.end(), activation.more_inputs.begin(), activation.more_inputs.end());
    const auto expected = run_op(activation.op, inputs, activation.attrs);
    const auto fused = run_op("conv", {kX, kOne}, attrs_of(activation));
    ASSERT_TRUE(expected.ok() && fused.ok()) << activation.name;
    for (size_t i = 0; i < 8; ++i) {
      EXPECT_FLOAT_EQ(fused->data<float>()[i], expected->data<float>()[i]) << activation.name;
    }
  }
}

TEST(FusedActivation, NeedsItsParameters) {
  expect_bad_input(run_op("conv", {kX, kOne}, {{"activation", std::string("clip")}}));
  expect_bad_input(run_op("add", {kX, kX}, {{"activation", std::string("leaky_relu")}}));
  const Attrs many{{"activation", std::string("relu")}, {"activation_params", Floats{1}}};
  expect_bad_input(run_op("mul", {kX, kX}, many));
  expect_unsupported(run_op("conv", {kX, kOne}, {{"activation", std::string("sine")}}));
}

TEST(FusedActivation, IsComputedInDoublesForDoubles) {
  const Tensor x = Tensor::of<double>({1}, {1e-12});
  const auto y =
      run_op("add", {x, Tensor::of<double>({1}, {1.0})}, {{"activation", std::string("relu")}});
  expect_tensor<double>(y, {1}, {1 + 1e-12});
}

TEST(Residual, IsAddedBeforeTheActivation) {
  const Tensor residual = Tensor::of<float>({1, 1, 2, 4}, {1, 1, 1, 1, -1, -1, -1, -1});
  const Attrs relu{{"activation", std::string("relu")}};
  const std::vector<float> sums = {0, 0, 0, 0.75, 0, 0, 1, 6};
  expect_tensor<float>(run_op("conv", {kX, kOne, {}, residual}, relu), {1, 1, 2, 4}, sums);
  const auto matrix = [](const Tensor& tensor, Shape shape) { return tensor.reshaped(shape); };
  const auto product = run_op(
      "gemm", {matrix(kX, {8, 1}), matrix(kOne, {1, 1}), {}, matrix(residual, {8, 1})}, relu);
  expect_tensor<float>(product, {8, 1}, sums);
}

TEST(Residual, HasTheShapeOfTheResultAndNoQuantization) {
  expect_bad_input(run_op("conv", {kX, kOne, {}, Tensor::of<float>({4}, {1, 2, 3, 4})}));
  expect_bad_input(run_op("conv", {kX, kOne, {}, kOne}));
  const auto quant = std::make_shared<Quantization>(Quantization{{0.5f}, {0}});
  const Tensor w = Tensor::of<int8_t>({1, 1, 1, 1}, {2}).with_quantization(quant);
  expect_unsupported(run_op("conv", {kX, w, {}, kX}));
}

TEST(Residual, IsUnknownToOnnx) {
  expect_bad_input(run_onnx("Conv", 22, {kX, kOne, Tensor::of<float>({1}, {0}), kX}));
  const Tensor m = Tensor::of<float>({1, 1}, {1});
  expect_bad_input(run_onnx("Gemm", 13, {m, m, m, m}));
}

}  // namespace
}  // namespace hone
