// The integer LSTM, step by step as TFLM's kernel goes for the plain layer and TFLite's for others,
// for one sample.

#include "hone/ops/quant/fixed_functions16.h"
#include "hone/ops/quant/quant_testing.h"
#include "hone/ops/quant/table16.h"
#include "hone/ops/rnn/lstmp.h"

namespace hone {
namespace {

using L = Lstmp;

constexpr size_t kLstmpIntegerSteps = 60, kLstmpIntegerWidth = 3, kLstmpIntegerCells = 4;
constexpr int32_t kXZero = 5, kHZero = -3, kHiddenZero = -3;
constexpr float kX = 0.02f, kH = 0.0078f, kHidden = 0.0078f, kCell = 0x1p-12f, kP = 0.0001f;
constexpr float kW[4] = {0.01f, 0.012f, 0.009f, 0.011f};
constexpr float kR[4] = {0.008f, 0.013f, 0.007f, 0.01f};
constexpr float kProjection = 0.006f;

template <class T>
std::vector<T> numbers(size_t count, size_t seed, int low, int high) {
  std::vector<T> values = some_values<T>(count + seed, low, high);
  values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(seed));
  return values;
}

// Sums to another scale, by TFLite's rule.
int64_t rescaled_lstmp_integer(int64_t sum, float scale) {
  int shift = 0;
  const double mantissa = std::frexp(double{scale}, &shift);
  const double left = static_cast<double>(sum) * std::ldexp(1.0, std::max(shift, 0));
  const double high = std::floor(left * std::round(mantissa * 0x1p31) / 0x1p31 + 0.5);
  return static_cast<int64_t>(std::round(high / std::ldexp(1.0, std::max(-shift, 0))));
}

int16_t cut16(int64_t x) {
  return static_cast<int16_t>(std::clamp<int64_t>(x, -32768, 32767));
}

struct LstmpIntegerVariant {
  bool coupled = false;
  bool peephole = false;
  bool projection = false;
  double cell_clip = 0;
  bool plain() const { return !coupled && !peephole && !projection; }
  size_t outputs() const { return projection ? 2 : kLstmpIntegerCells; }
};

TfliteCase case_of_lstmp_integer(const LstmpIntegerVariant& v) {
  const auto outputs = static_cast<int64_t>(v.outputs());
  std::vector<Tensor> inputs(L::kInputs);
  inputs[L::kX] = quantized<int8_t>(
      {1, kLstmpIntegerSteps, kLstmpIntegerWidth},
      numbers<int8_t>(kLstmpIntegerSteps * kLstmpIntegerWidth, 0, -128, 127), quant(kX, kXZero));
  for (size_t gate = v.coupled ? 1 : 0; gate < 4; ++gate) {
    inputs[L::kW + gate] = quantized<int8_t>(
        {kLstmpIntegerCells, kLstmpIntegerWidth},
        numbers<int8_t>(kLstmpIntegerCells * kLstmpIntegerWidth, 3 + gate, -127, 127),
        quant(kW[gate]));
    inputs[L::kR + gate] = quantized<int8_t>(
        {kLstmpIntegerCells, outputs},
        numbers<int8_t>(kLstmpIntegerCells * v.outputs(), 30 + gate, -127, 127), quant(kR[gate]));
    inputs[L::kB + gate] =
        vector_of<int32_t>(numbers<int32_t>(kLstmpIntegerCells, 40 + gate, -3000, 3000));
    if (v.peephole && gate != L::kCell) {
      inputs[L::peephole_of(static_cast<L::Gate>(gate))] = quantized<int16_t>(
          {kLstmpIntegerCells}, numbers<int16_t>(kLstmpIntegerCells, 50 + gate, -9000, 9000),
          quant(kP));
    }
  }
  if (v.projection) {
    inputs[L::kProjection] = quantized<int8_t>(
        {outputs, kLstmpIntegerCells},
        numbers<int8_t>(v.outputs() * kLstmpIntegerCells, 60, -127, 127), quant(kProjection));
    inputs[L::kProjectionBias] = vector_of<int32_t>({500, -700});
  }
  inputs[L::kH] =
      quantized<int8_t>({1, outputs}, std::vector<int8_t>(v.outputs(), kHZero), quant(kH, kHZero));
  inputs[L::kC] = quantized<int16_t>({1, kLstmpIntegerCells},
                                     std::vector<int16_t>(kLstmpIntegerCells), quant(kCell));
  const TensorType unused{DType::I16, {0}};
  return {
      .op = "UNIDIRECTIONAL_SEQUENCE_LSTM",
      .inputs = std::move(inputs),
      .outputs = {{DType::I8, {1, kLstmpIntegerSteps, outputs}, quant(kH, kHZero)}},
      .options = {{"fused_activation_function", std::string("TANH")}, {"cell_clip", v.cell_clip}},
      .intermediates = {
          unused, unused, unused, unused, {DType::I8, {0}, quant(kHidden, kHiddenZero)}}};
}

class Reference {
 public:
  Reference(const TfliteCase& test, const LstmpIntegerVariant& v) : in_(test.inputs), v_(v) {}

