#include <cmath>

#include "hone/ops/common.h"
#include "hone/ops/quant/weighted.h"
#include "hone/ops/rnn/lstmp.h"

namespace hone {
namespace {

using Vector = std::vector<float>;

// What matrices multiply: a vector, and for int8 weights the same quantized by its own scale.
struct HybridVector {
  explicit HybridVector(Vector from) : values(std::move(from)) {}
  const HybridRows& quantized() {
    if (rows.scales.empty()) {
      const auto length = static_cast<int64_t>(values.size());
      rows = quantize_rows(Tensor::of<float>({1, length}, values), 1, HybridRange::Symmetric);
    }
    return rows;
  }

  Vector values;
  HybridRows rows;
};

// A matrix, or a diagonal one: weights of float, or steps of a scale.
class Weights {
 public:
  Weights() = default;
  Weights(const Tensor& tensor, bool expand) {
    if (!tensor.type().quantized()) {
      const auto data = tensor.data<float>();
      values_.assign(data.begin(), data.end());
      return;
    }
    scale_ = tensor.type().quant->scale();
    steps_ = less_zero_points<uint32_t>(tensor);
    for (const uint32_t step : steps_) {
      values_.push_back(static_cast<float>(static_cast<int32_t>(step)) * scale_);
    }
    if (expand) steps_.clear();
  }

  bool empty() const { return values_.empty(); }
  const Vector& diagonal() const { return values_; }

  // y += this * x.
  void add_product(HybridVector& x, Vector& y) const {
    const size_t columns = x.values.size();
    for (size_t row = 0; row < y.size(); ++row) {
      y[row] += steps_.empty() ? dot(row, x.values) : hybrid_dot(row, x.quantized(), columns);
    }
  }

 private:
  float dot(size_t row, const Vector& x) const {
    double sum = 0;
    for (size_t i = 0; i < x.size(); ++i) sum += double{values_[row * x.size() + i]} * double{x[i]};
    return static_cast<float>(sum);
  }

  float hybrid_dot(size_t row, const HybridRows& x, size_t columns) const {
    uint32_t sum = 0;
    for (size_t i = 0; i < columns; ++i) sum += steps_[row * columns + i] * x.values[i];
    return static_cast<float>(static_cast<int32_t>(sum)) * (scale_ * x.scales[0]);
  }

  Vector values_;
  std::vector<uint32_t> steps_;
  float scale_ = 1;
};

// To mean 0 and deviation 1.
void normalize(Vector& z) {
  constexpr double kSmallestVariance = 1e-8;
  const auto count = static_cast<double>(z.size());
  double mean = 0;
  for (const float value : z) mean += double{value} / count;
  double variance = 0;
  for (const float value : z) variance += (double{value} - mean) * (double{value} - mean) / count;
  const double inverse = 1 / std::sqrt(variance + kSmallestVariance);
  for (float& value : z) value = static_cast<float>((double{value} - mean) * inverse);
}

float sigmoid(float x) {
  return 1 / (1 + std::exp(-x));
}

void clip(Vector& values, double limit) {
  if (limit <= 0) return;
  const auto bound = static_cast<float>(limit);
  for (float& value : values) value = std::min(std::max(value, -bound), bound);
}

class FloatLstm {
 public:
  explicit FloatLstm(EvalContext& in)
      : in_(in), shape_(in), function_(cell_function(in.text("cell_activation"))) {
    const bool expand = in.options().expand_hybrid_weights;
    for (size_t i = 0; i < Lstmp::kInputs; ++i) {
      const bool weights = i != Lstmp::kX && i != Lstmp::kH && i != Lstmp::kC;
      if (in.has(i) && weights) weights_[i] = Weights(in.in(i), expand);
    }
  }

