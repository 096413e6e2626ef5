// Lets a convolution or pool pad its image by itself.
//
//   %p = pad(%x, i64[8]{0 0 1 1 0 0 1 1})
//   %y = conv(%p, w)                         =>   %y = conv(%x, w) pads=[1,1,1,1]
//
// For a conv the padding must be zeros (the zero point, when quantized). A max_pool never lets its
// own padding win, so the pad must be minus infinity, or zeros around values that are not negative.
// An average_pool must count the padding. Leaves pads of other axes than height and width alone,
// and nodes that choose their padding by auto_pad or round their extent up.

#include <algorithm>
#include <limits>

#include "hone/passes/match.h"
#include "hone/passes/pass_def.h"

namespace hone {
namespace {

constexpr std::string_view kFusePadPass = "fuse_pad";

// Pads of the spatial axes as the attribute has them: all begins, then all ends.
std::optional<Ints> spatial_pads(const Node& pad, bool nhwc) {
  const Tensor* amounts = constant_of(pad, 1);
  if (amounts == nullptr || attr_of<std::string>(pad, "mode") != "constant") return {};
  if (input_of(pad, 3) != nullptr && constant_of(pad, 3) == nullptr) return {};
  const auto rank = pad.outputs[0]->type.tensor.rank();
  const Ints values = to_ints(*amounts);
  Ints axes;
  if (const Tensor* given = constant_of(pad, 3)) axes = to_ints(*given);
  for (int64_t i = 0; input_of(pad, 3) == nullptr && i < rank; ++i) axes.push_back(i);
  const int64_t spatial = rank - 2;
  Ints pads(static_cast<size_t>(2 * spatial));
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = (axes[i] < 0 ? axes[i] + rank : axes[i]) - (nhwc ? 1 : 2);
    const int64_t before = values[i], behind = values[i + axes.size()];
    if (before < 0 || behind < 0) return {};
    if (axis >= 0 && axis < spatial) {
      pads[static_cast<size_t>(axis)] = before;
      pads[static_cast<size_t>(axis + spatial)] = behind;
    } else if (before != 0 || behind != 0) {
      return {};
    }
  }
  return pads;
}

bool never_negative(const Value& value) {
  const Node* node = value.producer;
  if (node == nullptr) return false;
  for (const std::string_view op : {"relu", "sigmoid", "hard_sigmoid", "softmax"}) {
    if (node->op == op) return true;
  }
  if (node->op == "clip") return number_of(input_of(*node, 1)).value_or(-1) >= 0;
  const std::string* activation = node->find_attr<std::string>("activation");
  return activation != nullptr && (*activation == "relu" || *activation == "relu6");
}

// The padded elements have no influence other than the reader's own padding would have.
bool right_value(const Node& pad, const Node& reader) {
  const TensorType& type = pad.inputs[0]->type.tensor;
  if (input_of(pad, 2) != nullptr && constant_of(pad, 2) == nullptr) return false;
  const Tensor* given = constant_of(pad, 2);
  const double value = given == nullptr ? 0 : to_doubles(*given)[0];
  if (type.quantized()) {
    const TensorType& padded = pad.outputs[0]->type.tensor;
    return reader.op == "conv" && given != nullptr && type.quant->per_tensor() &&
           padded.quantized() && *padded.quant == *type.quant && value == type.quant->zero_point();
  }
  if (!kFloat.contains(type.dtype)) return false;
  const bool lowest = value <= std::numeric_limits<float>::lowest();
  if (reader.op == "max_pool" && lowest) return true;
  return value == 0 && (reader.op != "max_pool" || never_negative(*pad.inputs[0]));
}

// The padding is a list, and for a pool easy to tell from the image.
bool pads_itself(const Node& reader) {
  const std::string auto_pad = attr_of<std::string>(reader, "auto_pad");
  if (!auto_pad.empty() && auto_pad != "NOTSET" && auto_pad != "VALID") return false;
  if (reader.op == "conv") return true;
  const Ints dilations = attr_of<Ints>(reader, "dilations");
  return attr_of<int64_t>(reader, "ceil_mode") == 0 &&
         std::ranges::all_of(dilations, [](int64_t step) { return step == 1; });
}

// The padding of the reader with that of the pad added to it, or nothing when it may not take it.
std::optional<Ints> joint_pads(const Node& pad, const Node& reader) {
  if (!pad.outputs[0]->type.tensor.known() || !pads_itself(reader)) return {};
  const auto added = spatial_pads(pad, attr_of<std::string>(reader, "layout") == "nhwc");
  if (!added || !right_value(pad, reader)) return {};
  const bool none = attr_of<std::string>(reader, "auto_pad") == "VALID";
  Ints own = none ? Ints{} : attr_of<Ints>(reader, "pads");
  own.resize(added->size());
  const bool had_none = std::ranges::all_of(own, [](int64_t n) { return n == 0; });
  const bool counts =
      reader.op != "average_pool" || had_none || attr_of<int64_t>(reader, "count_include_pad") != 0;
  // A window of a pool must not lie in the padding altogether.
  const Ints kernel = attr_of<Ints>(reader, "kernel_shape");
  for (size_t i = 0; i < own.size(); ++i) {
    own[i] += (*added)[i];
    if (reader.op != "conv" && own[i] >= kernel[i % kernel.size()]) return {};
  }
  return counts ? std::optional(own) : std::nullopt;
}

void fuse_with_reader(Graph& graph, Node& pad, Node& reader, Ints pads) {
  reader.attrs.erase("auto_pad");
  reader.attrs["pads"] = std::move(pads);
  if (reader.op == "average_pool") reader.attrs["count_include_pad"] = int64_t{1};
  graph.set_input(&reader, 0, pad.inputs[0]);
  graph.inherit_origins(&reader, pad);
  erase_if_unread(graph, &pad, kFusePadPass);
}

int run_fuse_pad(Graph& graph) {
  int fused = 0;
  for (Node* node : graph.nodes()) {
    if (node->op != "conv" && node->op != "max_pool" && node->op != "average_pool") continue;
    Node* pad = made_by(node->inputs[0], "pad");
    if (pad == nullptr || node->outputs.size() != 1) continue;
    auto pads = joint_pads(*pad, *node);
    if (!pads) continue;
    fuse_with_reader(graph, *pad, *node, *std::move(pads));
    ++fused;
  }
  graph.remove_unused_constants();
  return fused;
}

}  // namespace

extern const PassDef pass_fuse_pad = {
    .name = kFusePadPass,
    .summary = "Lets convolutions and pools pad their images themselves.",
    .run = run_fuse_pad,
};

}  // namespace hone
