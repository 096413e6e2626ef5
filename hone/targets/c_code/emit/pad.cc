// A value around an image: all of the result is that value, then what is inside is put into it.

#include "hone/targets/c_code/emitter.h"

namespace hone::c_code {
namespace {

constexpr size_t kMostPadAxes = 4;

Result<int32_t> padding_value(const Node& node) {
  const Value* value = input_of(node, 2);
  if (value == nullptr) return zero_of(node.inputs[0]);
  if (!value->constant) return unsupported("a value that is computed");
  return int32_t{value->constant->data<int8_t>()[0]};
}

Result<Step> emit_pad_node(const Node& node, const EmitOptions&) {
  HONE_RETURN_IF_ERROR(check_int8_operands(node, 1));
  const NodeContext context(*find_op(node.op), node);
  const Shape& x = node.inputs[0]->type.tensor.shape;
  const Shape& y = node.outputs[0]->type.tensor.shape;
  const Tensor* given = constant_of(node, 1);
  if (context.text("mode") != "constant") return unsupported("mode '", context.text("mode"), "'");
  if (given == nullptr || x.size() > kMostPadAxes) {
    return unsupported("pads that are computed, or of more than 4 axes");
  }
  const Ints pads = to_ints(*given);
  std::vector<size_t> axes(x.size());
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = i;
  if (const Value* some = input_of(node, 3)) {
    if (!some->constant) return unsupported("axes that are computed");
    HONE_TRY(axes, resolve_axes(to_ints(*some->constant), std::ssize(x)));
  }
  std::vector<int64_t> before(x.size());
  for (size_t i = 0; i < axes.size(); ++i) {
    if (pads[i] < 0 || pads[i + axes.size()] < 0) return unsupported("a pad below zero");
    before[axes[i]] = pads[i];
  }
  HONE_TRY(const int32_t value, padding_value(node));
  std::vector<std::string> arguments;
  for (size_t i = x.size(); i < kMostPadAxes; ++i) {
    arguments.insert(arguments.end(), {"1", "1", "0"});
  }
  for (size_t i = 0; i < x.size(); ++i) {
    arguments.insert(arguments.end(), {str(x[i]), str(y[i]), str(before[i])});
  }
  arguments.insert(arguments.end(), {str(value), "x0", "y"});
  return Step{.calls = {{"hone_pad", std::move(arguments)}},
              .reads = {node.inputs[0]},
              .write = node.outputs[0]};
}

}  // namespace

extern const EmitterDef emit_pad = {.op = "pad", .emit = emit_pad_node};

}  // namespace hone::c_code
