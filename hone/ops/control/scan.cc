// scan(states..., scan_inputs..., captures...): for every slice of the scan inputs,
//   states..., scan_outputs... = body(states..., slices..., captures...)
// gives the last states, then every scan output stacked over the iterations.

#include <algorithm>

#include "hone/ops/common.h"
#include "hone/ops/control/body.h"
#include "hone/ops/onnx_import.h"

namespace hone {
namespace {

struct Counts {
  size_t states;
  size_t scans;
};

Result<Counts> counts_of(const NodeContext& in) {
  HONE_TRY(const size_t own, own_inputs(in, 1));
  const int64_t scans = in.integer("num_scan_inputs");
  if (scans < 1 || scans > static_cast<int64_t>(own)) {
    return bad_input("num_scan_inputs is ", scans, ", expected 1 to ", own);
  }
  return Counts{own - static_cast<size_t>(scans), static_cast<size_t>(scans)};
}

// A list of an axis or direction per scan input or output; empty means all 0.
Status check_list(const NodeContext& in, std::string_view attr, size_t expected) {
  const size_t given = in.ints(attr).size();
  if (given == 0 || given == expected) return Done{};
  return bad_input(attr, " has ", given, " entries, expected ", expected);
}

int64_t entry(const NodeContext& in, std::string_view attr, size_t index) {
  const Ints& list = in.ints(attr);
  return list.empty() ? 0 : list[index];
}

// A scan input without the axis it is cut along, and that axis' extent.
struct Slices {
  ValueType type;
  int64_t count = kUnknown;
};
Slices slices_of(const InferContext& in, size_t input, int64_t axis) {
  Slices slices{in.value_type(input)};
  TensorType& type = slices.type.tensor;
  const auto at = resolve_axis(axis, type.rank());
  if (!type.ranked || !at.ok()) {
    type = TensorType::unranked(type.dtype);
    return slices;
  }
  slices.count = type.shape[*at];
  type.shape.erase(type.shape.begin() + static_cast<std::ptrdiff_t>(*at));
  return slices;
}

// Of states that one iteration leaves as they are, and so every one, and of the outputs.
void infer_extents(const InferContext& in, const Counts& counts, std::vector<ValueType>& types) {
  std::vector<const ValueType*> given = types_from(in, 0);
  std::vector<Slices> slices(counts.scans);
  for (size_t i = 0; i < counts.scans; ++i) {
    if (!in.has(counts.states + i)) return;
    slices[i] = slices_of(in, counts.states + i, entry(in, "scan_input_axes", i));
    given[counts.states + i] = &slices[i].type;
  }
  const std::vector<ValueType> made = types_in_body(body_of(in), given);
  if (made.empty()) return;
  for (size_t i = 0; i < counts.states; ++i) {
    if (!in.has(i) || in.type(i) != made[i].tensor) return;
  }
  for (size_t i = 0; i < types.size(); ++i) {
    ValueType type = made[i];
    if (i >= counts.states) {
      const int64_t axis = entry(in, "scan_output_axes", i - counts.states);
      const auto at = resolve_axis(axis, type.tensor.rank() + 1);
      if (!at.ok()) continue;
      Shape& shape = type.tensor.shape;
      shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*at), slices[0].count);
    }
    take_extents(types[i], type);
  }
}

Result<std::vector<ValueType>> infer_scan(const InferContext& in) {
  HONE_TRY(const Counts counts, counts_of(in));
  const Graph& body = body_of(in);
  HONE_RETURN_IF_ERROR(check_body(body, in.inputs(), std::max(counts.states, in.outputs())));
  const size_t results = body.outputs().size() - counts.states;
  HONE_RETURN_IF_ERROR(check_list(in, "scan_input_axes", counts.scans));
  HONE_RETURN_IF_ERROR(check_list(in, "scan_input_directions", counts.scans));
  HONE_RETURN_IF_ERROR(check_list(in, "scan_output_axes", results));
  HONE_RETURN_IF_ERROR(check_list(in, "scan_output_directions", results));
  std::vector<ValueType> types;
  for (size_t i = 0; i < in.outputs(); ++i) {
    ValueType type = type_from_body(body.outputs()[i], *in.node().outputs[i]);
    if (i < counts.states && type.tensor.dtype == DType::Undefined && in.has(i)) {
      type.tensor.dtype = in.dtype(i);
    }
    type.sequence = type.optional = false;
    types.push_back(std::move(type));
  }
  infer_extents(in, counts, types);
  return types;
}

struct ScanInput {
  const Tensor* tensor;
  size_t axis;
  bool backward;
};

Result<std::vector<ScanInput>> scan_inputs(const EvalContext& in, const Counts& counts) {
  std::vector<ScanInput> inputs;
  for (size_t i = 0; i < counts.scans; ++i) {
    if (!in.has(counts.states + i)) return bad_input("scan input ", i, " is left out");
    const Tensor& tensor = in.in(counts.states + i);
    HONE_TRY(const size_t axis, resolve_axis(entry(in, "scan_input_axes", i), tensor.rank()));
    inputs.push_back({&tensor, axis, entry(in, "scan_input_directions", i) != 0});
    const ScanInput& first = inputs[0];
    if (tensor.shape()[axis] != first.tensor->shape()[first.axis]) {
      return bad_input("scan input ", i, " has ", tensor.shape()[axis], " slices, expected ",
                       first.tensor->shape()[first.axis]);
    }
  }
  return inputs;
}

