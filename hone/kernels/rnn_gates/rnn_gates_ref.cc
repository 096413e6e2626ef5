#include <cmath>

#include "hone/kernels/rnn_gates/rnn_gates.h"

namespace hone {
namespace {

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

}  // namespace

void lstm_gates_ref(const LstmGatesArgs& p) {
  for (size_t b = 0; b < p.batch; ++b) {
    for (size_t i = 0; i < p.hidden; ++i) {
      const auto gate = [&](size_t which) {
        return double{p.gates[b * p.gates_stride + which * p.hidden + i]};
      };
      const auto peephole = [&](size_t which) {
        return p.peepholes == nullptr ? 0.0 : double{p.peepholes[which * p.hidden + i]};
      };
      float& c = p.c[b * p.hidden + i];
      const double before = double{c};
      const double in = sigmoid(gate(0) + peephole(0) * before);
      const double forget = p.coupled ? 1 - in : sigmoid(gate(2) + peephole(2) * before);
      const double after = forget * before + in * std::tanh(gate(3));
      c = static_cast<float>(after);
      p.h[b * p.h_stride + i] =
          static_cast<float>(sigmoid(gate(1) + peephole(1) * after) * std::tanh(after));
    }
  }
}

void gru_gates_ref(const GruGatesArgs& p) {
  for (size_t b = 0; b < p.batch; ++b) {
    for (size_t i = 0; i < p.hidden; ++i) {
      const auto x = [&](size_t gate) { return double{p.x[b * p.x_stride + gate * p.hidden + i]}; };
      const auto r = [&](size_t gate) { return double{p.r[b * p.r_stride + gate * p.hidden + i]}; };
      const double h = double{p.h[b * p.h_stride + i]};
      float& y = p.y[b * p.y_stride + i];
      if (p.part == GruGatesArgs::Part::Reset) {
        y = static_cast<float>(sigmoid(x(1) + r(1)) * h);
        continue;
      }
      const double reset = p.part == GruGatesArgs::Part::UpdateLinear ? sigmoid(x(1) + r(1)) : 1.0;
      const double z = sigmoid(x(0) + r(0));
      y = static_cast<float>((1 - z) * std::tanh(x(2) + reset * r(2)) + z * h);
    }
  }
}

}  // namespace hone
