#include <algorithm>

#include "hone/base/text.h"
#include "hone/ops/op_def.h"
#include "hone/ops/pool/windows.h"
#include "hone/targets/common/prepare_graph.h"
#include "hone/targets/npu/operation.h"
#include "hone/targets/npu/placement.h"
#include "hone/targets/npu/working_set.h"

namespace hone::npu {
namespace {

std::string list_of(const std::set<std::string, std::less<>>& names) {
  return join(std::vector<std::string>(names.begin(), names.end()));
}

std::optional<NodeWindow> window_of(const Node& node) {
  const OperationDef* operation = find_operation(node.op);
  if (operation == nullptr || operation->window == nullptr || !is_plannable(*node.inputs[0])) {
    return std::nullopt;
  }
  return operation->window(node);
}

bool has_weights(const Node& node) {
  const OperationDef* operation = find_operation(node.op);
  return operation != nullptr && operation->weights;
}

std::optional<Refusal> known_extents(const Node& node, const Device&) {
  for (const auto* values : {&node.inputs, &node.outputs}) {
    for (const Value* value : *values) {
      if (value == nullptr || is_plannable(*value)) continue;
      return Refusal{str("the extents of '", value->name,
                         "' are known only during a run; commands are made before it"),
                     "bind the model's extents, or export it with fixed ones",
                     {HintKind::Extents}};
    }
  }
  return std::nullopt;
}

std::optional<Refusal> some_elements(const Node& node, const Device&) {
  for (const auto* values : {&node.inputs, &node.outputs}) {
    for (const Value* value : *values) {
      if (value == nullptr || value->constant || !is_empty(*value)) continue;
      return Refusal{str("'", value->name, "' has no elements; commands work on some"),
                     "leave out what computes on nothing"};
    }
  }
  return std::nullopt;
}

std::optional<Refusal> known_operator(const Node& node, const Device& device) {
  if (const OperationDef* operation = find_operation(node.op)) {
    const NpuLimits& limits = device.npu()->limits;
    const std::string name(operation->form == nullptr ? node.op : operation->form(node));
    if (limits.ops.empty() || limits.ops.contains(name)) return std::nullopt;
    return Refusal{str("operator ", name, " is not among those that ", device.name, " runs"),
                   str("express it by: ", list_of(limits.ops))};
  }
  Refusal refusal{str("no engine of the NPU has a command for operator ", node.op), ""};
  if (node.op == "quantize_linear" || node.op == "dequantize_linear") {
    refusal.change = "give the model integer inputs and outputs, so that nothing needs converting";
  } else if (node.op == "transpose") {
    refusal.change = "give the model nhwc inputs, so that nothing needs turning";
  } else if (find_op(node.op) == nullptr || node.outputs[0]->type.tensor.quantized()) {
    refusal.change = "express it by operators that the NPU runs";
    refusal.hint = {HintKind::OperatorsOfNpus};
  } else {
    refusal.change = "if it is a function of one value, quantize it into a table";
    refusal.hint = {HintKind::QuantizedModel, device.name};
  }
  return refusal;
}

// Whether the model is quantized around it: bytes go in, or were made floats right before.
bool beside_integers(const Node& node) {
  const auto any_byte = [](const Node& of) {
    return std::ranges::any_of(of.inputs, [](const Value* value) {
      return value != nullptr && !value->constant && is_byte(*value);
    });
  };
  return any_byte(node) || std::ranges::any_of(node.inputs, [&](const Value* value) {
           return value != nullptr && value->producer != nullptr && any_byte(*value->producer);
         });
}

// The first activation, or the output, that is not of a type the NPU takes.
std::optional<Refusal> byte_values(const Node& node, const Device& device) {
  // These are what floats come and go by.
  if (node.op == "quantize_linear" || node.op == "dequantize_linear") return std::nullopt;
  const auto& types = device.npu()->limits.types;
  const auto check = [&](const Value& value) -> std::optional<Refusal> {
    const TensorType& type = value.type.tensor;
    const std::string name = type.dtype == DType::I8   ? "int8"
                             : type.dtype == DType::U8 ? "uint8"
                                                       : "";
    if (is_byte(value) && (types.empty() || types.contains(name))) return std::nullopt;
    const std::string wanted = types.empty() ? "int8 or uint8" : list_of(types);
    const std::string reason = str("'", value.name, "' is ", name_of(type.dtype),
                                   type.quantized() || name.empty() ? "" : " without a scale",
                                   "; the NPU computes on ", wanted);
    if (name.empty() && beside_integers(node)) {
      return Refusal{reason, "quantize this layer, too, or end the model before it"};
    }
    return Refusal{reason, "quantize the model for it", {HintKind::QuantizedModel, device.name}};
  };
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == nullptr || node.inputs[i]->constant) continue;
    if (auto refusal = check(*node.inputs[i])) return refusal;
  }
  return check(*node.outputs[0]);
}

