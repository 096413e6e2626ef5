// What LSTM and GRU do after their matrix products, with the default functions: sigmoid for gates,
// tanh for the rest.
#pragma once

#include <cstddef>
#include <span>

#include "hone/kernels/variant.h"

namespace hone {

// One step of an LSTM, for every row b and i < hidden, with the pre-activations of the gates i, o,
// f and c (ONNX's order) at gates[b][0 .. 4][hidden]:
//   in = sigmoid(i + pi * c)    forget = sigmoid(f + pf * c), or 1 - in when coupled
//   c' = forget * c + in * tanh(c gate)
//   h = sigmoid(o + po * c') * tanh(c')
struct LstmGatesArgs {
  size_t batch;
  size_t hidden;
  const float* gates;
  size_t gates_stride;     // Elements from one row to the next.
  const float* peepholes;  // pi, po, pf: [3][hidden], or null for zeros.
  bool coupled;
  float* c;  // [batch][hidden], replaced by c'.
  float* h;  // Rows `h_stride` apart.
  size_t h_stride;
};
using LstmGates = void (*)(const LstmGatesArgs& args);

// One step of a GRU, for every row b and i < hidden, with gates z, r and h (ONNX's order) at
// [b][0 .. 3][hidden] of x, the products with the input, and of r, those with the state; both with
// their biases.
struct GruGatesArgs {
  enum class Part {
    Reset,         // y = sigmoid(xr + rr) * h, to be multiplied by the weights of gate h.
    Update,        // y = (1 - z) * tanh(xh + rh) + z * h with z = sigmoid(xz + rz).
    UpdateLinear,  // As Update, with sigmoid(xr + rr) * rh for rh: linear_before_reset.
  };
  Part part;
  size_t batch;
  size_t hidden;
  const float* x;
  size_t x_stride;
  const float* r;
  size_t r_stride;
  const float* h;  // Rows `h_stride` apart.
  size_t h_stride;
  float* y;  // Rows `y_stride` apart; may be h with its stride.
  size_t y_stride;
};
using GruGates = void (*)(const GruGatesArgs& args);

// Fastest first; ends in "ref". Within 4e-6 of the largest magnitude involved.
std::span<const KernelVariant<LstmGates>> lstm_gates_variants();
std::span<const KernelVariant<GruGates>> gru_gates_variants();

}  // namespace hone
