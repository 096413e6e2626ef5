// gru, with gates z, r and h in that order:
//     z = f(wz x + rz h + bz)        r = f(wr x + rr h + br)
//     n = g(wh x + rh (r * h) + bh), or with linear_before_reset g(wh x + bwh + r * (rh h + brh))
//     h = (1 - z) * n + z * h

#include "hone/ops/rnn/recurrent.h"

namespace hone {
namespace {

void step_gru(const NodeContext& node, const RecurrentCell& cell, const RecurrentStep& at) {
  const int64_t hidden = cell.hidden;
  const bool linear = node.integer("linear_before_reset") != 0;
  std::vector<double> reset(static_cast<size_t>(hidden));
  std::vector<double> kept(static_cast<size_t>(hidden));
  for (int64_t i = 0; i < hidden; ++i) {
    const int64_t row = hidden + i;
    const auto k = static_cast<size_t>(i);
    reset[k] = cell.apply(0, at.x[row] + cell.recur(row, at.h) + cell.r_bias[row]);
    kept[k] = reset[k] * at.h[i];
  }
  for (int64_t i = 0; i < hidden; ++i) {
    const int64_t row = 2 * hidden + i;
    const double update = cell.apply(0, at.x[i] + cell.recur(i, at.h) + cell.r_bias[i]);
    const double recurrent =
        linear ? reset[static_cast<size_t>(i)] * (cell.recur(row, at.h) + cell.r_bias[row])
               : cell.recur(row, kept.data()) + cell.r_bias[row];
    const double candidate = cell.apply(1, at.x[row] + recurrent);
    at.next_h[i] = (1 - update) * candidate + update * at.h[i];
  }
}

const RecurrentDef kGruDef{
    .gates = 3, .functions = {"sigmoid", "tanh"}, .has_cell_state = false, .step = step_gru};

}  // namespace

extern const OpDef op_gru = {
    .name = "gru",
    .summary = "Gated recurrent unit.",
    .inputs = {{"x", kFloat, 'T'},
               {"w", kFloat, 'T'},
               {"r", kFloat, 'T'},
               {"b", kFloat, 'T', kOptional},
               {"sequence_lens", DTypeSet{DType::I32}, 0, kOptional},
               {"initial_h", kFloat, 'T', kOptional}},
    .attrs = recurrent_attrs({{"linear_before_reset", int64_t{0}}}),
    .max_outputs = 2,
    .infer = [](const InferContext& in) { return infer_recurrent(in, kGruDef); },
    .cost = recurrent_cost,
    .eval = [](EvalContext& in) { return eval_recurrent(in, kGruDef); },
    .onnx = {{"GRU", upgrade_recurrent}},
    .cases = {"?, ? = (f32[3,2,4], const f32[1,15,4], const f32[1,15,5], const f32[1,30]) "
              "hidden_size=5"},
};

}  // namespace hone
