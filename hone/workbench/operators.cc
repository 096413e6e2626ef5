#include "hone/workbench/operators.h"

#include "hone/quantize/activation/bind_custom.h"
#include "hone/workbench/open_device.h"

namespace hone {

Result<std::vector<OperatorEntry>> device_operators(const std::string& target) {
  HONE_TRY(const std::optional<Device> device, open_device(target));
  if (!device || device->npu() == nullptr) return std::vector<OperatorEntry>();
  if (target.ends_with(".toml")) return read_operators(target);
  std::vector<OperatorEntry> entries;
  for (const NpuOperator& op : device->npu()->operators) {
    entries.push_back({op, str("device ", target, ": operator '", op.name, "'")});
  }
  return entries;
}

Status bind_operators(Model& model, const std::vector<OperatorEntry>& operators) {
  bool bound = false;
  for (const OperatorEntry& entry : operators) {
    HONE_RETURN_IF_ERROR(Expression::check(entry.op.expression).in(entry.where));
    if (!has_custom_op(model.graph, entry.op.name)) continue;
    HONE_RETURN_IF_ERROR(
        bind_custom_op(model.graph, entry.op.name, entry.op.expression).in(entry.where));
    bound = true;
  }
  if (!bound) return Done{};
  HONE_TRY(InferredTypes types, infer_types(model.graph));
  model.unsupported = std::move(types.unsupported);
  return Done{};
}

}  // namespace hone
