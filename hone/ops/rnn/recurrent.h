// What rnn, gru and lstm share: shapes, activation functions, directions, sequence lengths and the
// walk through time. A cell adds only what happens in one step of one sequence.
//
// Inputs: x [steps, batch, inputs], w [directions, gates * hidden, inputs],
// r [directions, gates * hidden, hidden], b [directions, 2 * gates * hidden] (of w, then of r),
// sequence_lens [batch], initial_h and initial_c [directions, batch, hidden], p [directions,
// 3 * hidden]. With layout 1 the batch is the first axis of x, of the states and of the outputs.
#pragma once

#include <span>
#include <vector>

#include "hone/ops/context.h"
#include "hone/ops/op_def.h"

namespace hone {

// One activation function with its parameters.
struct GateFunction {
  double (*fn)(double x, double alpha, double beta);
  double alpha;
  double beta;
  double operator()(double x) const { return fn(x, alpha, beta); }
};

// The parameters of one direction, as a step sees them.
struct RecurrentCell {
  int64_t hidden;
  const double* r;       // [gates * hidden][hidden]
  const double* r_bias;  // [gates * hidden]
  const double* p;       // [3 * hidden], zeros when there are no peepholes.
  std::span<const GateFunction> functions;
  double clip;  // Infinite when there is none.

  // Row `row` of r times h; without the bias.
  double recur(int64_t row, const double* h) const;
  // Function `which` of x, which is clipped first.
  double apply(size_t which, double x) const;
};

// One step of one sequence. `x` is w times the step's input plus w's bias; `h` and `c` are the
// states before and, in `next_h` and `c`, after.
struct RecurrentStep {
  const double* x;
  const double* h;
  double* next_h;
  double* c;
};

// What distinguishes the three operators.
struct RecurrentDef {
  int64_t gates;
  std::vector<const char*> functions;  // Defaults for one direction.
  bool has_cell_state;
  void (*step)(const NodeContext& node, const RecurrentCell& cell, const RecurrentStep& at);
};

Result<std::vector<ValueType>> infer_recurrent(const InferContext& in, const RecurrentDef& def);
Cost recurrent_cost(const InferContext& in);
Status eval_recurrent(EvalContext& in, const RecurrentDef& def);
std::vector<AttrDef> recurrent_attrs(std::vector<AttrDef> more);
// Takes away what only opset 1 had.
Status upgrade_recurrent(OnnxImport& in);

}  // namespace hone