  std::vector<int8_t> run() {
    std::vector<int8_t> h(v_.outputs(), kHZero), y;
    std::vector<int16_t> c(kLstmpIntegerCells);
    for (size_t t = 0; t < kLstmpIntegerSteps; ++t) {
      const auto x = in_[L::kX].data<int8_t>().subspan(t * kLstmpIntegerWidth, kLstmpIntegerWidth);
      h = step({x.begin(), x.end()}, h, c);
      y.insert(y.end(), h.begin(), h.end());
    }
    return y;
  }

 private:
  int16_t gate(L::Gate which, size_t i, const std::vector<int8_t>& x, const std::vector<int8_t>& h,
               int16_t c) const {
    int64_t fed = in_[L::kB + which].data<int32_t>()[i];
    for (size_t k = 0; k < x.size(); ++k) {
      fed += (x[k] - kXZero) * in_[L::kW + which].data<int8_t>()[i * x.size() + k];
    }
    int64_t kept = 0;
    for (size_t k = 0; k < h.size(); ++k) {
      kept += (h[k] - kHZero) * in_[L::kR + which].data<int8_t>()[i * h.size() + k];
    }
    int16_t sum = cut16(rescaled_lstmp_integer(fed, kW[which] * kX / 0x1p-12f));
    sum = cut16(sum + rescaled_lstmp_integer(kept, kR[which] * kH / 0x1p-12f));
    if (which == L::kCell || !v_.peephole) return sum;
    const int64_t product = int64_t{in_[L::peephole_of(which)].data<int16_t>()[i]} * c;
    return cut16(sum + rescaled_lstmp_integer(product, kCell * kP / 0x1p-12f));
  }

  // x / 2^bits, ties away from zero.
  static int64_t divided(int64_t x, int bits) {
    return static_cast<int64_t>(std::round(std::ldexp(static_cast<double>(x), -bits)));
  }

  // Gates and cells have 3 integer bits here, which a table of 3 * 4096 steps per 1 wants tripled.
  int sigmoid(int16_t x) const { return v_.plain() ? table_sigmoid(3 * x) : fixed_sigmoid16(x); }
  int tanh(int16_t x) const { return v_.plain() ? table_tanh(3 * x) : fixed_tanh16(x, 3); }
  // a * b / 2^bits: TFLM rounds twice, as for any other product, and cuts.
  int64_t product(int64_t a, int64_t b, int bits) const {
    return v_.plain() ? cut16(rescaled_lstmp_integer(a * b, std::ldexp(1.0f, -bits)))
                      : divided(a * b, bits);
  }

