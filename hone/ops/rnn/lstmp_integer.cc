// The integer kernels of LSTM, bit for bit: gates have 16 bits, of which 3 are integer before their
// function and none after it; cells have 16 bits and a scale of 2^k. The plain layer is TFLM's,
// with sigmoid and tanh from a table; peepholes, coupled gates, projection and layer normalization,
// which TFLM has not, are TFLite's, in fixed point. With layer normalization the sums before it
// have scales of their own (gate_scales). TFLite before late 2022 has the zero point of h with the
// wrong sign when there is no projection; this is the later one.

#include <cmath>
#include <memory>

#include "hone/ops/elementwise/arithmetic.h"
#include "hone/ops/quant/fixed_functions16.h"
#include "hone/ops/quant/integer.h"
#include "hone/ops/quant/table16.h"
#include "hone/ops/rnn/lstmp.h"
#include "hone/tensor/fixed_functions.h"

namespace hone {
namespace {

constexpr int kGateBits = 3;

// log2 of the scale of the cells; none when that is no power of 2 (to a thousandth), or when tanh
// has no table for it.
std::optional<int> cell_exponent(const TensorType& cells) {
  const double exponent = std::log2(double{cells.quant->scale()});
  const double nearest = std::round(exponent);
  if (std::abs(exponent - nearest) > 1e-3 || nearest < -15 || nearest > -9) return std::nullopt;
  return static_cast<int>(nearest);
}

// x or h times a matrix, and how the sums are scaled.
struct GateProduct {
  std::vector<int8_t> weights;
  std::vector<uint32_t> bias;  // With the zero point of the operand taken off.
  FixedPoint factor;
  bool there = false;

  size_t rows() const { return bias.size(); }

  // The scaled sum of a row.
  int32_t row(size_t r, const std::vector<int8_t>& x, Rounding rounding) const {
    uint32_t sum = bias[r];
    for (size_t i = 0; i < x.size(); ++i) {
      sum += static_cast<uint32_t>(weights[r * x.size() + i] * x[i]);
    }
    return scale_by(static_cast<int32_t>(sum), factor, rounding);
  }
};

int16_t cut16(int64_t x) {
  return static_cast<int16_t>(std::clamp<int64_t>(x, -32768, 32767));
}
int8_t cut8(int64_t x) {
  return static_cast<int8_t>(std::clamp<int64_t>(x, -128, 127));
}

// a * b / 2^shift, rounded with ties away from zero; a result of 17 bits wraps.
int16_t multiplied(int16_t a, int16_t b, int shift) {
  return static_cast<int16_t>(rounding_divide_by_pot(int32_t{a} * b, shift));
}

// Whether nothing is there but gates, weights, biases and a clipped cell.
bool is_plain(const EvalContext& in) {
  bool extras = !in.has(Lstmp::kW + Lstmp::kInput);
  for (size_t i = 0; i < Lstmp::kInputs; ++i) extras |= Lstmp::is_extra(i) && in.has(i);
  return !extras;
}

// What becomes of gates and cells of 16 bits once the sums are there.
class GateArithmetic {
 public:
  virtual ~GateArithmetic() = default;
  virtual int16_t sigmoid(int16_t gate) const = 0;
  virtual int16_t tanh_of_gate(int16_t gate) const = 0;
  virtual int16_t tanh_of_cell(int16_t cell) const = 0;
  virtual int16_t keep(int16_t forget, int16_t cell) const = 0;
  virtual int16_t admit(int16_t input, int16_t fresh) const = 0;
};

class FixedPointGates final : public GateArithmetic {
 public:
  explicit FixedPointGates(int cell_exponent) : cell_exponent_(cell_exponent) {}
  int16_t sigmoid(int16_t gate) const override { return fixed_sigmoid16(gate); }
  int16_t tanh_of_gate(int16_t gate) const override { return fixed_tanh16(gate, kGateBits); }
  int16_t tanh_of_cell(int16_t cell) const override {
    return fixed_tanh16(cell, 15 + cell_exponent_);
  }
  int16_t keep(int16_t forget, int16_t cell) const override { return multiplied(forget, cell, 15); }
  int16_t admit(int16_t input, int16_t fresh) const override {
    return multiplied(input, fresh, 30 + cell_exponent_);
  }