std::optional<Refusal> channels_last(const Node& node, const Device&) {
  const auto window = window_of(node);
  if (!window || window->nhwc) return std::nullopt;
  return Refusal{"its image is nchw; the engines read channels innermost",
                 "leave pass choose_layout on, which turns it"};
}

std::optional<Refusal> two_axes(const Node& node, const Device&) {
  const auto window = window_of(node);
  if (!window || window->window.rank <= 2) return std::nullopt;
  return Refusal{str("its window slides along ", window->window.rank,
                     " axes; the engines know height and width"),
                 "split it into two-dimensional ones"};
}

std::optional<Refusal> constant_weights(const Node& node, const Device&) {
  if (!has_weights(node) || node.inputs[1]->constant) return std::nullopt;
  return Refusal{str("its weights '", node.inputs[1]->name, "' are computed during the run"),
                 "make them constants"};
}

std::optional<Refusal> batch_of_one(const Node& node, const Device&) {
  const auto window = window_of(node);
  if (!window || window->batch == 1) return std::nullopt;
  return Refusal{str("a batch of ", window->batch, " images; the NPU takes one at a time"),
                 "run with a batch of 1",
                 {HintKind::Extents}};
}

std::optional<Refusal> largest(std::string_view what, int64_t seen, int64_t most,
                               std::string change) {
  if (seen <= most) return std::nullopt;
  return Refusal{str(what, " ", seen, " is more than ", most, ", the most the NPU takes"),
                 std::move(change)};
}

std::optional<Refusal> kernel_size(const Node& node, const Device& device) {
  const auto window = window_of(node);
  if (!window || !has_weights(node)) return std::nullopt;
  const int most = device.npu()->limits.max_kernel;
  const int64_t kernel = std::max(window->window.axes[1].kernel, window->window.axes[2].kernel);
  return largest("a kernel of", kernel, most,
                 str("a stack of kernels of at most ", most, " that sees as far"));
}

std::optional<Refusal> stride_size(const Node& node, const Device& device) {
  const auto window = window_of(node);
  if (!window) return std::nullopt;
  const int most = device.npu()->limits.max_stride;
  // Where there is one output, the stride goes nowhere.
  const auto used = [](const WindowAxis& axis) { return axis.out > 1 ? axis.stride : 1; };
  const int64_t stride = std::max(used(window->window.axes[1]), used(window->window.axes[2]));
  return largest("a stride of", stride, most, str("a stride of ", most, ", then a pool"));
}

std::optional<Refusal> dilation_size(const Node& node, const Device& device) {
  const auto window = window_of(node);
  if (!window) return std::nullopt;
  const int64_t dilation =
      std::max(window->window.axes[1].dilation, window->window.axes[2].dilation);
  return largest("a dilation of", dilation, device.npu()->limits.max_dilation,
                 "a larger kernel without dilation");
}

std::optional<Refusal> pool_window(const Node& node, const Device& device) {
  const auto window = window_of(node);
  if (!window || has_weights(node)) return std::nullopt;
  const int64_t side = std::max(window->window.axes[1].kernel, window->window.axes[2].kernel);
  return largest("a pool's window of", side, device.npu()->limits.max_pool_window,
                 "two pools one after the other, or a mean over the whole image");
}

std::optional<Refusal> uncounted_padding(const Node& node, const Device&) {
  const auto window = window_of(node);
  if (!window || node.op != "average_pool") return std::nullopt;
  const NodeContext context(*find_op(node.op), node);
  if (!counts_padding(context, window->window)) return std::nullopt;
  return Refusal{"its means count the padding; the engines average what lies in the image",
                 "count_include_pad=0, or a convolution with equal weights"};
}

