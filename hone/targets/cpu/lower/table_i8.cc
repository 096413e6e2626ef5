// Functions of one int8 or uint8 value, as a table of all 256: the reference fills it.

#include "hone/kernels/lut_i8/lut_i8.h"
#include "hone/ops/interpreter.h"
#include "hone/targets/cpu/lowering.h"
#include "hone/targets/cpu/map_step.h"

namespace hone::cpu {
namespace {

using Table = std::array<uint8_t, 256>;

bool is_byte(const TensorType& type) {
  return type.dtype == DType::I8 || type.dtype == DType::U8;
}

// What the node's reference gives for every byte.
std::optional<Table> table_of(const Node& node, const EvalOptions& options) {
  TensorType in = node.inputs[0]->type.tensor;
  in.shape = {256};
  Tensor bytes(in);
  for (size_t i = 0; i < 256; ++i) bytes.mutable_bytes()[i] = static_cast<std::byte>(i);
  std::vector<Item> items{Item(std::move(bytes))};
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == nullptr) {
      items.emplace_back();
    } else if (node.inputs[i]->constant &&
               (node.inputs[i]->constant->elements() == 1 || node.op == "lookup")) {
      items.emplace_back(*node.inputs[i]->constant);
    } else {
      return std::nullopt;
    }
  }
  std::vector<const Item*> inputs;
  for (size_t i = 0; i < items.size(); ++i) {
    inputs.push_back(node.inputs[i] == nullptr ? nullptr : &items[i]);
  }
  const auto outputs = run_node(node, inputs, options);
  if (!outputs.ok() || !(*outputs)[0].is_tensor()) return std::nullopt;
  const Tensor& result = (*outputs)[0].tensor;
  if (!is_byte(result.type()) || result.elements() != 256) return std::nullopt;
  Table table;
  for (size_t i = 0; i < 256; ++i) table[i] = static_cast<uint8_t>(result.bytes()[i]);
  return table;
}

std::unique_ptr<Step> lower(const Node& node, StepBuilder& builder) {
  const Value* x = node.inputs[0];
  const Value* y = node.outputs[0];
  if (!builder.planned(x) || !builder.planned(y) || x->constant) return nullptr;
  const TensorType& from = x->type.tensor;
  const TensorType& to = y->type.tensor;
  if (!from.quantized() || !to.quantized() || !is_byte(from) || !is_byte(to) ||
      !from.quant->per_tensor() || !to.quant->per_tensor()) {
    return nullptr;
  }
  const auto table = table_of(node, builder.options().eval);
  if (!table) return nullptr;
  const KernelVariant<LutI8>& variant = best_variant(lut_i8_variants());
  const auto map = [table = *table, run = variant.run](size_t n, const uint8_t* bytes,
                                                       uint8_t* results) {
    run(n, table.data(), bytes, results);
  };
  return make_map_step<uint8_t, uint8_t>(str("lut_i8 ", variant.name), x, y, 1, map, builder);
}

}  // namespace

extern const LoweringDef lower_lookup_i8 = {.op = "lookup", .lower = lower};
extern const LoweringDef lower_requantize_i8 = {.op = "requantize", .lower = lower};
extern const LoweringDef lower_sigmoid_i8 = {.op = "sigmoid", .lower = lower};
extern const LoweringDef lower_tanh_i8 = {.op = "tanh", .lower = lower};
extern const LoweringDef lower_elu_i8 = {.op = "elu", .lower = lower};
extern const LoweringDef lower_gelu_i8 = {.op = "gelu", .lower = lower};
extern const LoweringDef lower_hard_swish_i8 = {.op = "hard_swish", .lower = lower};
extern const LoweringDef lower_leaky_relu_i8 = {.op = "leaky_relu", .lower = lower};

}  // namespace hone::cpu