 private:
  int cell_exponent_;
};

class TableGates final : public GateArithmetic {
 public:
  TableGates(const TableLstm& factors, Rounding rounding)
      : factors_(factors), rounding_(rounding) {}
  int16_t sigmoid(int16_t gate) const override {
    return static_cast<int16_t>(table_sigmoid(3 * gate));
  }
  int16_t tanh_of_gate(int16_t gate) const override {
    return static_cast<int16_t>(table_tanh(3 * gate));
  }
  int16_t tanh_of_cell(int16_t cell) const override {
    const int32_t x = 3 * cell;
    const int shift = factors_.shift;
    const int32_t scaled = shift >= 0 ? x * (1 << shift) : (x + (1 << (-shift - 1))) >> -shift;
    return static_cast<int16_t>(table_tanh(scaled));
  }
  int16_t keep(int16_t forget, int16_t cell) const override {
    return times(forget, cell, factors_.keep);
  }
  int16_t admit(int16_t input, int16_t fresh) const override {
    return times(input, fresh, factors_.admit);
  }

 private:
  int16_t times(int16_t a, int16_t b, FixedPoint factor) const {
    return cut16(scale_by(int32_t{a} * b, factor, rounding_));
  }

  TableLstm factors_;
  Rounding rounding_;
};

class IntegerLstm {
 public:
  using Gates = std::vector<int16_t>;

  explicit IntegerLstm(EvalContext& in)
      : in_(in),
        shape_(in),
        rounding_(in.options().rounding),
        cell_exponent_(*cell_exponent(in.in(Lstmp::kC).type())),
        hidden_zero_point_(in.integer("hidden_zero_point")) {
    const float hidden = hidden_scale();
    const float x = scale_of(in.in(Lstmp::kX));
    const float h = scale_of(in.in(Lstmp::kH));
    if (is_plain(in)) {
      const TableLstm factors(in.in(Lstmp::kH).type(), in.in(Lstmp::kC).type());
      gates_ = std::make_unique<TableGates>(factors, rounding_);
      hidden_zero_point_ = zero_point_of(in.in(Lstmp::kH));
      hidden_factor_ = factors.hidden;
    } else {
      gates_ = std::make_unique<FixedPointGates>(cell_exponent_);
      hidden_factor_ = fixed_point(double{static_cast<float>(0x1p-15 / double{hidden} * 0x1p-15)});
    }
    for (size_t gate = 0; gate < 4; ++gate) {
      // A normalized gate adds its bias later.
      const bool normalized = in.has(Lstmp::kNorm + gate);
      w_[gate] = product(Lstmp::kW + gate, normalized ? Lstmp::kInputs : Lstmp::kB + gate,
                         -zero_point_of(in.in(Lstmp::kX)), x, gate_scale(gate));
      r_[gate] = product(Lstmp::kR + gate, Lstmp::kInputs, -zero_point_of(in.in(Lstmp::kH)), h,
                         gate_scale(gate));
    }
    // The hidden values have their zero point taken off in advance, with the other sign.
    projection_ = product(Lstmp::kProjection, Lstmp::kProjectionBias,
                          static_cast<int32_t>(hidden_zero_point_), hidden, h);
  }

  void run() {
    for (int64_t sample = 0; sample < shape_.batch; ++sample) {
      auto h = slice<int8_t>(Lstmp::kH, static_cast<size_t>(sample), shape_.outputs);
      auto c = slice<int16_t>(Lstmp::kC, static_cast<size_t>(sample), shape_.cells);
      for (int64_t step = 0; step < shape_.steps; ++step) {
        const size_t row = shape_.row(step, sample);
        h = advance(slice<int8_t>(Lstmp::kX, row, shape_.inputs), h, c);
        store(0, row, h);
      }
      if (in_.outputs() > 1) store(1, static_cast<size_t>(sample), h);
      if (in_.outputs() > 2) store(2, static_cast<size_t>(sample), c);
    }
  }

 private:
  float hidden_scale() const { return static_cast<float>(in_.real("hidden_scale")); }

  // Of input `weights`, nothing when that is left out; `times` is what each weight adds to the
  // bias.
  GateProduct product(size_t weights, size_t bias, int32_t times, float operand,
                      float result) const {
    GateProduct made;
    if (!in_.has(weights)) return made;
    made.there = true;
    const Tensor& w = in_.in(weights);
    made.weights.assign(w.data<int8_t>().begin(), w.data<int8_t>().end());
    made.factor = gate_factor(scale_of(w), operand, result);
    const auto columns = static_cast<size_t>(w.shape()[1]);
    for (size_t row = 0; row < static_cast<size_t>(w.shape()[0]); ++row) {
      uint32_t sum = 0;
      for (size_t i = 0; i < columns; ++i) {
        sum += static_cast<uint32_t>(made.weights[row * columns + i]);
      }
      sum *= static_cast<uint32_t>(times);
      if (in_.has(bias)) sum += static_cast<uint32_t>(in_.in(bias).data<int32_t>()[row]);
      made.bias.push_back(sum);
    }
    return made;
  }

