// Axes in another order.

#include "hone/targets/c_code/emitter.h"

namespace hone::c_code {
namespace {

constexpr size_t kMostAxes = 4;

Result<Step> emit_transpose_node(const Node& node, const CompileOptions&) {
  HONE_RETURN_IF_ERROR(check_int8_operands(node, 1));
  const Shape& x = node.inputs[0]->type.tensor.shape;
  if (x.size() > kMostAxes) return unsupported("a transpose of ", x.size(), " axes, expected 4");
  const NodeContext context(*find_op(node.op), node);
  Ints order = context.has_attr("perm") ? context.ints("perm") : Ints();
  if (order.empty()) {
    for (size_t i = x.size(); i > 0; --i) order.push_back(static_cast<int64_t>(i) - 1);
  }
  // Of every axis of the result its extent, and how far apart its elements lie in x.
  std::vector<std::string> arguments;
  for (size_t i = x.size(); i < kMostAxes; ++i) arguments.insert(arguments.end(), {"1", "0"});
  for (const int64_t axis : order) {
    int64_t stride = 1;
    for (size_t i = static_cast<size_t>(axis) + 1; i < x.size(); ++i) stride *= x[i];
    arguments.insert(arguments.end(), {str(x[static_cast<size_t>(axis)]), str(stride)});
  }
  arguments.insert(arguments.end(), {"x0", "y"});
  return Step{.calls = {{"hone_transpose", std::move(arguments)}},
              .reads = {node.inputs[0]},
              .write = node.outputs[0]};
}

}  // namespace

extern const EmitterDef emit_transpose = {.op = "transpose", .emit = emit_transpose_node};

}  // namespace hone::c_code