  std::vector<int8_t> step(const std::vector<int8_t>& x, const std::vector<int8_t>& h,
                           std::vector<int16_t>& c) const {
    std::vector<int64_t> hidden;
    for (size_t i = 0; i < kLstmpIntegerCells; ++i) {
      const int f = sigmoid(gate(L::kForget, i, x, h, c[i]));
      const int n = tanh(gate(L::kCell, i, x, h, c[i]));
      const int in = v_.coupled ? 32767 - f : sigmoid(gate(L::kInput, i, x, h, c[i]));
      c[i] = cut16(product(f, c[i], 15) + product(in, n, 30 - 12));
      const auto limit = static_cast<int16_t>(v_.cell_clip / double{kCell});
      if (limit > 0) c[i] = std::clamp(c[i], static_cast<int16_t>(-limit), limit);
      const int o = sigmoid(gate(L::kOutput, i, x, h, c[i]));
      hidden.push_back(rescaled_lstmp_integer(int64_t{o} * tanh(c[i]), 0x1p-30f / kHidden));
    }
    return v_.projection ? projected(hidden) : as_outputs(hidden);
  }

  static std::vector<int8_t> as_outputs(const std::vector<int64_t>& hidden) {
    std::vector<int8_t> y;
    for (const int64_t value : hidden) {
      y.push_back(static_cast<int8_t>(std::clamp<int64_t>(value + kHiddenZero, -128, 127)));
    }
    return y;
  }

  std::vector<int8_t> projected(const std::vector<int64_t>& hidden) const {
    std::vector<int8_t> y;
    for (size_t row = 0; row < v_.outputs(); ++row) {
      int64_t sum = in_[L::kProjectionBias].data<int32_t>()[row];
      for (size_t i = 0; i < kLstmpIntegerCells; ++i) {
        const int64_t stored = std::clamp<int64_t>(hidden[i] - kHiddenZero, -128, 127);
        sum += (stored + kHiddenZero) *
               in_[L::kProjection].data<int8_t>()[row * kLstmpIntegerCells + i];
      }
      const int64_t value = rescaled_lstmp_integer(sum, kProjection * kHidden / kH) + kHZero;
      y.push_back(static_cast<int8_t>(std::clamp<int64_t>(value, -128, 127)));
    }
    return y;
  }

  const std::vector<Tensor>& in_;
  const LstmpIntegerVariant& v_;
};

TEST(LstmpInteger, ComputesAsTheKernelsDo) {
  const std::vector<LstmpIntegerVariant> variants = {
      {},
      {.peephole = true},
      {.coupled = true},
      {.cell_clip = 0.5},
      {.projection = true},
      {.coupled = true, .peephole = true, .cell_clip = 0.75}};
  for (const LstmpIntegerVariant& variant : variants) {
    const TfliteCase test = case_of_lstmp_integer(variant);
    expect_tensor<int8_t>(run_tflite(test),
                          {1, kLstmpIntegerSteps, static_cast<int64_t>(variant.outputs())},
                          Reference(test, variant).run());
  }
}

TEST(LstmpInteger, RefusesScalesItHasNoKernelFor) {
  TfliteCase test = case_of_lstmp_integer({});
  test.inputs[L::kC] = test.inputs[L::kC].with_quantization(quant(0.001f));
  expect_unsupported(run_tflite(test));
  test.inputs[L::kC] = test.inputs[L::kC].with_quantization(quant(0x1p-8f));
  expect_unsupported(run_tflite(test));
  test = case_of_lstmp_integer({});
  test.inputs[L::kW + 1] = test.inputs[L::kW + 1].with_quantization(quant(0.01f, 1));
  expect_unsupported(run_tflite(test));
  test = case_of_lstmp_integer({.peephole = true, .projection = true});
  expect_unsupported(run_tflite(test));
  test = case_of_lstmp_integer({});
  test.options["fused_activation_function"] = std::string("RELU");
  expect_unsupported(run_tflite(test));
  test = case_of_lstmp_integer({});
  test.intermediates.pop_back();
  expect_bad_input(run_tflite(test));
  test = case_of_lstmp_integer({});
  test.op = "LSTM";
  expect_unsupported(run_tflite(test));
}

}  // namespace
}  // namespace hone
