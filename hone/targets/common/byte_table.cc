#include "hone/targets/common/byte_table.h"

#include "hone/ops/interpreter.h"

namespace hone {
namespace {

bool is_byte(const ValueType& value) {
  const TensorType& type = value.tensor;
  return value.is_tensor() && type.quantized() && type.quant->per_tensor() &&
         (type.dtype == DType::I8 || type.dtype == DType::U8);
}

}  // namespace

std::optional<std::array<uint8_t, 256>> byte_table(const Node& node, const EvalOptions& options) {
  if (node.inputs.empty() || node.inputs[0] == nullptr) return std::nullopt;
  if (!is_byte(node.inputs[0]->type) || !is_byte(node.outputs[0]->type)) return std::nullopt;
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
  if (result.elements() != 256 || result.bytes().size() != 256) return std::nullopt;
  std::array<uint8_t, 256> table;
  for (size_t i = 0; i < 256; ++i) table[i] = static_cast<uint8_t>(result.bytes()[i]);
  return table;
}

}  // namespace hone