  template <class T>
  std::vector<T> slice(size_t input, size_t row, int64_t length) const {
    const auto width = static_cast<size_t>(length);
    const auto data = in_.in(input).data<T>().subspan(row * width, width);
    return {data.begin(), data.end()};
  }

  template <class T>
  void store(size_t output, size_t row, const std::vector<T>& values) {
    const auto to = in_.out(output).mutable_data<T>();
    std::ranges::copy(values, to.begin() + static_cast<std::ptrdiff_t>(row * values.size()));
  }

  // The scale of a gate's sum; 3 integer bits of 16 where no normalization sets others.
  float gate_scale(size_t gate) const {
    if (!in_.has(Lstmp::kNorm + Lstmp::kForget)) return kGateScale;
    return static_cast<float>(in_.attr<Floats>("gate_scales")[gate]);
  }

  // The gate of all cells, before its function.
  Gates sum(Lstmp::Gate which, const std::vector<int8_t>& x, const std::vector<int8_t>& h,
            const Gates& c) const {
    Gates sums(c.size());
    for (size_t i = 0; i < sums.size(); ++i) {
      sums[i] = cut16(w_[which].row(i, x, rounding_));
      sums[i] = cut16(int64_t{sums[i]} + r_[which].row(i, h, rounding_));
    }
    if (which != Lstmp::kCell && in_.has(Lstmp::peephole_of(which))) {
      add_peephole(in_.in(Lstmp::peephole_of(which)), gate_scale(which), c, sums);
    }
    if (in_.has(Lstmp::kNorm + which)) {
      normalize(in_.in(Lstmp::kNorm + which), in_.in(Lstmp::kB + which), sums);
    }
    return sums;
  }

  void add_peephole(const Tensor& peephole, float scale, const Gates& c, Gates& sums) const {
    // TFLite multiplies 2^k in double.
    const double real = std::ldexp(double{scale_of(peephole)}, cell_exponent_) / double{scale};
    const FixedPoint factor = fixed_point(double{static_cast<float>(real)});
    for (size_t i = 0; i < sums.size(); ++i) {
      const int32_t product = int32_t{peephole.data<int16_t>()[i]} * c[i];
      sums[i] = cut16(int64_t{sums[i]} + scale_by(product, factor, rounding_));
    }
  }

  // To mean 0 and deviation 1, then times the norm's weights plus the bias. Mean and deviations
  // have 10 more bits, the variance 20.
  void normalize(const Tensor& norm, const Tensor& bias, Gates& sums) const {
    if (sums.empty()) return;
    int64_t sum = 0;
    int64_t squares = 0;
    for (const int16_t value : sums) sum += value;
    for (const int16_t value : sums) squares += int64_t{value} * value;
    const auto count = static_cast<int64_t>(sums.size());
    const auto mean = static_cast<int32_t>(sum * 1024 / count);
    const int64_t wide = squares * ((1 << 20) / count) - int64_t{mean} * mean;
    auto variance = static_cast<int32_t>(wide / (1 << 20));
    // For sums that are all the same.
    if (variance < 1) variance = std::max(1, static_cast<int32_t>(10000 * scale_of(norm)));
    const FixedPoint inverse = fixed_inverse_sqrt(variance);
    FixedPoint factor = fixed_point(double{scale_of(norm)});
    factor.shift += 12;
    for (size_t i = 0; i < sums.size(); ++i) {
      const int32_t unit = scale_by(1024 * int32_t{sums[i]} - mean, inverse, rounding_);
      // 32 bits, which may wrap.
      const auto weighted = static_cast<int32_t>(
          static_cast<uint32_t>(unit) * static_cast<uint32_t>(int32_t{norm.data<int16_t>()[i]}) +
          static_cast<uint32_t>(bias.data<int32_t>()[i]));
      const int64_t rounded = int64_t{weighted} + (weighted > 0 ? 512 : -512);
      sums[i] = cut16(scale_by(static_cast<int32_t>(rounded / 1024), factor, rounding_));
    }
  }

  void update_cells(const std::vector<int8_t>& x, const std::vector<int8_t>& h, Gates& c) const {
    const bool coupled = !w_[Lstmp::kInput].there;
    const Gates input = coupled ? Gates() : sum(Lstmp::kInput, x, h, c);
    const Gates forget = sum(Lstmp::kForget, x, h, c);
    const Gates fresh = sum(Lstmp::kCell, x, h, c);
    const int16_t limit = cell_limit(in_.real("cell_clip"), scale_of(in_.in(Lstmp::kC)));
    for (size_t i = 0; i < c.size(); ++i) {
      const int16_t f = gates_->sigmoid(forget[i]);
      const int16_t in = coupled ? static_cast<int16_t>(32767 - f) : gates_->sigmoid(input[i]);
      c[i] =
          cut16(int64_t{gates_->keep(f, c[i])} + gates_->admit(in, gates_->tanh_of_gate(fresh[i])));
      if (limit > 0) c[i] = std::clamp(c[i], static_cast<int16_t>(-limit), limit);
    }
  }

