// sequence_map(sequence, inputs..., captures...): runs the body on every element; an input that is
// a sequence too gives its element of the same index, a tensor is given whole.

#include "hone/ops/control/body.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_sequence_map(const InferContext& in) {
  HONE_RETURN_IF_ERROR(own_inputs(in, 1));
  const Graph& body = body_of(in);
  HONE_RETURN_IF_ERROR(check_body(body, in.inputs(), in.outputs()));
  std::vector<ValueType> types;
  for (size_t i = 0; i < in.outputs(); ++i) {
    const ValueType made = type_from_body(body.outputs()[i], *in.node().outputs[i]);
    types.push_back(ValueType::sequence_of(made.tensor));
  }
  return types;
}

Status eval_sequence_map(EvalContext& in) {
  HONE_TRY(const size_t own, own_inputs(in, 1));
  const std::vector<Item> inputs = items_from(in, 0);
  const size_t count = inputs[0].sequence.size();
  for (size_t i = 1; i < own; ++i) {
    if (inputs[i].is_sequence() && inputs[i].sequence.size() != count) {
      return bad_input("input ", i, " has ", inputs[i].sequence.size(), " elements, expected ",
                       count);
    }
  }
  std::vector<std::vector<Tensor>> results(in.outputs());
  for (size_t element = 0; element < count; ++element) {
    std::vector<Item> arguments = inputs;
    for (size_t i = 0; i < own; ++i) {
      if (inputs[i].is_sequence()) arguments[i] = inputs[i].sequence[element];
    }
    HONE_TRY(std::vector<Item> made, in.run(body_of(in), std::move(arguments)));
    for (size_t i = 0; i < results.size(); ++i) {
      if (!made[i].is_tensor()) return bad_input("output ", i, " of the body is no tensor");
      results[i].push_back(std::move(made[i].tensor));
    }
  }
  for (size_t i = 0; i < results.size(); ++i) in.set(i, std::move(results[i]));
  return Done{};
}

}  // namespace

extern const OpDef op_sequence_map = {
    .name = "sequence_map",
    .summary = "Runs a subgraph on every element of a sequence.",
    .inputs = {{"sequence", kAny, 0, InputDef::Presence::Required, InputDef::Kind::Sequence},
               captures_input("inputs_and_captures")},
    .attrs = {body_attr("body"), captures_attr()},
    .max_outputs = kManyOutputs,
    .infer = infer_sequence_map,
    .eval = eval_sequence_map,
    .onnx = {{"SequenceMap"}},
    .cases = {"(sequence f32[3]) body=graph(%x: f32[3]) -> (%y) {\n %y: f32[3] = relu(%x)\n}"},
};

}  // namespace hone
