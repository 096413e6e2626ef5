// LSTM, GRU and simple recurrent layers in float32: the products with the inputs of all time steps
// at once, then step after step the product with the state and the gates.
#pragma once

#include <memory>
#include <vector>

#include "hone/kernels/activation.h"
#include "hone/targets/cpu/lowering.h"

namespace hone::cpu {

struct RecurrentSpec {
  enum class Cell { Rnn, Gru, GruLinear, Lstm };  // GruLinear: linear_before_reset.
  Cell cell;
  size_t steps, batch, inputs, hidden, directions;
  bool batch_first;
  bool reverse;            // Of the first direction; the second always is.
  bool coupled;            // Input and forget gates of an LSTM.
  Activation activation;   // Of Rnn.
  const Tensor* w;         // [directions, gates * hidden, inputs]
  const Tensor* r;         // [directions, gates * hidden, hidden]
  const Tensor* bias;      // [directions, 2 * gates * hidden], or null.
  const Tensor* peephole;  // [directions, 3 * hidden], or null.
  const Value* x;
  const Value* initial_h;  // Null: zeros.
  const Value* initial_c;
  std::vector<const Value*> outputs;  // y, then the last h and c as far as the node has them.

  size_t gates() const { return cell == Cell::Lstm ? 4 : cell == Cell::Rnn ? 1 : 3; }
};

// Every extent is at least 1.
std::unique_ptr<Step> make_recurrent_step(const RecurrentSpec& spec, StepBuilder& builder);

}  // namespace hone::cpu
