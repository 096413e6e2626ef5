// rnn: h = f(w x + r h + b).

#include "hone/ops/rnn/recurrent.h"
#include "hone/ops/rnn/rnn_tflite.h"

namespace hone {
namespace {

void step_rnn(const NodeContext&, const RecurrentCell& cell, const RecurrentStep& at) {
  for (int64_t i = 0; i < cell.hidden; ++i) {
    at.next_h[i] = cell.apply(0, at.x[i] + cell.recur(i, at.h) + cell.r_bias[i]);
  }
}

const RecurrentDef kRnnDef{
    .gates = 1, .functions = {"tanh"}, .has_cell_state = false, .step = step_rnn};

}  // namespace

extern const OpDef op_rnn = {
    .name = "rnn",
    .summary = "Simple recurrent layer.",
    .inputs = {{"x", kFloat, 'T'},
               {"w", kFloat, 'T'},
               {"r", kFloat, 'T'},
               {"b", kFloat, 'T', kOptional},
               {"sequence_lens", DTypeSet{DType::I32}, 0, kOptional},
               {"initial_h", kFloat, 'T', kOptional}},
    .attrs = recurrent_attrs({}),
    .max_outputs = 2,
    .infer = [](const InferContext& in) { return infer_recurrent(in, kRnnDef); },
    .cost = recurrent_cost,
    .eval = [](EvalContext& in) { return eval_recurrent(in, kRnnDef); },
    .onnx = {{"RNN", upgrade_recurrent}},
    .tflite = {{"RNN", import_rnn},
               {"UNIDIRECTIONAL_SEQUENCE_RNN", import_sequence_rnn},
               {"BIDIRECTIONAL_SEQUENCE_RNN", import_bidirectional_rnn}},
    .cases = {"?, ? = (f32[3,2,4], const f32[1,5,4], const f32[1,5,5]) hidden_size=5"},
};

}  // namespace hone