  // The next h; c becomes its next.
  std::vector<int8_t> advance(const std::vector<int8_t>& x, const std::vector<int8_t>& h,
                              Gates& c) const {
    update_cells(x, h, c);
    const Gates output = sum(Lstmp::kOutput, x, h, c);
    std::vector<int8_t> hidden(c.size());
    const int64_t zero_point = projection_.there ? -hidden_zero_point_ : hidden_zero_point_;
    for (size_t i = 0; i < c.size(); ++i) {
      const int32_t product = int32_t{gates_->sigmoid(output[i])} * gates_->tanh_of_cell(c[i]);
      hidden[i] = cut8(scale_by(product, hidden_factor_, rounding_) + zero_point);
    }
    return projection_.there ? project(hidden) : hidden;
  }

  std::vector<int8_t> project(const std::vector<int8_t>& hidden) const {
    const int32_t zero_point = zero_point_of(in_.in(Lstmp::kH));
    const float steps =
        static_cast<float>(in_.real("proj_clip")) / in_.out_type(0).tensor.quant->scale();
    const auto limit = saturate_to<int8_t>(double{steps});
    std::vector<int8_t> y(projection_.rows());
    for (size_t i = 0; i < y.size(); ++i) {
      y[i] = cut8(int64_t{projection_.row(i, hidden, rounding_)} + zero_point);
      if (limit > 0) y[i] = std::clamp(y[i], static_cast<int8_t>(-limit), limit);
    }
    return y;
  }

  EvalContext& in_;
  Lstmp shape_;
  Rounding rounding_;
  int cell_exponent_;
  std::unique_ptr<GateArithmetic> gates_;
  int64_t hidden_zero_point_;
  FixedPoint hidden_factor_;
  GateProduct w_[4];
  GateProduct r_[4];
  GateProduct projection_;
};

}  // namespace

FixedPoint gate_factor(float weights, float operand, float gate) {
  return fixed_point(double{weights * operand / gate});
}

int16_t cell_limit(double clip, float scale) {
  return saturate_to<int16_t>(double{static_cast<float>(clip) / scale});
}

TableLstm::TableLstm(const TensorType& h, const TensorType& cells)
    : keep(fixed_point(0x1p-15)),
      admit(fixed_point(0x1p-30 / double{cells.quant->scale()})),
      hidden(fixed_point(0x1p-30 / double{h.quant->scale()})),
      shift(12 + *cell_exponent(cells)) {}

Status check_lstmp_integer(const InferContext& in) {
  if (!in.has(Lstmp::kH) || !in.has(Lstmp::kC)) {
    return unsupported("integers without states, whose scales are needed");
  }
  if (in.has(Lstmp::kNorm + Lstmp::kForget)) {
    const Floats& scales = in.attr<Floats>("gate_scales");
    const bool positive = std::ranges::all_of(
        scales, [](double scale) { return static_cast<float>(scale) > 0 && std::isfinite(scale); });
    if (scales.size() != 4 || !positive) {
      return bad_input("layer normalization in integers without the scales of four gates");
    }
  }
  if (in.text("cell_activation") != "tanh") {
    return unsupported("cell_activation '", in.text("cell_activation"), "' in integers");
  }
  const TensorType& y = in.declared(0);
  if (y.dtype != DType::I8 || !y.quantized() || !y.quant->per_tensor()) {
    return unsupported("an output of ", y, " that is not quantized as the input is");
  }
  const TensorType& cells = in.type(Lstmp::kC);
  if (cells.quantized() && !cell_exponent(cells)) {
    return unsupported("cells of scale ", cells.quant->scale(),
                       ", expected a power of 2 from 2^-15 to 2^-9");
  }
  const int64_t zero_point = in.integer("hidden_zero_point");
  if (!in.has_attr("hidden_scale") || !(static_cast<float>(in.real("hidden_scale")) > 0) ||
      !std::isfinite(in.real("hidden_scale")) || zero_point < -128 || zero_point > 127) {
    return bad_input("integers without a scale and a zero point of the hidden values");
  }
  // TFLite walks its peepholes as if there were as many of them as outputs.
  if (in.has(Lstmp::kP + 1) && in.has(Lstmp::kProjection)) {
    return unsupported("peepholes with a projection in integers");
  }
  return Done{};
}

Status eval_lstmp_integer(EvalContext& in) {
  IntegerLstm(in).run();
  return Done{};
}

}  // namespace hone