  void run() {
    for (int64_t sample = 0; sample < shape_.batch; ++sample) {
      HybridVector h(state(Lstmp::kH, shape_.outputs, sample));
      Vector c = state(Lstmp::kC, shape_.cells, sample);
      for (int64_t step = 0; step < shape_.steps; ++step) {
        const size_t row = shape_.row(step, sample);
        HybridVector x(slice(in_.in(Lstmp::kX), row, shape_.inputs));
        h = HybridVector(advance(x, h, c));
        store(0, row, h.values);
      }
      if (in_.outputs() > 1) store(1, static_cast<size_t>(sample), h.values);
      if (in_.outputs() > 2) store(2, static_cast<size_t>(sample), c);
    }
  }

 private:
  static Vector slice(const Tensor& tensor, size_t row, int64_t length) {
    const auto width = static_cast<size_t>(length);
    const auto data = tensor.data<float>().subspan(row * width, width);
    return {data.begin(), data.end()};
  }

  Vector state(size_t input, int64_t length, int64_t sample) const {
    if (!in_.has(input)) return Vector(static_cast<size_t>(length));
    return slice(in_.in(input), static_cast<size_t>(sample), length);
  }

  void store(size_t output, size_t row, const Vector& values) {
    const auto to = in_.out(output).mutable_data<float>();
    std::ranges::copy(values, to.begin() + static_cast<std::ptrdiff_t>(row * values.size()));
  }

  // The gate's sum, before its function.
  Vector sum(Lstmp::Gate gate, HybridVector& x, HybridVector& h, const Vector& c) {
    const Vector& bias = weights_[Lstmp::kB + gate].diagonal();
    const Weights& norm = weights_[Lstmp::kNorm + gate];
    Vector z = norm.empty() ? bias : Vector(bias.size());
    weights_[Lstmp::kW + gate].add_product(x, z);
    weights_[Lstmp::kR + gate].add_product(h, z);
    if (gate != Lstmp::kCell && !weights_[Lstmp::peephole_of(gate)].empty()) {
      const Vector& peephole = weights_[Lstmp::peephole_of(gate)].diagonal();
      for (size_t i = 0; i < z.size(); ++i) z[i] += peephole[i] * c[i];
    }
    if (norm.empty()) return z;
    normalize(z);
    for (size_t i = 0; i < z.size(); ++i) z[i] = z[i] * norm.diagonal()[i] + bias[i];
    return z;
  }

  // The next h; c becomes its next.
  Vector advance(HybridVector& x, HybridVector& h, Vector& c) {
    const bool coupled = !in_.has(Lstmp::kW);
    const Vector input = coupled ? Vector() : sum(Lstmp::kInput, x, h, c);
    const Vector forget = sum(Lstmp::kForget, x, h, c);
    const Vector fresh = sum(Lstmp::kCell, x, h, c);
    for (size_t i = 0; i < c.size(); ++i) {
      const float f = sigmoid(forget[i]);
      c[i] = f * c[i] + (coupled ? 1 - f : sigmoid(input[i])) * function_(fresh[i]);
    }
    clip(c, in_.real("cell_clip"));
    Vector y = sum(Lstmp::kOutput, x, h, c);
    for (size_t i = 0; i < y.size(); ++i) y[i] = sigmoid(y[i]) * function_(c[i]);
    if (!in_.has(Lstmp::kProjection)) return y;
    Vector projected(static_cast<size_t>(shape_.outputs));
    if (in_.has(Lstmp::kProjectionBias)) projected = weights_[Lstmp::kProjectionBias].diagonal();
    HybridVector operand(std::move(y));
    weights_[Lstmp::kProjection].add_product(operand, projected);
    clip(projected, in_.real("proj_clip"));
    return projected;
  }

  EvalContext& in_;
  Lstmp shape_;
  CellFunction function_;
  Weights weights_[Lstmp::kInputs];
};

}  // namespace

Status eval_lstmp_float(EvalContext& in) {
  FloatLstm(in).run();
  return Done{};
}

}  // namespace hone
