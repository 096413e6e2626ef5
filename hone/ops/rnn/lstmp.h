// lstmp, TFLite's LSTM: the canonical one with what ONNX has no word for. `g` stands for the gates
// i, f, c and o:
//     z_g = w_g x + r_g h + p_g * state_c + b_g      (no p_c; p_o sees the new state)
//           with layer normalization: (z - mean) / deviation * norm_g + b_g, b_g left out of z
//     i, f, o = sigmoid(z)      i = 1 - f without w_i        n = g(z_c)
//     c = clip(f * c + i * n)
//     h = o * g(c), or with a projection clip(projection (o * g(c)) + its bias)
// Inputs are in TFLite's order: x [steps, batch, inputs] (or batch first), w, r, p, b, the
// projection and its bias, the states h [batch, outputs] and c [batch, cells], norm.
#pragma once

#include <string>

#include "hone/ops/op_def.h"

namespace hone {

struct Lstmp {
  static constexpr size_t kX = 0;
  static constexpr size_t kW = 1;  // Four of each, in the order of Gate.
  static constexpr size_t kR = 5;
  static constexpr size_t kP = 9;  // Three: not of the cell.
  static constexpr size_t kB = 12;
  static constexpr size_t kProjection = 16;
  static constexpr size_t kProjectionBias = 17;
  static constexpr size_t kH = 18;
  static constexpr size_t kC = 19;
  static constexpr size_t kNorm = 20;
  static constexpr size_t kInputs = 24;

  enum Gate : size_t { kInput, kForget, kCell, kOutput };
  static constexpr size_t peephole_of(Gate gate) {
    return kP + (gate == kOutput ? size_t{2} : size_t{gate});
  }
  // An input that the plain layer, TFLM's, does not have: peepholes, projection, normalization.
  static constexpr bool is_extra(size_t input) {
    return (input >= kP && input < kB) || input == kProjection || input == kProjectionBias ||
           input >= kNorm;
  }

  // The extents of a node that runs.
  explicit Lstmp(const EvalContext& in);
  int64_t steps;
  int64_t batch;
  int64_t inputs;
  int64_t cells;
  int64_t outputs;
  bool time_major;
  bool reverse;

  // Where the vectors of a step lie, in x and in y.
  size_t row(int64_t step, int64_t sample) const {
    const int64_t t = reverse ? steps - 1 - step : step;
    return static_cast<size_t>(time_major ? t * batch + sample : sample * steps + t);
  }
};

// The function of cells and outputs, by the attribute cell_activation: "tanh", "relu", "relu6",
// "relu_n1_to_1" or "none"; null for others.
using CellFunction = float (*)(float);
CellFunction cell_function(const std::string& name);

// Of the integers: sums of a gate to the scale of gates, which is 2^-12 without normalization.
inline constexpr float kGateScale = 0x1p-12f;
FixedPoint gate_factor(float weights, float operand, float gate = kGateScale);
// How far cells go, in steps of their scale; 0: as far as 16 bits do.
int16_t cell_limit(double clip, float scale);

// How the plain layer goes on with gates, which are times 2^15.
struct TableLstm {
  TableLstm(const TensorType& h, const TensorType& cells);
  FixedPoint keep;    // Of the forget gate times a cell, to the scale of cells.
  FixedPoint admit;   // Of the input gate times what is new, likewise.
  FixedPoint hidden;  // Of the output gate times tanh of a cell, to the scale of h.
  int shift;          // Of a cell to the 12 fraction bits of a gate.
};

// Float, and float with weights of int8.
Status eval_lstmp_float(EvalContext& in);
// Integers throughout: activations and weights of 8 bits, cells and gates of 16.
Status eval_lstmp_integer(EvalContext& in);
// BadInput or Unsupported when the quantization parameters are none that TFLite computes with.
Status check_lstmp_integer(const InferContext& in);

}  // namespace hone