// The types that the scan outputs would have had where the scan inputs have no slices.
std::vector<ValueType> types_of_none(const EvalContext& in, const std::vector<ScanInput>& inputs,
                                     const std::vector<Item>& states,
                                     const std::vector<Item>& captures) {
  std::vector<ValueType> given;
  for (const Item& state : states) given.push_back(type_of(state));
  for (const ScanInput& input : inputs) {
    TensorType slice = plain(input.tensor->type());
    slice.shape.erase(slice.shape.begin() + static_cast<std::ptrdiff_t>(input.axis));
    given.emplace_back(std::move(slice));
  }
  for (const Item& capture : captures) given.push_back(type_of(capture));
  return types_without_a_run(body_of(in), given);
}

Status eval_scan(EvalContext& in) {
  HONE_TRY(const Counts counts, counts_of(in));
  HONE_TRY(const std::vector<ScanInput> inputs, scan_inputs(in, counts));
  const Graph& body = body_of(in);
  const std::vector<Item> captures = items_from(in, counts.states + counts.scans);
  std::vector<Item> states = items_from(in, 0);
  states.resize(counts.states);
  std::vector<std::vector<Item>> outputs(body.outputs().size() - counts.states);

  const int64_t steps = inputs[0].tensor->shape()[inputs[0].axis];
  std::vector<ValueType> types;
  if (steps == 0) types = types_of_none(in, inputs, states, captures);
  for (int64_t step = 0; step < steps; ++step) {
    std::vector<Item> arguments = std::move(states);
    for (const ScanInput& input : inputs) {
      const int64_t index = input.backward ? steps - 1 - step : step;
      arguments.push_back(slice_at(*input.tensor, input.axis, index));
    }
    arguments.insert(arguments.end(), captures.begin(), captures.end());
    HONE_TRY(states, in.run(body, std::move(arguments)));
    for (size_t k = 0; k < outputs.size(); ++k) {
      outputs[k].push_back(std::move(states[counts.states + k]));
    }
    states.resize(counts.states);
  }

  for (size_t i = 0; i < in.outputs(); ++i) {
    if (i < counts.states) {
      in.set(i, std::move(states[i]));
      continue;
    }
    const size_t k = i - counts.states;
    if (entry(in, "scan_output_directions", k) != 0) std::ranges::reverse(outputs[k]);
    const int64_t axis = entry(in, "scan_output_axes", k);
    HONE_TRY(Tensor stacked, steps == 0 ? stack_none(types[i], axis) : stack(outputs[k], axis));
    in.set(i, std::move(stacked));
  }
  return Done{};
}

// Opset 8 has a batch axis in front of everything: a scan over the batch, without states, whose
// body is the scan of one sample.
Status upgrade_scan(OnnxImport& in) {
  if (in.opset >= 9) return Done{};
  if (in.input(0) != nullptr) return unsupported("sequence lengths");
  const auto body = in.take<std::shared_ptr<Graph>>("body", nullptr);
  if (body == nullptr) return bad_input("has no body");
  if (in.inputs.empty()) return bad_input("has no inputs");
  in.inputs.erase(in.inputs.begin());
  const int64_t captures = in.take<int64_t>("captures", 0);
  const auto own = static_cast<int64_t>(in.inputs.size()) - captures;
  if (captures < 0 || own < 1) return bad_input("has ", own, " inputs, expected 1 or more");

  Attrs attrs{{"body", body}, {"captures", captures}};
  attrs["num_scan_inputs"] = in.take<int64_t>("num_scan_inputs", 0);
  attrs["scan_input_directions"] = in.take<Ints>("directions", {});
  auto sample = std::make_shared<Graph>();
  std::vector<Value*> inputs;
  for (const Value* input : in.inputs) {
    if (input == nullptr) return bad_input("an input is left out");
    inputs.push_back(
        sample->add_input(input->name, TensorType::unranked(input->type.tensor.dtype)));
  }
  std::vector<ValueType> types;
  for (const Value* output : body->outputs()) {
    types.push_back(TensorType::unranked(output->type.tensor.dtype));
  }
  if (types.empty()) return bad_input("the body gives no values");
  const Node* scan =
      sample->add_node("scan", std::move(inputs), std::move(types), std::move(attrs));
  for (Value* output : scan->outputs) sample->add_output(output);
  in.attrs["body"] = std::move(sample);
  in.attrs["captures"] = captures;
  in.attrs["num_scan_inputs"] = own;
  return Done{};
}

}  // namespace

extern const OpDef op_scan = {
    .name = "scan",
    .summary = "Runs a subgraph over the slices of its inputs.",
    .inputs = {{"states_scans_and_captures", kAny, 0, kVariadic, InputDef::Kind::Any}},
    .attrs = {body_attr("body"),
              captures_attr(),
              {"num_scan_inputs", int64_t{0}, kRequired},
              {"scan_input_axes", Ints()},
              {"scan_input_directions", Ints()},
              {"scan_output_axes", Ints()},
              {"scan_output_directions", Ints()}},
    .max_outputs = kManyOutputs,
    .infer = infer_scan,
    .eval = eval_scan,
    .onnx = {{"Scan", upgrade_scan}},
    .cases = {"f32[2], f32[3,2] = (f32[2], f32[3,2]) num_scan_inputs=1 body=graph(%s: f32[2], %x: "
              "f32[2]) -> (%t, %t) {\n %t: f32[2] = add(%s, %x)\n}"},
};

}  // namespace hone
