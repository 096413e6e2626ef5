// lstm, with gates i, o, f and c in that order and peepholes p of i, o and f:
//     i = f(wi x + ri h + pi * c + bi)      f = f(wf x + rf h + pf * c + bf), or 1 - i
//     n = g(wc x + rc h + bc)               c = f * c + i * n
//     o = f(wo x + ro h + po * c + bo)      h = o * h(c)

#include "hone/ops/rnn/recurrent.h"
#include "hone/ops/rnn/rnn_tflite.h"

namespace hone {
namespace {

void step_lstm(const NodeContext& node, const RecurrentCell& cell, const RecurrentStep& at) {
  const int64_t hidden = cell.hidden;
  const bool coupled = node.integer("input_forget") != 0;
  const auto gate = [&](int64_t row) {
    return at.x[row] + cell.recur(row, at.h) + cell.r_bias[row];
  };
  for (int64_t i = 0; i < hidden; ++i) {
    const double before = at.c[i];
    const double input = cell.apply(0, gate(i) + cell.p[i] * before);
    const double forget =
        coupled ? 1 - input : cell.apply(0, gate(2 * hidden + i) + cell.p[2 * hidden + i] * before);
    const double after = forget * before + input * cell.apply(1, gate(3 * hidden + i));
    const double output = cell.apply(0, gate(hidden + i) + cell.p[hidden + i] * after);
    at.c[i] = after;
    at.next_h[i] = output * cell.apply(2, after);
  }
}

const RecurrentDef kLstmDef{.gates = 4,
                            .functions = {"sigmoid", "tanh", "tanh"},
                            .has_cell_state = true,
                            .step = step_lstm};

}  // namespace

extern const OpDef op_lstm = {
    .name = "lstm",
    .summary = "Long short-term memory.",
    .inputs = {{"x", kFloat, 'T'},
               {"w", kFloat, 'T'},
               {"r", kFloat, 'T'},
               {"b", kFloat, 'T', kOptional},
               {"sequence_lens", DTypeSet{DType::I32}, 0, kOptional},
               {"initial_h", kFloat, 'T', kOptional},
               {"initial_c", kFloat, 'T', kOptional},
               {"p", kFloat, 'T', kOptional}},
    .attrs = recurrent_attrs({{"input_forget", int64_t{0}}}),
    .max_outputs = 3,
    .infer = [](const InferContext& in) { return infer_recurrent(in, kLstmDef); },
    .cost = recurrent_cost,
    .eval = [](EvalContext& in) { return eval_recurrent(in, kLstmDef); },
    .onnx = {{"LSTM", upgrade_recurrent}},
    .tflite = {{"LSTM", import_lstm},
               {"UNIDIRECTIONAL_SEQUENCE_LSTM", import_sequence_lstm},
               {"BIDIRECTIONAL_SEQUENCE_LSTM", import_bidirectional_lstm}},
    .cases = {"?, ?, ? = (f32[3,2,4], const f32[1,20,4], const f32[1,20,5], const f32[1,40]) "
              "hidden_size=5"},
};

}  // namespace hone
