#include "hone/targets/c_code/emitter.h"

#include "hone/base/short_name.h"

namespace hone::c_code {

#define HONE_C_EMITTER(name) extern const EmitterDef emit_##name;
#include "hone/targets/c_code/emitters.inc"
#undef HONE_C_EMITTER

const std::vector<const EmitterDef*>& all_emitters() {
  static const std::vector<const EmitterDef*> kEmitters = {
#define HONE_C_EMITTER(name) &emit_##name,
#include "hone/targets/c_code/emitters.inc"
#undef HONE_C_EMITTER
  };
  return kEmitters;
}

namespace {

// The layer that bytes were made floats for: it computes with floats, and would if the network were
// quantized once more. Null where there is none.
const Node* reader_of_floats(const Value& value) {
  if (value.type.tensor.dtype != DType::F32 || value.users.empty()) return nullptr;
  const Node* maker = value.producer;
  while (maker != nullptr && (maker->op == "transpose" || maker->op == "reshape")) {
    maker = maker->inputs[0]->producer;
  }
  if (maker == nullptr || (maker->op != "requantize" && maker->op != "dequantize_linear")) {
    return nullptr;
  }
  return maker->inputs[0]->type.tensor.dtype == DType::I8 ? value.users[0].node : nullptr;
}

}  // namespace

Status check_int8(const Value* value) {
  const TensorType& type = value->type.tensor;
  if (!type.known()) {
    return unsupported("'", value->name, "' has extents that are not known")
        .needs({HintKind::Extents});
  }
  if (type.dtype == DType::I8 && type.quantized() && type.quant->per_tensor()) return Done{};
  if (const Node* reader = reader_of_floats(*value)) {
    return unsupported("'", value->name, "' is made floats for '",
                       short_name(reader->outputs[0]->name), "' (", reader->op,
                       "), which is not in 8 bits in this file");
  }
  const char* without = type.dtype == DType::I8 && !type.quantized() ? " without a scale" : "";
  const bool other_integers = type.dtype != DType::I8 && type.quantized();
  return unsupported("'", value->name, "' is ", text_of(type), without,
                     ", expected int8 with one scale for all")
      .needs({other_integers ? HintKind::Floats : HintKind::QuantizedModel});
}

Status check_int8_operands(const Node& node, size_t inputs) {
  for (size_t i = 0; i < inputs; ++i) HONE_RETURN_IF_ERROR(check_int8(node.inputs[i]));
  return check_int8(node.outputs[0]);
}

Result<IntRange> output_range(const Node& node) {
  const NodeContext context(*find_op(node.op), node);
  return activation_range(context.text("activation"), node.outputs[0]->type.tensor);
}

std::string window_text(const Window& window, int64_t images, int64_t in_channels,
                        int64_t out_channels) {
  const WindowAxis& h = window.axes[1];
  const WindowAxis& w = window.axes[2];
  return str("(hone_window){", images, ", rows.in, ", w.in, ", ", in_channels, ", rows.out, ",
             w.out, ", ", out_channels, ", ", h.kernel, ", ", w.kernel, ", ", h.stride, ", ",
             w.stride, ", ", h.dilation, ", ", w.dilation, ", rows.pad, ", w.pad_begin, "}");
}

std::optional<WindowAxis> plain_rows(const Shape& shape) {
  if (shape.size() != 4) return std::nullopt;
  return WindowAxis{.in = shape[1], .out = shape[1]};
}

std::string count_text(const Shape& shape, int64_t count) {
  return plain_rows(shape) ? str(count / shape[1], " * rows.out") : str(count);
}

std::string operand_text(int32_t zero, FixedPoint factor) {
  return str("(hone_operand){", zero, ", ", factor.multiplier, ", ", factor.shift, "}");
}

}  // namespace hone::c_code
