#include "hone/ops/quant/quant_testing.h"

namespace hone {
namespace {

constexpr int64_t kSvdfBatch = 2, kInputs = 3, kFilters = 4, kMemory = 3, kRank = 2, kUnits = 2;

std::vector<float> floats(size_t count, int seed) {
  std::vector<float> values = some_values<float>(count + static_cast<size_t>(seed), -9, 9);
  values.erase(values.begin(), values.begin() + seed);
  for (float& value : values) value /= 8;
  return values;
}

TfliteCase float_case(const std::vector<float>& state) {
  return {.op = "SVDF",
          .inputs = {Tensor::of<float>({kSvdfBatch, kInputs}, floats(kSvdfBatch * kInputs, 0)),
                     Tensor::of<float>({kFilters, kInputs}, floats(kFilters * kInputs, 7)),
                     Tensor::of<float>({kFilters, kMemory}, floats(kFilters * kMemory, 3)),
                     vector_of<float>({0.5f, -0.25f}),
                     Tensor::of<float>({kSvdfBatch, kFilters * kMemory}, state)},
          .outputs = {{DType::F32, {kSvdfBatch, kUnits}}},
          .options = {{"rank", kRank}, {"fused_activation_function", std::string("RELU")}}};
}

float element(const Tensor& tensor, int64_t row, int64_t column) {
  return tensor.data<float>()[static_cast<size_t>(row * tensor.shape()[1] + column)];
}

TEST(Svdf, WeighsWhatItsFiltersRemember) {
  const std::vector<float> state = floats(kSvdfBatch * kFilters * kMemory, 11);
  const TfliteCase test = float_case(state);
  const Result<Tensor> y = run_tflite(test);
  ASSERT_TRUE(y.ok()) << y.error().message;
  for (int64_t b = 0; b < kSvdfBatch; ++b) {
    for (int64_t unit = 0; unit < kUnits; ++unit) {
      float sum = test.inputs[3].data<float>()[static_cast<size_t>(unit)];
      for (int64_t f = unit * kRank; f < (unit + 1) * kRank; ++f) {
        float newest = 0;
        for (int64_t i = 0; i < kInputs; ++i) {
          newest += element(test.inputs[0], b, i) * element(test.inputs[1], f, i);
        }
        sum += newest * element(test.inputs[2], f, kMemory - 1);
        for (int64_t m = 0; m + 1 < kMemory; ++m) {
          sum += element(test.inputs[4], b, f * kMemory + m + 1) * element(test.inputs[2], f, m);
        }
      }
      EXPECT_NEAR(element(*y, b, unit), std::max(sum, 0.0f), 1e-5);
    }
  }
}

TEST(Svdf, GivesTheStateOfTheNextRun) {
  const Tensor one = Tensor::of<float>({1, 1}, {2});
  Graph graph;
  Value* x = graph.add_input("x", one.type());
  Value* state = graph.add_input("state", TensorType{DType::F32, {1, 3}});
  Value* feature = graph.add_constant("feature", one);
  Value* time = graph.add_constant("time", Tensor::of<float>({1, 3}, {100, 10, 1}));
  Node* node = graph.add_node("svdf", {x, feature, time, nullptr, state}, {{}, {}});
  for (Value* output : node->outputs) graph.add_output(output);
  ASSERT_TRUE(infer_types(graph).ok());
  Item remembered(Tensor::of<float>({1, 3}, {0, 0, 0}));
  std::vector<float> results;
  for (const float step : {1.0f, 2.0f, 3.0f, 4.0f}) {
    auto outputs = run_graph(graph, {Tensor::of<float>({1, 1}, {step}), remembered});
    ASSERT_TRUE(outputs.ok()) << outputs.error().message;
    results.push_back((*outputs)[0].tensor.data<float>()[0]);
    remembered = (*outputs)[1];
  }
  EXPECT_EQ(results, (std::vector<float>{2, 24, 246, 468}));
}

// The features by the activations' own scale, the rest in float.
TEST(Svdf, QuantizesActivationsForIntegerWeights) {
  TfliteCase test = float_case(std::vector<float>(kSvdfBatch * kFilters * kMemory));
  test.inputs[1] = quantized<int8_t>(
      {kFilters, kInputs}, some_values<int8_t>(kFilters * kInputs, -127, 127), quant(0.01f));
  test.inputs[2] = quantized<int8_t>(
      {kFilters, kMemory}, some_values<int8_t>(kFilters * kMemory, -127, 127), quant(0.02f));
  const Result<Tensor> y = run_tflite(test);
  ASSERT_TRUE(y.ok()) << y.error().message;
  const auto x = test.inputs[0].data<float>();
  for (size_t b = 0; b < kSvdfBatch; ++b) {
    float reach = 0;
    for (size_t i = 0; i < kInputs; ++i) reach = std::max(reach, std::fabs(x[b * kInputs + i]));
    for (size_t unit = 0; unit < kUnits; ++unit) {
      double sum = double{test.inputs[3].data<float>()[unit]};
      for (size_t f = unit * kRank; f < (unit + 1) * kRank; ++f) {
        int products = 0;
        for (size_t i = 0; i < kInputs; ++i) {
          const auto step = static_cast<int>(std::round(x[b * kInputs + i] * (127 / reach)));
          products += step * test.inputs[1].data<int8_t>()[f * kInputs + i];
        }
        sum += products * double{reach} / 127 * 0.01 * 0.02 *
               test.inputs[2].data<int8_t>()[f * kMemory + kMemory - 1];
      }
      EXPECT_NEAR(y->data<float>()[b * kUnits + unit], std::max(sum, 0.0), 1e-4);
    }
  }
  test.options["asymmetric_quantize_inputs"] = true;
  expect_unsupported(run_tflite(test));
}

// 32-bit accumulators to another scale, by TFLite's rule.
int64_t rescaled_svdf(int64_t sum, float scale) {
  int shift = 0;
  const auto multiplier =
      static_cast<int64_t>(std::round(std::frexp(double{scale}, &shift) * 0x1p31));
  const double left = static_cast<double>(sum) * std::ldexp(1.0, std::max(shift, 0));
  const double high = std::floor(left * static_cast<double>(multiplier) / 0x1p31 + 0.5);
  return static_cast<int64_t>(std::round(high / std::ldexp(1.0, std::max(-shift, 0))));
}

// With a state and weights along time of type T.
template <class T>
void expect_integers(int32_t state_zero) {
  const auto limit = static_cast<int>(std::numeric_limits<T>::max());
  const float time_scale = 3.2767f / static_cast<float>(limit);
  const float state_scale = 131 / static_cast<float>(limit);
  const auto x = some_values<int8_t>(kSvdfBatch * kInputs, -128, 127);
  const auto feature = some_values<int8_t>(kFilters * kInputs, -127, 127);
  const auto time = some_values<T>(kFilters * kMemory, -limit, limit);
  const auto state = some_values<T>(kSvdfBatch * kFilters * kMemory, -limit / 2, limit / 2);
  const std::vector<int32_t> bias{limit * 3, limit * -9};
  TfliteCase test{.op = "SVDF",
                  .inputs = {quantized<int8_t>({kSvdfBatch, kInputs}, x, quant(0.1f, 3)),
                             quantized<int8_t>({kFilters, kInputs}, feature, quant(0.02f)),
                             quantized<T>({kFilters, kMemory}, time, quant(time_scale)),
                             vector_of<int32_t>(bias),
                             quantized<T>({kSvdfBatch, kFilters * kMemory}, state,
                                          quant(state_scale, state_zero))},
                  .outputs = {{DType::I8, {kSvdfBatch, kUnits}, quant(9.0f, -128)}},
                  .options = {{"rank", kRank}, {"fused_activation_function", std::string("RELU")}}};
  const Result<Tensor> y = run_tflite(test);
  ASSERT_TRUE(y.ok()) << y.error().message;
  for (size_t b = 0; b < kSvdfBatch; ++b) {
    for (size_t unit = 0; unit < kUnits; ++unit) {
      int64_t sum = bias[unit];
      for (size_t f = unit * kRank; f < (unit + 1) * kRank; ++f) {
        int64_t newest = 0;
        for (size_t i = 0; i < kInputs; ++i) {
          newest += (x[b * kInputs + i] - 3) * feature[f * kInputs + i];
        }
        newest = std::clamp<int64_t>(rescaled_svdf(newest, 0.1f * 0.02f / state_scale), -limit - 1,
                                     limit);
        newest = int64_t{static_cast<T>(newest + state_zero)} - state_zero;
        sum += newest * time[f * kMemory + kMemory - 1];
        for (size_t m = 0; m + 1 < kMemory; ++m) {
          const int64_t before = state[(b * kFilters + f) * kMemory + m + 1];
          sum += (before - state_zero) * time[f * kMemory + m];
        }
      }
      const int64_t expected = rescaled_svdf(sum, state_scale * time_scale / 9.0f) - 128;
      EXPECT_EQ(y->data<int8_t>()[b * kUnits + unit], std::clamp<int64_t>(expected, -128, 127));
    }
  }
  test.options["fused_activation_function"] = std::string("NONE");
  expect_unsupported(run_tflite(test));
}

TEST(Svdf, ComputesInIntegersAsTflite) {
  expect_integers<int16_t>(0);
}

TEST(Svdf, RemembersInEightBitsAsTflm) {
  expect_integers<int8_t>(0);
  expect_integers<int8_t>(-5);
}

TEST(Svdf, RefusesWhatDoesNotFit) {
  const std::vector<float> state(kSvdfBatch * kFilters * kMemory);
  for (const int64_t rank : {int64_t{0}, int64_t{-1}, int64_t{3}, INT64_MAX}) {
    TfliteCase test = float_case(state);
    test.options["rank"] = rank;
    expect_bad_input(run_tflite(test));
  }
  TfliteCase test = float_case(state);
  test.inputs[2] = Tensor::of<float>({kFilters, 0}, {});
  expect_bad_input(run_tflite(test));
  test = float_case(state);
  test.inputs[3] = vector_of<float>({1});
  expect_bad_input(run_tflite(test));
  test = float_case(state);
  test.inputs[4] = Tensor();
  expect_bad_input(run_tflite(test));
}

}  // namespace
}  // namespace hone
