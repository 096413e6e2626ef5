#include <algorithm>
#include <array>

#include "hone/ops/movement/reshape_tflite.h"
#include "hone/ops/rnn/lstmp.h"
#include "hone/ops/rnn/rnn_tflite.h"
#include "hone/ops/rnn/sequence_tflite.h"

namespace hone {
namespace {

// The inputs of one direction, in the order of lstmp, which is TFLite's.
using Parts = std::array<Value*, Lstmp::kInputs>;

struct Form {
  std::string activation;
  double cell_clip;
  double proj_clip;
  bool time_major;
};

Result<Form> form_of(const TfliteImport& in, bool time_major) {
  HONE_TRY(std::string activation, in.activation());
  return Form{activation.empty() ? "none" : std::move(activation),
              in.option<double>("cell_clip", 0), in.option<double>("proj_clip", 0), time_major};
}

Status check_parts(const TfliteImport& in, const Parts& parts) {
  for (const size_t i : {Lstmp::kX, Lstmp::kH, Lstmp::kC}) {
    if (parts[i] == nullptr) return bad_input("input ", i, " is left out, but required");
  }
  for (const size_t first : {Lstmp::kW, Lstmp::kR, Lstmp::kB}) {
    for (size_t gate = Lstmp::kForget; gate <= Lstmp::kOutput; ++gate) {
      if (parts[first + gate] == nullptr) return bad_input("parameters of a gate are left out");
    }
  }
  const Value& w = *parts[Lstmp::kW + Lstmp::kOutput];
  if (!is_matrix(&w) || !is_matrix(parts[Lstmp::kR + Lstmp::kOutput])) {
    return unsupported("weights that are no matrices");
  }
  const bool hybrid = !parts[Lstmp::kX]->type.tensor.quantized() && w.type.tensor.quantized();
  if (hybrid && in.option<bool>("asymmetric_quantize_inputs", false)) {
    return unsupported("inputs that are to be quantized asymmetrically");
  }
  return Done{};
}

// Whether ONNX's operator says the same, with weights that can be put in its order now.
bool is_canonical(const Parts& parts, const Form& form) {
  const bool plain_form =
      form.cell_clip == 0 && form.activation != "relu6" && form.activation != "relu_n1_to_1";
  if (!plain_form || parts[Lstmp::kProjection] || parts[Lstmp::kNorm + Lstmp::kForget]) {
    return false;
  }
  const Shape& w = parts[Lstmp::kW + Lstmp::kOutput]->type.tensor.shape;
  const int64_t cells = w[0];
  const auto fits = [&](size_t i, const Shape& shape) {
    return parts[i] == nullptr || is_float_constant(parts[i], shape);
  };
  bool all = is_zero_constant(parts[Lstmp::kH]) && is_zero_constant(parts[Lstmp::kC]);
  for (size_t gate = 0; gate < 4; ++gate) {
    all = all && fits(Lstmp::kW + gate, w) && fits(Lstmp::kR + gate, {cells, cells}) &&
          fits(Lstmp::kB + gate, {cells}) && (gate == 3 || fits(Lstmp::kP + gate, {cells}));
  }
  // Inputs that may be left out only together are for lstmp to check.
  const bool input_gate = parts[Lstmp::kW] != nullptr;
  const bool peepholes = parts[Lstmp::kP + 1] != nullptr;
  return all && input_gate == (parts[Lstmp::kR] != nullptr) &&
         input_gate == (parts[Lstmp::kB] != nullptr) &&
         peepholes == (parts[Lstmp::kP + 2] != nullptr) &&
         (peepholes && input_gate) == (parts[Lstmp::kP] != nullptr);
}

// Parameters of several gates behind each other. An input gate that is left out is 1 - f, and since
// 1 - sigmoid(z) = sigmoid(-z) its parameters are those of f, negated.
std::vector<float> packed(const Parts& parts, size_t first, std::initializer_list<size_t> gates) {
  std::vector<float> values;
  for (const size_t gate : gates) {
    const bool coupled = parts[first + gate] == nullptr;
    const Value* part = parts[first + (coupled ? size_t{Lstmp::kForget} : gate)];
    for (const float value : part->constant->data<float>()) {
      values.push_back(coupled ? -value : value);
    }
  }
  return values;
}

Value* add_canonical(TfliteImport& in, const Parts& parts, const Form& form, bool reverse) {
  constexpr size_t i = Lstmp::kInput, f = Lstmp::kForget, c = Lstmp::kCell, o = Lstmp::kOutput;
  const Shape& w = parts[Lstmp::kW + o]->type.tensor.shape;
  const int64_t cells = w[0];
  std::vector<float> bias = packed(parts, Lstmp::kB, {i, o, f, c});
  bias.resize(2 * bias.size());
  Value* x = steps_first(in, parts[Lstmp::kX], form.time_major);
  const auto add = [&](Shape shape, const std::vector<float>& values) {
    return in.add_constant(Tensor::of<float>(std::move(shape), values));
  };
  std::vector<Value*> inputs{x, add({1, 4 * cells, w[1]}, packed(parts, Lstmp::kW, {i, o, f, c})),
                             add({1, 4 * cells, cells}, packed(parts, Lstmp::kR, {i, o, f, c})),
                             add({1, 8 * cells}, bias)};
  if (parts[Lstmp::kP + 1] != nullptr) {
    // The third peephole is that of the output gate.
    inputs.resize(7);
    inputs.push_back(add({1, 3 * cells}, packed(parts, Lstmp::kP, {i, 2, f})));
  }
  Attrs attrs{{"direction", std::string(reverse ? "reverse" : "forward")}, {"hidden_size", cells}};
  const std::string function = form.activation == "none" ? "Affine" : "Relu";
  if (form.activation != "tanh") attrs["activations"] = Strings{"Sigmoid", function, function};
  const Shape& shape = x->type.tensor.shape;
  Value* y = in.add("lstm", std::move(inputs),
                    TensorType{DType::F32, {shape[0], 1, shape[1], cells}}, std::move(attrs));
  return without_directions(in, y, form.time_major);
}

Value* add_lstmp(TfliteImport& in, const Parts& parts, const Form& form, bool reverse) {
  TensorType type = parts[Lstmp::kX]->type.tensor;
  type.shape[2] = parts[Lstmp::kR + Lstmp::kOutput]->type.tensor.shape[1];
  type.quant = in.out_type(0).quant;
  Attrs attrs{{"cell_activation", form.activation},
              {"cell_clip", form.cell_clip},
              {"direction", std::string(reverse ? "reverse" : "forward")},
              {"proj_clip", form.proj_clip},
              {"time_major", int64_t{form.time_major}}};
  if (const TensorType* hidden = in.intermediate(4); hidden != nullptr && hidden->quantized()) {
    attrs["hidden_scale"] = double{hidden->quant->scale()};
    attrs["hidden_zero_point"] = int64_t{hidden->quant->zero_point()};
  }
  Floats scales;
  for (size_t gate = 0; gate < 4; ++gate) {
    const TensorType* sum = in.intermediate(gate);
    const bool quantized = sum != nullptr && sum->quantized();
    scales.push_back(quantized ? double{sum->quant->scale()} : 0);
  }
  // Without an input gate, nobody needs the scale of its sum.
  if (parts[Lstmp::kW] == nullptr) scales[0] = scales[1];
  if (parts[Lstmp::kNorm + Lstmp::kForget] != nullptr) attrs["gate_scales"] = std::move(scales);
  return in.add("lstmp", {parts.begin(), parts.end()}, std::move(type), std::move(attrs));
}

Value* add_lstm(TfliteImport& in, const Parts& parts, const Form& form, bool reverse) {
  return is_canonical(parts, form) ? add_canonical(in, parts, form, reverse)
                                   : add_lstmp(in, parts, form, reverse);
}

Result<Parts> parts_of(const TfliteImport& in) {
  if (in.inputs() != 20 && in.inputs() != 24) {
    return unsupported("an LSTM of ", in.inputs(), " inputs, expected 20 or 24");
  }
  if (in.outputs() != 1) return unsupported("an LSTM of ", in.outputs(), " outputs, expected 1");
  Parts parts{};
  for (size_t i = 0; i < in.inputs(); ++i) parts[i] = in.in_or_null(i);
  return parts;
}

// The first cell of TFLite, for float: both operands joined, one product for all four gates, which
// are i, n, f and o. Its scratch tensors are outputs.
Status import_basic(TfliteImport& in) {
  HONE_RETURN_IF_ERROR(in.require(5, 4));
  const TensorType& x = in.in_type(0);
  const TensorType& state = in.out_type(1);
  if (x.dtype != DType::F32) return unsupported("a basic LSTM of ", x.dtype, ", expected f32");
  if (!x.ranked || x.rank() != 2 || !state.ranked || state.rank() != 2) {
    return unsupported("a basic LSTM of ", x, " with states of ", state, ", expected matrices");
  }
  Value* joined = in.add("concat", {in.in(0), in.in(1)}, in.out_type(2), {{"axis", int64_t{1}}});
  Value* gates =
      in.add("gemm", {joined, in.in(2), in.in(3)}, in.out_type(3), {{"transB", int64_t{1}}});
  const Node* parts = in.add_node("split", {gates}, std::vector<ValueType>(4, state),
                                  {{"axis", int64_t{1}}, {"num_outputs", int64_t{4}}});
  const auto gate = [&](size_t i) { return in.add("sigmoid", {parts->outputs[i]}, state); };
  Value* fresh = in.add("mul", {gate(0), in.add("tanh", {parts->outputs[1]}, state)}, state);
  Value* kept = in.add("mul", {gate(2), in.in(4)}, state);
  Value* next = in.add("add", {fresh, kept}, state);
  Value* y = in.add("mul", {gate(3), in.add("tanh", {next}, state)}, in.out_type(0));
  in.set_output(0, y);
  in.set_output(1, next);
  in.set_output(2, joined);
  in.set_output(3, gates);
  return Done{};
}

}  // namespace

// One step.
Status import_lstm(TfliteImport& in) {
  if (in.option<std::string>("kernel_type", "FULL") == "BASIC") return import_basic(in);
  HONE_TRY(Parts parts, parts_of(in));
  HONE_TRY(const Form form, form_of(in, true));
  HONE_RETURN_IF_ERROR(check_parts(in, parts));
  const TensorType& x = in.in_type(0);
  if (x.dtype != DType::F32) return unsupported("one step of ", x.dtype, ", expected f32");
  if (!x.ranked || x.rank() != 2 || x.shape[1] == kUnknown) {
    return unsupported("a step of ", x, ", expected a matrix");
  }
  if (std::ranges::count(in.out_type(0).shape, kUnknown) > 1) {
    return unsupported("an output of ", in.out_type(0));
  }
  parts[Lstmp::kX] = add_reshape(in, in.in(0), TensorType{DType::F32, {1, x.shape[0], x.shape[1]}});
  Value* y = add_lstm(in, parts, form, false);
  const Shape& shape = y->type.tensor.shape;
  in.set_output(0, add_reshape(in, y, TensorType{DType::F32, {shape[1], shape[2]}}));
  return Done{};
}

Status import_sequence_lstm(TfliteImport& in) {
  HONE_TRY(const Parts parts, parts_of(in));
  HONE_TRY(const Form form, form_of(in, in.option<bool>("time_major", false)));
  HONE_RETURN_IF_ERROR(check_parts(in, parts));
  const TensorType& x = in.in_type(0);
  if (x.dtype == DType::I8 && in.intermediate(4) == nullptr) {
    return bad_input("integers without the five intermediate tensors");
  }
  if (x.dtype != DType::I8) HONE_RETURN_IF_ERROR(check_float_sequence(in.in(0)));
  if (!x.ranked || x.rank() != 3) return unsupported("a sequence of ", x, ", expected 3 axes");
  in.set_output(0, add_lstm(in, parts, form, false));
  return Done{};
}

// Both directions have their parameters in the order of lstmp, up to the states, which come after.
Status import_bidirectional_lstm(TfliteImport& in) {
  constexpr size_t kBackward = 17, kStates = 35, kAuxiliary = 39;
  for (size_t i = kAuxiliary + 1; i < in.inputs(); ++i) {
    if (in.has(i)) return unsupported("weights of an auxiliary input");
  }
  if (in.inputs() < kAuxiliary) return bad_input("has ", in.inputs(), " inputs, expected 48");
  const bool merge = in.option<bool>("merge_outputs", false);
  HONE_RETURN_IF_ERROR(check_both_outputs(in, merge));
  HONE_TRY(const Form form, form_of(in, in.option<bool>("time_major", true)));
  Parts forward{};
  Parts backward{};
  for (size_t i = 1; i <= Lstmp::kProjectionBias; ++i) {
    forward[i] = in.in_or_null(i);
    backward[i] = in.in_or_null(kBackward + i);
  }
  // An auxiliary input without weights of its own is what the way back reads.
  forward[Lstmp::kX] = in.in_or_null(0);
  backward[Lstmp::kX] = in.in_or_null(in.has(kAuxiliary) ? kAuxiliary : 0);
  for (size_t i = 0; i < 2; ++i) {
    forward[Lstmp::kH + i] = in.in_or_null(kStates + i);
    backward[Lstmp::kH + i] = in.in_or_null(kStates + 2 + i);
  }
  for (const Parts& parts : {forward, backward}) {
    HONE_RETURN_IF_ERROR(check_parts(in, parts));
    HONE_RETURN_IF_ERROR(check_float_sequence(parts[Lstmp::kX]));
  }
  Value* there = add_lstm(in, forward, form, false);
  Value* back = add_lstm(in, backward, form, true);
  set_both_outputs(in, there, back, merge);
  return Done{};
}

}  // namespace hone
