// lstm, gru and rnn in float32 with constant weights, their usual functions, no clipping, and
// sequences that are all as long as the input.

#include <algorithm>

#include "hone/ops/op_def.h"
#include "hone/targets/cpu/recurrent_step.h"

namespace hone::cpu {
namespace {

constexpr size_t kW = 1, kR = 2, kB = 3, kLengths = 4, kInitialH = 5, kInitialC = 6, kP = 7;

const Value* input(const Node& node, size_t index) {
  return index < node.inputs.size() ? node.inputs[index] : nullptr;
}

const Tensor* constant(const Node& node, size_t index) {
  const Value* value = input(node, index);
  return value != nullptr && value->constant ? &*value->constant : nullptr;
}

// Left out or constant.
bool settled(const Node& node, size_t index) {
  return input(node, index) == nullptr || constant(node, index) != nullptr;
}

bool fits_recurrent(const Node& node, const StepBuilder& builder) {
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const Value* value = node.inputs[i];
    if (value == nullptr) continue;
    const TensorType& type = value->type.tensor;
    const DType expected = i == kLengths ? DType::I32 : DType::F32;
    if (!builder.planned(value) || type.dtype != expected || type.elements() == 0) return false;
  }
  for (const Value* output : node.outputs) {
    if (!builder.planned(output)) return false;
  }
  return constant(node, kW) != nullptr && constant(node, kR) != nullptr && settled(node, kB) &&
         settled(node, kLengths) && settled(node, kP);
}

bool same_name(const std::string& given, std::string_view name) {
  return std::ranges::equal(given, name, {}, [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
}

// Whether the functions are the operator's usual ones, `names` per direction.
bool usual(const Strings& given, const std::vector<std::string_view>& names) {
  for (size_t i = 0; i < given.size(); ++i) {
    if (!same_name(given[i], names[i % names.size()])) return false;
  }
  return true;
}

// Of an rnn, the same in both directions.
std::optional<Activation> function_of_rnn(const Strings& given) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (usual(given, {"tanh"})) return Activation{.kind = Activation::Kind::Tanh};
  if (usual(given, {"sigmoid"})) return Activation{.kind = Activation::Kind::Sigmoid};
  if (usual(given, {"relu"})) return Activation{.low = 0, .high = kInfinity};
  return std::nullopt;
}

bool set_cell(const NodeContext& context, RecurrentSpec& spec) {
  using Cell = RecurrentSpec::Cell;
  const auto& functions = context.attr<Strings>("activations");
  const std::string& op = context.node().op;
  if (op == "lstm") {
    spec.cell = Cell::Lstm;
    spec.coupled = context.integer("input_forget") != 0;
    return usual(functions, {"sigmoid", "tanh", "tanh"});
  }
  if (op == "gru") {
    spec.cell = context.integer("linear_before_reset") != 0 ? Cell::GruLinear : Cell::Gru;
    return usual(functions, {"sigmoid", "tanh"});
  }
  spec.cell = Cell::Rnn;
  const auto function = function_of_rnn(functions);
  if (function) spec.activation = *function;
  return function.has_value();
}

std::unique_ptr<Step> lower_recurrent_node(const Node& node, StepBuilder& builder) {
  if (!fits_recurrent(node, builder)) return nullptr;
  const NodeContext context(*find_op(node.op), node);
  const Shape& x = node.inputs[0]->type.tensor.shape;
  const auto size = [](int64_t extent) { return static_cast<size_t>(extent); };
  RecurrentSpec spec{};
  if (context.has_attr("clip") || !set_cell(context, spec)) return nullptr;
  spec.batch_first = context.integer("layout") != 0;
  spec.reverse = context.text("direction") == "reverse";
  spec.w = constant(node, kW);
  spec.r = constant(node, kR);
  spec.bias = constant(node, kB);
  spec.peephole = constant(node, kP);
  spec.steps = size(x[spec.batch_first ? 1 : 0]);
  spec.batch = size(x[spec.batch_first ? 0 : 1]);
  spec.inputs = size(x[2]);
  spec.directions = size(spec.r->shape()[0]);
  spec.hidden = size(spec.r->shape()[2]);
  spec.x = node.inputs[0];
  spec.initial_h = input(node, kInitialH);
  spec.initial_c = input(node, kInitialC);
  spec.outputs.assign(node.outputs.begin(), node.outputs.end());
  if (const Tensor* lengths = constant(node, kLengths)) {
    for (const int64_t length : to_ints(*lengths)) {
      if (size(length) != spec.steps) return nullptr;
    }
  }
  return make_recurrent_step(spec, builder);
}

}  // namespace

extern const LoweringDef lower_lstm = {.op = "lstm", .lower = lower_recurrent_node};
extern const LoweringDef lower_gru = {.op = "gru", .lower = lower_recurrent_node};
extern const LoweringDef lower_rnn = {.op = "rnn", .lower = lower_recurrent_node};

}  // namespace hone::cpu
