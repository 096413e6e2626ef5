// TFLM's LSTM: bytes, with cells of 16 bits, that begins anew in every run.

#include "hone/ops/quant/table16.h"
#include "hone/ops/rnn/lstmp.h"
#include "hone/targets/c_code/emitter.h"
#include "hone/targets/c_code/panels.h"

namespace hone::c_code {
namespace {

constexpr size_t kLstmGates = 4;

struct LstmShape {
  int64_t steps;
  int64_t batch;
  int64_t inputs;
  int64_t cells;
  bool time_major;
  bool reverse;
};

LstmShape shape_of(const Node& node, const NodeContext& context) {
  const Shape& x = node.inputs[Lstmp::kX]->type.tensor.shape;
  const bool time_major = context.integer("time_major") != 0;
  return {.steps = x[time_major ? 0 : 1],
          .batch = x[time_major ? 1 : 0],
          .inputs = x[2],
          .cells = node.outputs[0]->type.tensor.shape[2],
          .time_major = time_major,
          .reverse = context.text("direction") == "reverse"};
}

Status check_plain(const Node& node) {
  bool plain = input_of(node, Lstmp::kW + Lstmp::kInput) != nullptr;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    plain = plain && !(Lstmp::is_extra(i) && node.inputs[i] != nullptr);
  }
  if (!plain) {
    return unsupported("peepholes, coupled gates, a projection or normalization, expected a plain ",
                       "LSTM");
  }
  for (size_t i = Lstmp::kW; i <= Lstmp::kC; ++i) {
    if (node.inputs[i] != nullptr && !node.inputs[i]->constant) {
      return unsupported("'", node.inputs[i]->name, "' is computed, expected a constant");
    }
  }
  for (size_t i = 1; i < node.outputs.size(); ++i) {
    if (!node.outputs[i]->users.empty()) return unsupported("states that are read");
  }
  return Done{};
}

// The one value that a state begins with everywhere.
template <class T>
Result<int> start_of(const Tensor& state) {
  const auto values = state.data<T>();
  if (std::ranges::adjacent_find(values, std::not_equal_to()) != values.end()) {
    return unsupported("a state that begins with several values");
  }
  return values.empty() ? 0 : int{values[0]};
}

// Weights of x or h, the gates of a cell in turn, as if a layer had them for its channels.
Weighted gates_of(const Node& node, size_t weights, bool biased, const TensorType& operand) {
  const Shape& shape = node.inputs[weights]->constant->shape();
  Weighted layer{.node = node,
                 .conv = {.out_channels = int64_t{kLstmGates} * shape[0], .window = {}}};
  const auto zero = static_cast<uint32_t>(operand.quant->zero_point());
  for (int64_t n = 0; n < layer.conv.out_channels; ++n) {
    const auto cell = static_cast<size_t>(n) / kLstmGates,
               gate = static_cast<size_t>(n) % kLstmGates;
    const auto depth = static_cast<size_t>(shape[1]);
    const Tensor* bias = biased ? constant_of(node, Lstmp::kB + gate) : nullptr;
    auto sum = bias == nullptr ? 0 : static_cast<uint32_t>(bias->data<int32_t>()[cell]);
    for (const int8_t w :
         node.inputs[weights + gate]->constant->data<int8_t>().subspan(cell * depth, depth)) {
      layer.weights.push_back(w);
      sum -= zero * static_cast<uint32_t>(w);
    }
    layer.biases.push_back(static_cast<int32_t>(sum));
    layer.computed.push_back(n);
  }
  for (const int64_t n : layer.computed) layer.sums.push_back(sum_range(layer, n));
  return layer;
}

std::string factor_text(FixedPoint factor) {
  return str("{", factor.multiplier, ", ", factor.shift, "}");
}

bool are_small(const std::vector<SumRange>& sums) {
  constexpr int64_t kMost = int64_t{1} << 30;
  return std::ranges::all_of(
      sums, [](const SumRange& sum) { return sum.low > -kMost && sum.high < kMost; });
}

// Adds them, and gives "(hone_gates){c0, c1, depth, fours, small, {..}}".
std::string add_gates(const Node& node, size_t weights, const Weighted& layer, float operand,
                      CoreKernels core, Step& step) {
  const Blocks blocks = blocks_of(layer, core);
  const size_t first = step.arrays.size();
  step.arrays.push_back(blocks.panels(layer));
  step.arrays.push_back(biases_in(blocks.channels, layer));
  step.scratch_bytes += column_bytes(layer);
  std::string factors;
  for (size_t gate = 0; gate < kLstmGates; ++gate) {
    const float scale = scale_of(*node.inputs[weights + gate]->constant);
    factors += str(gate == 0 ? "" : ", ", factor_text(gate_factor(scale, operand)));
  }
  return str("(hone_gates){c", first, ", c", first + 1, ", ", layer.depth(), ", ",
             blocks.fours() ? 1 : 0, ", ", are_small(layer.sums) ? 1 : 0, ", {", factors, "}}");
}

// "(hone_sequence){..}".
std::string sequence_text(const LstmShape& shape) {
  const int64_t pitch = shape.time_major ? shape.batch : 1;
  return str("(hone_sequence){", shape.steps, ", ", shape.batch, ", ", shape.inputs, ", ",
             shape.cells, ", ", shape.reverse ? -pitch : pitch, ", ",
             shape.time_major ? 1 : shape.steps, ", ",
             shape.reverse ? (shape.steps - 1) * pitch : 0, "}");
}

// "(hone_cell){..}".
Result<std::string> cell_text(const Node& node, const NodeContext& context) {
  const Tensor& h = *node.inputs[Lstmp::kH]->constant;
  const Tensor& c = *node.inputs[Lstmp::kC]->constant;
  HONE_TRY(const int start, start_of<int8_t>(h));
  HONE_TRY(const int cells, start_of<int16_t>(c));
  if (cells != 0) return unsupported("cells that begin with ", cells, ", expected 0");
  const TableLstm factors(h.type(), c.type());
  return str("(hone_cell){", factor_text(factors.keep), ", ", factor_text(factors.admit), ", ",
             factor_text(factors.hidden), ", ", factors.shift, ", ",
             cell_limit(context.real("cell_clip"), scale_of(c)), ", ", zero_point_of(h), ", ",
             start, "}");
}

Result<Step> emit_lstm_node(const Node& node, const EmitOptions& options) {
  HONE_RETURN_IF_ERROR(check_int8_operands(node, 1));
  HONE_RETURN_IF_ERROR(check_plain(node));
  const NodeContext context(*find_op(node.op), node);
  const LstmShape shape = shape_of(node, context);
  HONE_TRY(std::string cell, cell_text(node, context));
  const TensorType& x = node.inputs[Lstmp::kX]->type.tensor;
  const TensorType& h = node.inputs[Lstmp::kH]->type.tensor;
  Step step{.reads = {node.inputs[Lstmp::kX]},
            .write = node.outputs[0],
            .scratch_bytes = 2 * static_cast<size_t>(shape.cells)};
  const Weighted of_x = gates_of(node, Lstmp::kW, true, x);
  const Weighted of_h = gates_of(node, Lstmp::kR, false, h);
  std::string by_x = add_gates(node, Lstmp::kW, of_x, x.quant->scale(), options.core, step);
  std::string by_h = add_gates(node, Lstmp::kR, of_h, h.quant->scale(), options.core, step);
  const auto& table = sigmoid_table();
  step.arrays.push_back(std::vector<uint16_t>(table.begin(), table.end()));
  step.calls = {{"hone_lstm",
                 {sequence_text(shape), std::move(by_x), std::move(by_h), std::move(cell),
                  str("c", step.arrays.size() - 1), "x0", "y", "scratch"}}};
  return step;
}

}  // namespace

extern const EmitterDef emit_lstmp = {.op = "lstmp", .emit = emit_lstm_node};

}  // namespace hone::c_code
