// Functions of one byte: whatever they are, a table of 256 is them.

#include <cstring>

#include "hone/targets/common/byte_table.h"
#include "hone/targets/npu/operations/vector_layer.h"

namespace hone::npu {
namespace {

constexpr std::string_view kTableOps[] = {"lookup",     "requantize", "sigmoid", "tanh",
                                          "hard_swish", "leaky_relu", "elu",     "gelu"};

std::optional<Layer> make_table(const Node& node, const EvalOptions& options) {
  if (!is_byte(*node.inputs[0]) || !is_byte(*node.outputs[0]) || node.inputs[0]->constant) {
    return std::nullopt;
  }
  const auto table = byte_table(node, options);
  if (!table) return std::nullopt;
  Layer layer = alike_layer(node, command_of(sim::vector_op_table, node, options, {-128, 127}));
  layer.constants.resize(table->size());
  std::memcpy(layer.constants.data(), table->data(), table->size());
  return layer;
}

}  // namespace

extern const OperationDef operation_table = {
    .ops = kTableOps, .layer = make_table, .vector = &sim::vector_op_table, .table = true};

}  // namespace hone::npu
