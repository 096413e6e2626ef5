// loop(trip_count, cond, states..., captures...)
//   for (i = 0; i < trip_count && cond; ++i) {
//     cond, states..., scans... = body(i, cond, states..., captures...)
//   }
// gives the last states, then every scan stacked over the iterations. A trip count or condition
// that is left out does not end the loop.

#include <limits>

#include "hone/ops/control/body.h"
#include "hone/ops/control/control_tflite.h"
#include "hone/ops/onnx_import.h"

namespace hone {
namespace {

constexpr size_t kFirstState = 2;

// Of states that one iteration leaves as they are, and so every one; and of scans, whose count only
// a run tells.
void infer_extents(const InferContext& in, size_t states, std::vector<ValueType>& types) {
  const ValueType count(DType::I64, {}), condition(DType::Bool, {});
  std::vector<const ValueType*> given = types_from(in, kFirstState);
  given.insert(given.begin(), {&count, &condition});
  const std::vector<ValueType> made = types_in_body(body_of(in), given);
  if (made.empty()) return;
  for (size_t i = 0; i < states; ++i) {
    const bool stays = in.has(kFirstState + i) && in.type(kFirstState + i) == made[1 + i].tensor;
    if (!stays) return;
  }
  for (size_t i = 0; i < types.size(); ++i) {
    ValueType type = made[1 + i];
    if (i >= states) type.tensor.shape.insert(type.tensor.shape.begin(), kUnknown);
    take_extents(types[i], type);
  }
}

Result<std::vector<ValueType>> infer_loop(const InferContext& in) {
  HONE_TRY(const size_t own, own_inputs(in, kFirstState));
  const size_t states = own - kFirstState;
  const Graph& body = body_of(in);
  HONE_RETURN_IF_ERROR(check_body(body, in.inputs(), 1 + std::max(states, in.outputs())));
  std::vector<ValueType> types;
  for (size_t i = 0; i < in.outputs(); ++i) {
    ValueType type = type_from_body(body.outputs()[1 + i], *in.node().outputs[i]);
    const size_t state = kFirstState + i;
    if (i < states && type.tensor.dtype == DType::Undefined && in.has(state)) {
      type = in.value_type(state);
      type.tensor = TensorType::unranked(type.tensor.dtype);
    }
    if (i >= states) type.sequence = type.optional = false;
    types.push_back(std::move(type));
  }
  infer_extents(in, states, types);
  return types;
}

Result<int64_t> trip_count(const EvalContext& in) {
  if (!in.has(0)) return std::numeric_limits<int64_t>::max();
  if (in.in(0).elements() != 1)
    return bad_input("trip count is ", in.in(0).type(), ", expected i64[]");
  return in.in(0).data<int64_t>()[0];
}

// Of what the body gives after its condition: the scans of a loop that ran no iteration.
Status set_empty_scans(EvalContext& in, const std::vector<Item>& states,
                       const std::vector<Item>& captures) {
  std::vector<ValueType> given{ValueType(DType::I64, {}), ValueType(DType::Bool, {})};
  for (const Item& state : states) given.push_back(type_of(state));
  for (const Item& capture : captures) given.push_back(type_of(capture));
  const std::vector<ValueType> types = types_without_a_run(body_of(in), given);
  for (size_t i = states.size(); i < in.outputs(); ++i) {
    HONE_TRY(Tensor none, stack_none(types[1 + i], 0));
    in.set(i, std::move(none));
  }
  return Done{};
}

Status eval_loop(EvalContext& in) {
  HONE_TRY(const size_t own, own_inputs(in, kFirstState));
  HONE_TRY(const int64_t trips, trip_count(in));
  bool go_on = true;
  if (in.has(1)) {
    HONE_TRY(go_on, truth_of(in.item(1)));
  }
  const Graph& body = body_of(in);
  const size_t count = own - kFirstState;
  const std::vector<Item> captures = items_from(in, own);
  std::vector<Item> states = items_from(in, kFirstState);
  states.resize(count);
  std::vector<std::vector<Item>> scans(body.outputs().size() - 1 - count);

  for (int64_t i = 0; i < trips && go_on; ++i) {
    std::vector<Item> arguments{Tensor::scalar(i), Tensor::scalar(go_on)};
    arguments.insert(arguments.end(), states.begin(), states.end());
    arguments.insert(arguments.end(), captures.begin(), captures.end());
    HONE_TRY(std::vector<Item> results, in.run(body, std::move(arguments)));
    HONE_TRY(go_on, truth_of(results[0]));
    for (size_t s = 0; s < count; ++s) states[s] = std::move(results[1 + s]);
    for (size_t s = 0; s < scans.size(); ++s) scans[s].push_back(std::move(results[1 + count + s]));
  }

  const bool none = !scans.empty() && scans[0].empty();
  if (none) HONE_RETURN_IF_ERROR(set_empty_scans(in, states, captures));
  for (size_t i = 0; i < in.outputs(); ++i) {
    if (i < count) {
      in.set(i, std::move(states[i]));
    } else if (!none) {
      HONE_TRY(Tensor stacked, stack(scans[i - count], 0));
      in.set(i, std::move(stacked));
    }
  }
  return Done{};
}

// The body has one input for each of the node's; what the file leaves out at the end of its own is
// put back before the captured ones.
Status upgrade_loop(OnnxImport& in) {
  const auto found = in.attrs.find("body");
  const auto* body =
      found == in.attrs.end() ? nullptr : std::get_if<std::shared_ptr<Graph>>(&found->second);
  if (body == nullptr) return bad_input("has no body");
  const auto captured = in.attrs.find("captures");
  const int64_t* captures =
      captured == in.attrs.end() ? nullptr : std::get_if<int64_t>(&captured->second);
  const auto last = static_cast<int64_t>(in.inputs.size());
  if (captures != nullptr && (*captures < 0 || *captures > last))
    return bad_input("captures ", *captures, " values");
  const auto place = in.inputs.end() - (captures == nullptr ? 0 : *captures);
  const size_t wanted = (*body)->inputs().size();
  if (in.inputs.size() < wanted) in.inputs.insert(place, wanted - in.inputs.size(), nullptr);
  return Done{};
}

}  // namespace

extern const OpDef op_loop = {
    .name = "loop",
    .summary = "Runs a subgraph until a count or a condition ends it.",
    .inputs = {{"trip_count", DTypeSet{DType::I64}, 0, kOptional},
               {"cond", kBoolean, 0, kOptional},
               captures_input("states_and_captures")},
    .attrs = {body_attr("body"), captures_attr()},
    .max_outputs = kManyOutputs,
    .quantized = true,
    .infer = infer_loop,
    .eval = eval_loop,
    .onnx = {{"Loop", upgrade_loop}},
    .tflite = {{"WHILE", import_while}},
    .cases = {"f32[2] = (i64[]{3}, bool[]{true}, f32[2]) body=graph(%i: i64[], %c: bool[], %s: "
              "f32[2]) -> (%c, %t) {\n %t: f32[2] = add(%s, %s)\n}"},
};

}  // namespace hone
