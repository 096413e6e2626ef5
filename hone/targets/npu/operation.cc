#include "hone/targets/npu/operation.h"

#include <algorithm>

#include "hone/sim/timing.h"
#include "hone/targets/common/prepare_graph.h"

namespace hone::npu {

#define HONE_NPU_OPERATION(name) extern const OperationDef operation_##name;
#include "hone/targets/npu/operations.inc"
#undef HONE_NPU_OPERATION

const std::vector<const OperationDef*>& operations() {
  static const std::vector<const OperationDef*> kOperations = {
#define HONE_NPU_OPERATION(name) &operation_##name,
#include "hone/targets/npu/operations.inc"
#undef HONE_NPU_OPERATION
  };
  return kOperations;
}

const OperationDef* find_operation(std::string_view op) {
  for (const OperationDef* operation : operations()) {
    if (std::ranges::find(operation->ops, op) != operation->ops.end()) return operation;
  }
  return nullptr;
}

std::optional<Layer> make_layer(const Node& node, const EvalOptions& options) {
  if (node.outputs.size() != 1 || !is_plannable(*node.outputs[0])) return std::nullopt;
  const OperationDef* operation = find_operation(node.op);
  if (operation == nullptr || operation->layer == nullptr) return std::nullopt;
  std::optional<Layer> layer = operation->layer(node, options);
  if (layer) {
    layer->node = &node;
    layer->output.value = node.outputs[0];
  }
  return layer;
}

const std::vector<std::string_view>& limit_names() {
  static const std::vector<std::string_view> kNames = [] {
    std::vector<std::string_view> names;
    for (const OperationDef* operation : operations()) {
      names.insert(names.end(), operation->ops.begin(), operation->ops.end());
      names.insert(names.end(), operation->forms.begin(), operation->forms.end());
    }
    return names;
  }();
  return kNames;
}

const std::vector<std::string_view>& cost_names() {
  static const std::vector<std::string_view> kNames = [] {
    std::vector<std::string_view> names = {sim::kDepthwiseCost};
    for (const OperationDef* operation : operations()) {
      if (operation->vector != nullptr) names.push_back(operation->vector->name);
      if (!operation->table) continue;
      names.insert(names.end(), operation->ops.begin(), operation->ops.end());
    }
    return names;
  }();
  return kNames;
}

}  // namespace hone::npu
