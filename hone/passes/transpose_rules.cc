#include "hone/passes/transpose_rules.h"

#include <algorithm>

#include "hone/passes/match.h"
#include "hone/passes/transposes.h"
#include "hone/tensor/dispatch.h"

namespace hone {
namespace {

// Where an axis after the transpose comes from; it may count from the back.
int64_t moved(int64_t axis, const Ints& perm) {
  const auto rank = static_cast<int64_t>(perm.size());
  return perm[static_cast<size_t>(axis < 0 ? axis + rank : axis)];
}

Ints moved_all(const Ints& axes, const Ints& perm) {
  Ints result;
  for (const int64_t axis : axes) result.push_back(moved(axis, perm));
  return result;
}

std::optional<Sinking> plan_axis(const Node& node, const Ints& perm) {
  return Sinking{perm, {{"axis", moved(attr_of<int64_t>(node, "axis"), perm)}}};
}

// Integer kernels know the last axis only.
std::optional<Sinking> plan_softmax(const Node& node, const Ints& perm) {
  if (node.inputs[0]->type.tensor.quantized()) return {};
  return plan_axis(node, perm);
}

// A scale per tensor needs no axis.
std::optional<Sinking> plan_scaled(const Node& node, const Ints& perm) {
  if (attr_of<int64_t>(node, "block_size") != 0) return {};
  const TensorType& scale = node.inputs[1]->type.tensor;
  if (!scale.known()) return {};
  return scale.elements() == 1 ? Sinking{perm} : plan_axis(node, perm);
}

// Quantization per channel would change its axis.
std::optional<Sinking> plan_requantize(const Node& node, const Ints& perm) {
  for (const Value* value : {node.inputs[0], node.outputs[0]}) {
    const TensorType& type = value->type.tensor;
    if (type.quantized() && !type.quant->per_tensor()) return {};
  }
  return Sinking{perm};
}

// The order of the axes that remain when `gone`, axes of f's input, go.
Ints perm_without(const Ints& gone, const Ints& perm) {
  const Ints gone_before = moved_all(gone, perm);
  const auto is_gone = [&](int64_t axis) { return std::ranges::count(gone_before, axis) > 0; };
  Ints kept;
  for (const int64_t axis : perm) {
    if (is_gone(axis)) continue;
    int64_t place = 0;
    for (int64_t before = 0; before < axis; ++before) place += is_gone(before) ? 0 : 1;
    kept.push_back(place);
  }
  return kept;
}

std::optional<Sinking> plan_reduce(const Node& node, const Ints& perm) {
  const bool keep = attr_of<int64_t>(node, "keepdims") != 0;
  const Tensor* given = constant_of(node, 1);
  if (input_of(node, 1) != nullptr && given == nullptr) return {};
  const Ints axes = given == nullptr ? Ints{} : to_ints(*given);
  if (axes.empty()) {
    const bool all = attr_of<int64_t>(node, "noop_with_empty_axes") == 0;
    return Sinking{all && !keep ? Ints{} : perm};
  }
  Sinking plan{keep ? perm : perm_without(axes, perm)};
  plan.constants.emplace_back(1, Tensor::of_ints(moved_all(axes, perm)));
  return plan;
}

std::optional<Sinking> plan_arg(const Node& node, const Ints& perm) {
  const int64_t axis = attr_of<int64_t>(node, "axis");
  const bool keep = attr_of<int64_t>(node, "keepdims") != 0;
  return Sinking{keep ? perm : perm_without({axis}, perm), {{"axis", moved(axis, perm)}}};
}

std::optional<Sinking> plan_slice(const Node& node, const Ints& perm) {
  constexpr size_t kStarts = 1, kAxes = 3;
  if (input_of(node, kAxes) != nullptr && constant_of(node, kAxes) == nullptr) return {};
  Ints axes;
  if (const Tensor* given = constant_of(node, kAxes)) {
    axes = to_ints(*given);
  } else {
    const TensorType& starts = node.inputs[kStarts]->type.tensor;
    if (!starts.known() || starts.rank() != 1) return {};
    for (int64_t i = 0; i < starts.shape[0]; ++i) axes.push_back(i);
  }
  Sinking plan{perm};
  // As of the starts, which may be of either integer type.
  Tensor moved_axes = Tensor::of_ints(moved_all(axes, perm));
  if (node.inputs[kStarts]->type.tensor.dtype == DType::I32) {
    Tensor narrow(TensorType{DType::I32, moved_axes.shape()});
    const auto from = moved_axes.data<int64_t>();
    for (size_t i = 0; i < from.size(); ++i) {
      narrow.mutable_data<int32_t>()[i] = static_cast<int32_t>(from[i]);
    }
    moved_axes = std::move(narrow);
  }
  plan.constants.emplace_back(kAxes, std::move(moved_axes));
  return plan;
}

// A list with `parts` numbers per axis, part after part, as f' reads it. Nothing when the input is
// computed at run time or has another length.
std::optional<Tensor> reordered(const Node& node, size_t input, const Ints& perm, size_t parts) {
  const Tensor* list = constant_of(node, input);
  const size_t rank = perm.size();
  if (list == nullptr || list->elements() != static_cast<int64_t>(parts * rank)) return {};
  Ints order;
  for (size_t part = 0; part < parts; ++part) {
    for (const int64_t axis : inverse(perm))
      order.push_back(axis + static_cast<int64_t>(part * rank));
  }
  Tensor result(list->type());
  dispatch_by_size(list->dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = mutable_raw<T>(result);
    for (size_t i = 0; i < order.size(); ++i) to[i] = raw<T>(*list)[order[i]];
  });
  return result;
}

std::optional<Sinking> plan_pad(const Node& node, const Ints& perm) {
  constexpr size_t kPads = 1, kAxes = 3;
  Sinking plan{perm};
  if (input_of(node, kAxes) != nullptr) {
    const Tensor* axes = constant_of(node, kAxes);
    if (axes == nullptr || axes->dtype() != DType::I64) return {};
    plan.constants.emplace_back(kAxes, Tensor::of_ints(moved_all(to_ints(*axes), perm)));
    return plan;
  }
  auto pads = reordered(node, kPads, perm, 2);
  if (!pads) return {};
  plan.constants.emplace_back(kPads, *std::move(pads));
  return plan;
}

std::optional<Sinking> plan_tile(const Node& node, const Ints& perm) {
  auto repeats = reordered(node, 1, perm, 1);
  if (!repeats) return {};
  Sinking plan{perm};
  plan.constants.emplace_back(1, *std::move(repeats));
  return plan;
}

// Other readers of ONNX find the nearest element along any axes, but interpolate between pixels
// only: along the last axes, or linearly along all between the first and the last of four.
bool interpolates_pixels(const Node& node, const Ints& perm) {
  const TensorType& x = node.inputs[0]->type.tensor;
  const TensorType& y = node.outputs[0]->type.tensor;
  if (!x.known() || !y.known()) return false;
  size_t first = perm.size(), last = 0;
  for (size_t axis = 0; axis < perm.size(); ++axis) {
    if (x.shape[axis] == y.shape[axis]) continue;
    first = std::min(first, static_cast<size_t>(perm[axis]));
    last = std::max(last, static_cast<size_t>(perm[axis]));
  }
  const bool linear = attr_of<std::string>(node, "mode") == "linear";
  return first >= 2 || (linear && perm.size() == 4 && first >= 1 && last <= 2);
}

std::optional<Sinking> plan_resize(const Node& node, const Ints& perm) {
  constexpr size_t kRoi = 1, kScales = 2, kSizes = 3;
  const bool nearest = attr_of<std::string>(node, "mode") == "nearest";
  // Integer interpolation knows nhwc only.
  const TensorType& type = node.inputs[0]->type.tensor;
  if (type.quantized() && !(nearest && type.quant->per_tensor())) return {};
  if (!nearest && !interpolates_pixels(node, perm)) return {};
  Sinking plan{perm};
  if (const Ints* axes = node.find_attr<Ints>("axes")) {
    plan.attrs["axes"] = moved_all(*axes, perm);
    return plan;
  }
  for (const size_t input : {kRoi, kScales, kSizes}) {
    const Value* value = input_of(node, input);
    if (value == nullptr) continue;
    // Exporters write an empty list for what is left out.
    if (value->type.tensor.known() && value->type.tensor.elements() == 0) continue;
    auto list = reordered(node, input, perm, input == kRoi ? 2 : 1);
    if (!list) return {};
    plan.constants.emplace_back(input, *std::move(list));
  }
  return plan;
}

// Axes [in, in_end) of one shape hold the elements of axes [out, out_end) of another.
struct AxisGroup {
  size_t in, in_end;
  size_t out, out_end;
};

// The finest such groups, in order. Requires shapes of as many elements, which are not zero.
std::vector<AxisGroup> group_axes(const Shape& in, const Shape& out) {
  std::vector<AxisGroup> groups;
  size_t i = 0, o = 0;
  while (i < in.size() && o < out.size()) {
    AxisGroup group{i, i + 1, o, o + 1};
    int64_t from = in[i++], to = out[o++];
    while (from != to) {
      if (from < to) {
        from *= in[i++];
      } else {
        to *= out[o++];
      }
    }
    group.in_end = i;
    group.out_end = o;
    groups.push_back(group);
  }
  // Ones at the end.
  if (!groups.empty()) groups.back().in_end = in.size();
  if (!groups.empty()) groups.back().out_end = out.size();
  return groups;
}

// Axes that the reshape joins must lie side by side before the transpose too.
std::optional<Sinking> plan_reshape(const Node& node, const Ints& perm) {
  const TensorType& from = node.inputs[0]->type.tensor;
  const TensorType& to = node.outputs[0]->type.tensor;
  if (!from.known() || !to.known() || from.elements() == 0 || to.shape.empty()) return {};
  if (to.quantized() && !to.quant->per_tensor()) return {};
  std::vector<AxisGroup> groups = group_axes(from.shape, to.shape);
  for (const AxisGroup& group : groups) {
    for (size_t i = group.in; i + 1 < group.in_end; ++i) {
      if (perm[i + 1] != perm[i] + 1) return {};
    }
  }
  std::ranges::sort(groups, {}, [&](const AxisGroup& group) { return perm[group.in]; });
  Sinking plan{Ints(to.shape.size())};
  Ints shape;
  for (const AxisGroup& group : groups) {
    for (size_t o = group.out; o < group.out_end; ++o) {
      plan.perm[o] = static_cast<int64_t>(shape.size());
      shape.push_back(to.shape[o]);
    }
  }
  plan.constants.emplace_back(1, Tensor::of_ints(shape));
  return plan;
}

constexpr SinkRule kRules[] = {
    {"reshape", false, plan_reshape},
    {"concat", true, plan_axis},
    {"split", false, plan_axis},
    {"softmax", false, plan_softmax},
    {"log_softmax", false, plan_softmax},
    {"hardmax", false, plan_axis},
    {"quantize_linear", false, plan_scaled},
    {"dequantize_linear", false, plan_scaled},
    {"requantize", false, plan_requantize},
    {"arg_max", false, plan_arg},
    {"arg_min", false, plan_arg},
    {"slice", false, plan_slice},
    {"pad", false, plan_pad},
    {"tile", false, plan_tile},
    {"resize", false, plan_resize},
    {"cast", false, nullptr},
    {"identity", false, nullptr},
};

}  // namespace

const SinkRule* find_sink_rule(const Node& node) {
  static constexpr SinkRule kFunction{"", false, nullptr};
  static constexpr SinkRule kBroadcast{"", true, nullptr};
  static constexpr SinkRule kReduction{"", false, plan_reduce};
  switch (kind_of(node)) {
    case OpKind::Function:
      return &kFunction;
    case OpKind::Broadcast:
      return &kBroadcast;
    case OpKind::Reduction:
      return &kReduction;
    default:
      const auto* found = std::ranges::find(kRules, node.op, &SinkRule::op);
      return found == std::end(kRules) ? nullptr : found;
  }
}

}  // namespace hone
