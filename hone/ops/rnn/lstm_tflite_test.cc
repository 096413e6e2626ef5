// TFLite's LSTM operators against the formulas at the top of lstmp.h, written out once more.

#include "hone/ops/quant/fixed_functions16.h"
#include "hone/ops/rnn/lstmp.h"
#include "hone/ops/rnn/rnn_testing.h"

namespace hone {
namespace {

using L = Lstmp;
using Vector = std::vector<double>;

constexpr int64_t kLstmTfliteSteps = 3, kBatch = 2, kWidth = 3, kCells = 4;

struct LstmTfliteVariant {
  bool coupled = false;
  bool peephole = false;
  bool projection = false;
  bool norm = false;
  bool state = false;  // Not zero at first.
  double cell_clip = 0;
  bool time_major = true;
  int64_t outputs() const { return projection ? 2 : kCells; }
};

// The 24 inputs; seeds differ so that no two gates are alike.
std::vector<Tensor> inputs_of(const LstmTfliteVariant& v) {
  std::vector<Tensor> inputs(L::kInputs);
  inputs[L::kX] = floats_of_seed(v.time_major ? Shape{kLstmTfliteSteps, kBatch, kWidth}
                                              : Shape{kBatch, kLstmTfliteSteps, kWidth},
                                 1);
  for (size_t gate = v.coupled ? 1 : 0; gate < 4; ++gate) {
    inputs[L::kW + gate] = floats_of_seed({kCells, kWidth}, 2 + gate);
    inputs[L::kR + gate] = floats_of_seed({kCells, v.outputs()}, 20 + gate);
    inputs[L::kB + gate] = floats_of_seed({kCells}, 30 + gate);
    if (v.norm) inputs[L::kNorm + gate] = floats_of_seed({kCells}, 40 + gate);
    if (v.peephole && gate != L::kCell) {
      inputs[L::peephole_of(static_cast<L::Gate>(gate))] = floats_of_seed({kCells}, 50 + gate);
    }
  }
  if (v.projection) inputs[L::kProjection] = floats_of_seed({2, kCells}, 60);
  if (v.projection) inputs[L::kProjectionBias] = floats_of_seed({2}, 61);
  inputs[L::kH] = floats_of_seed({kBatch, v.outputs()}, 62);
  inputs[L::kC] = floats_of_seed({kBatch, kCells}, 63);
  if (!v.state) inputs[L::kH] = Tensor(inputs[L::kH].type());
  if (!v.state) inputs[L::kC] = Tensor(inputs[L::kC].type());
  return inputs;
}

TfliteCase case_of_lstm_tflite(const LstmTfliteVariant& v) {
  std::vector<Tensor> inputs = inputs_of(v);
  Shape y = inputs[0].shape();
  y[2] = v.outputs();
  return {.op = "UNIDIRECTIONAL_SEQUENCE_LSTM",
          .inputs = std::move(inputs),
          .outputs = {{DType::F32, y}},
          .options = {{"fused_activation_function", std::string("TANH")},
                      {"cell_clip", v.cell_clip},
                      {"proj_clip", v.projection ? 0.5 : 0.0},
                      {"time_major", v.time_major}}};
}

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

double dot(const Tensor& matrix, size_t row, const Vector& x) {
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += number_at(matrix, row * x.size() + i) * x[i];
  return sum;
}

Vector sum(const std::vector<Tensor>& in, L::Gate gate, const Vector& x, const Vector& h,
           const Vector& c) {
  const Tensor& norm = in[L::kNorm + gate];
  const bool normalized = norm.elements() > 0;
  Vector z(kCells);
  double mean = 0;
  for (size_t i = 0; i < z.size(); ++i) {
    z[i] = dot(in[L::kW + gate], i, x) + dot(in[L::kR + gate], i, h);
    if (!normalized) z[i] += number_at(in[L::kB + gate], i);
    const Tensor& peephole = in[gate == L::kCell ? L::kInputs - 1 : L::peephole_of(gate)];
    if (gate != L::kCell && peephole.elements() > 0) z[i] += number_at(peephole, i) * c[i];
    mean += z[i] / kCells;
  }
  if (!normalized) return z;
  double variance = 1e-8;
  for (const double value : z) variance += (value - mean) * (value - mean) / kCells;
  for (size_t i = 0; i < z.size(); ++i) {
    z[i] =
        (z[i] - mean) / std::sqrt(variance) * number_at(norm, i) + number_at(in[L::kB + gate], i);
  }
  return z;
}

// One step of one sample.
void step(const TfliteCase& test, const Vector& x, Vector& h, Vector& c) {
  const std::vector<Tensor>& in = test.inputs;
  const double clip = std::get<double>(test.options.at("cell_clip"));
  const double proj_clip = std::get<double>(test.options.at("proj_clip"));
  const bool coupled = in[L::kW].elements() == 0;
  const Vector forget = sum(in, L::kForget, x, h, c);
  const Vector input = coupled ? Vector(kCells) : sum(in, L::kInput, x, h, c);
  const Vector fresh = sum(in, L::kCell, x, h, c);
  for (size_t i = 0; i < c.size(); ++i) {
    const double f = sigmoid(forget[i]);
    c[i] = f * c[i] + (coupled ? 1 - f : sigmoid(input[i])) * std::tanh(fresh[i]);
    if (clip > 0) c[i] = std::clamp(c[i], -clip, clip);
  }
  Vector y = sum(in, L::kOutput, x, h, c);
  for (size_t i = 0; i < y.size(); ++i) y[i] = sigmoid(y[i]) * std::tanh(c[i]);
  if (in[L::kProjection].elements() == 0) {
    h = y;
    return;
  }
  for (size_t i = 0; i < h.size(); ++i) {
    h[i] = std::clamp(dot(in[L::kProjection], i, y) + number_at(in[L::kProjectionBias], i),
                      -proj_clip, proj_clip);
  }
}

Vector slice(const Tensor& tensor, size_t row, size_t length) {
  Vector values;
  for (size_t i = 0; i < length; ++i) values.push_back(number_at(tensor, row * length + i));
  return values;
}

// In the layout of x.
Vector expected(const TfliteCase& test, bool reverse = false) {
  const bool time_major = std::get<bool>(test.options.at("time_major"));
  const auto outputs = static_cast<size_t>(test.inputs[L::kR + L::kOutput].shape()[1]);
  Vector y(kLstmTfliteSteps * kBatch * outputs);
  for (size_t b = 0; b < kBatch; ++b) {
    Vector h = slice(test.inputs[L::kH], b, outputs);
    Vector c = slice(test.inputs[L::kC], b, kCells);
    for (size_t t = 0; t < kLstmTfliteSteps; ++t) {
      const size_t when = reverse ? kLstmTfliteSteps - 1 - t : t;
      const size_t row = time_major ? when * kBatch + b : b * kLstmTfliteSteps + when;
      step(test, slice(test.inputs[L::kX], row, kWidth), h, c);
      std::ranges::copy(h, y.begin() + static_cast<std::ptrdiff_t>(row * outputs));
    }
  }
  return y;
}

void expect_near(const Result<Tensor>& y, const Vector& wanted, double tolerance) {
  ASSERT_TRUE(y.ok()) << y.error().message;
  ASSERT_EQ(static_cast<size_t>(y->elements()), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i)
    EXPECT_NEAR(number_at(*y, i), wanted[i], tolerance) << i;
}

bool has_node(const TfliteCase& test, std::string_view op) {
  const Result<Graph> graph = import_case(test);
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  return graph.ok() && std::ranges::any_of(graph->nodes(), [&](Node* n) { return n->op == op; });
}

TEST(LstmTflite, IsOnnxsWhereThatSaysTheSame) {
  for (const bool coupled : {false, true}) {
    for (const bool peephole : {false, true}) {
      for (const bool time_major : {false, true}) {
        const TfliteCase test = case_of_lstm_tflite(
            {.coupled = coupled, .peephole = peephole, .time_major = time_major});
        EXPECT_TRUE(has_node(test, "lstm"));
        expect_near(run_tflite(test), expected(test), 1e-6);
      }
    }
  }
}

TEST(LstmTflite, HasWhatOnnxHasNoWordFor) {
  const std::vector<LstmTfliteVariant> variants = {
      {.cell_clip = 0.25},
      {.state = true, .time_major = false},
      {.norm = true},
      {.coupled = true, .norm = true, .time_major = false},
      {.projection = true, .cell_clip = 0.5},
      {.coupled = true, .peephole = true, .projection = true, .norm = true, .state = true},
  };
  for (const LstmTfliteVariant& variant : variants) {
    const TfliteCase test = case_of_lstm_tflite(variant);
    EXPECT_TRUE(has_node(test, "lstmp"));
    expect_near(run_tflite(test), expected(test), 1e-5);
  }
}

TEST(LstmTflite, RunsOneStep) {
  for (const double clip : {0.0, 0.125}) {
    TfliteCase test = case_of_lstm_tflite({.cell_clip = clip});
    const Vector wanted = expected(test);
    test.op = "LSTM";
    const auto first = test.inputs[0].data<float>().first(kBatch * kWidth);
    test.inputs[0] = Tensor::of<float>({kBatch, kWidth}, {first.begin(), first.end()});
    test.outputs = {{DType::F32, {kBatch, kCells}}};
    test.options["kernel_type"] = std::string("FULL");
    expect_near(run_tflite(test), Vector(wanted.begin(), wanted.begin() + kBatch * kCells), 1e-5);
    test.inputs.pop_back();
    expect_unsupported(run_tflite(test));
  }
}

TEST(LstmTflite, RunsBothWays) {
  for (const bool merge : {false, true}) {
    for (const double clip : {0.0, 0.25}) {
      const TfliteCase forward = case_of_lstm_tflite({.cell_clip = clip, .time_major = false});
      const TfliteCase backward = case_of_lstm_tflite(
          {.coupled = true, .peephole = true, .cell_clip = clip, .time_major = false});
      TfliteCase both = forward;
      both.op = "BIDIRECTIONAL_SEQUENCE_LSTM";
      both.inputs.resize(L::kProjectionBias + 1);
      for (size_t i = 1; i <= L::kProjectionBias; ++i) both.inputs.push_back(backward.inputs[i]);
      for (const TfliteCase* way : {&forward, &backward}) {
        both.inputs.push_back(way->inputs[L::kH]);
        both.inputs.push_back(way->inputs[L::kC]);
      }
      both.inputs.resize(48);
      both.options["merge_outputs"] = merge;
      TensorType y{DType::F32, {kBatch, kLstmTfliteSteps, merge ? 2 * kCells : kCells}};
      both.outputs.assign(merge ? 1 : 2, y);
      const auto outputs = run_case(both);
      ASSERT_TRUE(outputs.ok()) << outputs.error().message;
      const Vector there = expected(forward);
      const Vector back = expected(backward, true);
      for (size_t i = 0; i < there.size(); ++i) {
        const size_t joined = i / kCells * 2 * kCells + i % kCells;
        const Tensor& second = (*outputs)[merge ? 0 : 1].tensor;
        EXPECT_NEAR(number_at((*outputs)[0].tensor, merge ? joined : i), there[i], 1e-5);
        EXPECT_NEAR(number_at(second, merge ? joined + kCells : i), back[i], 1e-5);
      }
      both.inputs[40] = both.inputs[1];
      expect_unsupported(run_case(both));
    }
  }
}

TEST(LstmTflite, RunsTheBasicCellWithItsScratch) {
  const Tensor x = floats_of_seed({2, 3}, 1);
  const Tensor h = floats_of_seed({2, 4}, 2);
  const Tensor weights = floats_of_seed({16, 7}, 3);
  const Tensor bias = floats_of_seed({16}, 4);
  const Tensor c = floats_of_seed({2, 4}, 5);
  TfliteCase test{.op = "LSTM",
                  .inputs = {x, h, weights, bias, c},
                  .outputs = {{DType::F32, {2, 4}},
                              {DType::F32, {2, 4}},
                              {DType::F32, {2, 7}},
                              {DType::F32, {2, 16}}},
                  .options = {{"kernel_type", std::string("BASIC")}}};
  const auto outputs = run_case(test);
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  for (size_t b = 0; b < 2; ++b) {
    Vector joined = slice(x, b, 3);
    const Vector before = slice(h, b, 4);
    joined.insert(joined.end(), before.begin(), before.end());
    for (size_t i = 0; i < 4; ++i) {
      const auto gate = [&](size_t which) {
        return dot(weights, which * 4 + i, joined) + number_at(bias, which * 4 + i);
      };
      const double next =
          sigmoid(gate(0)) * std::tanh(gate(1)) + sigmoid(gate(2)) * number_at(c, b * 4 + i);
      EXPECT_NEAR(number_at((*outputs)[1].tensor, b * 4 + i), next, 1e-5);
      EXPECT_NEAR(number_at((*outputs)[0].tensor, b * 4 + i), sigmoid(gate(3)) * std::tanh(next),
                  1e-5);
      EXPECT_NEAR(number_at((*outputs)[3].tensor, b * 16 + i), gate(0), 1e-5);
    }
  }
}

Tensor as_steps(const Tensor& tensor, float scale) {
  std::vector<int8_t> steps;
  for (const float value : tensor.data<float>()) {
    steps.push_back(static_cast<int8_t>(std::round(value / scale)));
  }
  return quantized<int8_t>(tensor.shape(), steps, quant(scale));
}

TEST(LstmTflite, QuantizesActivationsForIntegerWeights) {
  TfliteCase test = case_of_lstm_tflite({.peephole = true, .projection = true});
  TfliteCase hybrid = test;
  for (const size_t first : {L::kW, L::kR, L::kP}) {
    for (size_t i = first; i < first + (first == L::kP ? 3 : 4); ++i) {
      hybrid.inputs[i] = as_steps(test.inputs[i], 0.0125f);
    }
  }
  hybrid.inputs[L::kProjection] = as_steps(test.inputs[L::kProjection], 0.0125f);
  expect_near(run_tflite(hybrid), expected(test), 0.03);
  // With the weights expanded nothing but their own rounding is lost, which is none: they are
  // multiples of an eighth, and so of the scale.
  Result<Graph> graph = import_case(hybrid);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  ASSERT_TRUE(infer_types(*graph).ok());
  const RunOptions expand{{.expand_hybrid_weights = true}, nullptr};
  const auto outputs = run_graph(*graph, {Item(hybrid.inputs[0])}, expand);
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  expect_near((*outputs)[0].tensor, expected(test), 1e-5);
  hybrid.options["asymmetric_quantize_inputs"] = true;
  expect_unsupported(run_tflite(hybrid));
}

TEST(LstmTflite, RefusesWhatDoesNotFit) {
  TfliteCase test = case_of_lstm_tflite({.cell_clip = 1});
  test.options["cell_clip"] = -1.0;
  expect_bad_input(run_tflite(test));
  test = case_of_lstm_tflite({.cell_clip = 1});
  test.inputs[L::kW] = Tensor();
  expect_bad_input(run_tflite(test));
  test = case_of_lstm_tflite({.cell_clip = 1});
  test.inputs[L::kB + 1] = vector_of<float>({1, 2});
  expect_bad_input(run_tflite(test));
  test = case_of_lstm_tflite({.cell_clip = 1});
  test.inputs[L::kC] = Tensor(TensorType{DType::F32, {1, kCells}});
  expect_bad_input(run_tflite(test));
  test = case_of_lstm_tflite({});
  test.inputs[L::kR + L::kOutput] = floats_of_seed({kCells}, 1);  // A diagonal.
  expect_unsupported(run_tflite(test));
  test = case_of_lstm_tflite({});
  test.inputs[L::kC] = Tensor();
  expect_bad_input(run_tflite(test));
}

}  // namespace
}  // namespace hone