std::optional<Refusal> weight_scales(const Node& node, const Device& device) {
  if (!has_weights(node) || device.npu()->limits.per_channel) return std::nullopt;
  const TensorType& type = node.inputs[1]->constant->type();
  if (!type.quantized() || type.quant->per_tensor()) return std::nullopt;
  return Refusal{str("its weights have ", type.quant->scales.size(),
                     " scales; the NPU takes one for all channels"),
                 "quantize per tensor",
                 {HintKind::QuantizedModel, device.name}};
}

std::optional<Refusal> aligned_channels(const Node& node, const Device& device) {
  const int64_t step = device.npu()->limits.channel_alignment;
  const auto window = window_of(node);
  if (!window || step <= 1 || window->out_channels % step == 0) return std::nullopt;
  const int64_t next = (window->out_channels + step - 1) / step * step;
  return Refusal{str(window->out_channels, " output channels; the NPU takes multiples of ", step),
                 str("pad them with zeros to ", next)};
}

std::optional<Refusal> byte_tables(const Node& node, const Device& device) {
  const OperationDef* operation = find_operation(node.op);
  if (operation == nullptr || !operation->table || device.npu()->limits.tables) {
    return std::nullopt;
  }
  return Refusal{str(node.op, " needs a table of 256 bytes, which this NPU has not"),
                 "an activation that only cuts: relu, relu6"};
}

std::optional<Refusal> expressible(const Node& node, const Device&) {
  const OperationDef* operation = find_operation(node.op);
  const bool alone = operation != nullptr && operation->takes != nullptr;
  if (alone ? operation->takes(node) : make_layer(node, {}).has_value()) return std::nullopt;
  return Refusal{str("a form of ", node.op,
                     " that the engines have no command for (axes, "
                     "broadcast, type of an operand or fused activation)"),
                 "the plain form of it: channels innermost, operands of equal shape or one per "
                 "channel"};
}

std::optional<Refusal> fits_sram(const Node& node, const Device& device) {
  const auto layer = make_layer(node, {});
  if (!layer) return std::nullopt;
  const int64_t least = least_working_bytes(*layer);
  const int64_t room = device.npu()->sram.bytes;
  if (least <= room) return std::nullopt;
  return Refusal{str("its smallest tile takes ", human_bytes(static_cast<uint64_t>(least)),
                     " of SRAM; there are ", human_bytes(static_cast<uint64_t>(room))),
                 "fewer channels, or narrower images"};
}

}  // namespace

const std::vector<PlacementRule>& placement_rules() {
  static const std::vector<PlacementRule> kRules = {
      {"extents", "all extents are known before a run", known_extents},
      {"elements", "no value is empty", some_elements},
      {"type", "activations are bytes with one scale, of a type the device takes", byte_values},
      {"operator", "an engine has a command for the operator, and the device lists it",
       known_operator},
      {"layout", "images have their channels innermost", channels_last},
      {"axes", "windows slide along height and width", two_axes},
      {"weights", "weights are constants", constant_weights},
      {"batch", "one image at a time", batch_of_one},
      {"kernel", "kernels are at most limits.max_kernel wide and high", kernel_size},
      {"stride", "strides are at most limits.max_stride", stride_size},
      {"dilation", "dilations are at most limits.max_dilation", dilation_size},
      {"pool", "windows of pools are at most limits.max_pool_window wide and high", pool_window},
      {"padding", "averages leave the padding out", uncounted_padding},
      {"scales", "weights have one scale where limits.per_channel is false", weight_scales},
      {"alignment", "output channels are a multiple of limits.channel_alignment", aligned_channels},
      {"tables", "functions of one byte where limits.tables is true", byte_tables},
      {"form", "axes, broadcasts and fused activations that commands can say", expressible},
      {"sram", "the smallest tile fits into the SRAM", fits_sram},
  };
  return kRules;
}

std::optional<Refusal> refuse(const Node& node, const Device& device) {
  for (const PlacementRule& rule : placement_rules()) {
    if (auto refusal = rule.check(node, device)) return refusal;
  }
  return std::nullopt;
}

}  // namespace hone::npu
