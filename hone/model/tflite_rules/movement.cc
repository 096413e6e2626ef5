#include <algorithm>
#include <numeric>

#include "hone/model/tflite_export.h"
#include "hone/ops/common.h"

namespace hone {
namespace {

int64_t from_front(int64_t axis, const Value* value) {
  return axis < 0 ? axis + value->type.tensor.rank() : axis;
}

Ints first_axes(size_t count) {
  Ints axes(count);
  std::iota(axes.begin(), axes.end(), int64_t{0});
  return axes;
}

Status write_transpose(TfliteExport& out, const Node& node) {
  const Value* x = node.inputs[0];
  Ints perm(static_cast<size_t>(x->type.tensor.rank()));
  std::iota(perm.rbegin(), perm.rend(), int64_t{0});
  if (const Ints* given = node.find_attr<Ints>("perm")) perm = *given;
  const Value* y = node.outputs[0];
  out.add("TRANSPOSE", {out.tensor(x), out.ints(y->name + "/perm", perm)}, {out.tensor(y)});
  return Done{};
}

Status write_concat(TfliteExport& out, const Node& node) {
  out.add_as("CONCATENATION", node,
             {{"axis", from_front(export_attr<int64_t>(node, "axis"), node.outputs[0])},
              {"fused_activation_function", std::string("NONE")}});
  return Done{};
}

Status write_split(TfliteExport& out, const Node& node) {
  const Value* x = node.inputs[0];
  const int64_t axis = from_front(export_attr<int64_t>(node, "axis"), x);
  Ints sizes;
  std::vector<int> outputs;
  for (const Value* part : node.outputs) {
    sizes.push_back(part->type.tensor.shape[static_cast<size_t>(axis)]);
    outputs.push_back(out.tensor(part));
  }
  const std::string& name = node.outputs[0]->name;
  const int along = out.constant(name + "/axis", Tensor::scalar(static_cast<int32_t>(axis)));
  const TfliteExport::Options options{{"num_splits", std::ssize(node.outputs)}};
  const bool equal = std::ranges::all_of(sizes, [&](int64_t size) { return size == sizes[0]; });
  if (equal) {
    out.add("SPLIT", {along, out.tensor(x)}, std::move(outputs), options);
  } else {
    out.add("SPLIT_V", {out.tensor(x), out.ints(name + "/sizes", sizes), along}, std::move(outputs),
            options);
  }
  return Done{};
}

struct SliceAxes {
  Ints starts;
  Ints ends;
  Ints steps;
};

// Begin, end and step for every axis.
Result<SliceAxes> slice_axes(const Node& node) {
  const Shape& shape = node.inputs[0]->type.tensor.shape;
  HONE_TRY(const Ints starts, export_ints(node, 1, "where it begins"));
  HONE_TRY(const Ints ends, export_ints(node, 2, "where it ends"));
  HONE_TRY(const Ints axes, export_ints_or(node, 3, "its list of axes", first_axes(starts.size())));
  HONE_TRY(const Ints steps, export_ints_or(node, 4, "its list of steps", Ints(starts.size(), 1)));
  SliceAxes all{Ints(shape.size(), 0), shape, Ints(shape.size(), 1)};
  for (size_t i = 0; i < axes.size(); ++i) {
    HONE_TRY(const size_t axis, resolve_axis(axes[i], std::ssize(shape)));
    if (steps[i] < 1) return unsupported("a slice backwards");
    const auto inside = [&](int64_t at) {
      return std::clamp(at < 0 ? at + shape[axis] : at, int64_t{0}, shape[axis]);
    };
    all.starts[axis] = inside(starts[i]);
    all.ends[axis] = inside(ends[i]);
    all.steps[axis] = steps[i];
  }
  return all;
}

Status write_slice(TfliteExport& out, const Node& node) {
  HONE_TRY(const SliceAxes axes, slice_axes(node));
  const Value* y = node.outputs[0];
  const int x = out.tensor(node.inputs[0]);
  const int begin = out.ints(y->name + "/begin", axes.starts);
  const bool whole = std::ranges::all_of(axes.steps, [](int64_t step) { return step == 1; });
  if (whole) {
    out.add("SLICE", {x, begin, out.ints(y->name + "/size", y->type.tensor.shape)},
            {out.tensor(y)});
    return Done{};
  }
  out.add(
      "STRIDED_SLICE",
      {x, begin, out.ints(y->name + "/end", axes.ends), out.ints(y->name + "/strides", axes.steps)},
      {out.tensor(y)});
  return Done{};
}

// Pairs for every axis, of ONNX's list: all before, then all behind.
Result<std::vector<int32_t>> pad_pairs(const Node& node) {
  const auto rank = static_cast<size_t>(node.inputs[0]->type.tensor.rank());
  HONE_TRY(const Ints pads, export_ints(node, 1, "its padding"));
  HONE_TRY(const Ints axes, export_ints_or(node, 3, "its list of axes", first_axes(rank)));
  if (pads.size() != 2 * axes.size()) return bad_input(pads.size(), " pads");
  std::vector<int32_t> pairs(2 * rank);
  for (size_t i = 0; i < axes.size(); ++i) {
    HONE_TRY(const size_t axis, resolve_axis(axes[i], static_cast<int64_t>(rank)));
    pairs[2 * axis] = static_cast<int32_t>(pads[i]);
    pairs[2 * axis + 1] = static_cast<int32_t>(pads[axes.size() + i]);
  }
  if (std::ranges::any_of(pairs, [](int32_t pad) { return pad < 0; })) {
    return unsupported("padding that cuts away");
  }
  return pairs;
}

// What PAD puts around by itself: zero, as a real number.
bool is_plain_fill(const Node& node) {
  const Value* fill = export_input(node, 2);
  if (fill == nullptr) return true;
  if (!fill->constant || fill->constant->elements() != 1) return false;
  const TensorType& x = node.inputs[0]->type.tensor;
  const double zero = x.quantized() ? x.quant->zero_point() : 0;
  return kNumeric.contains(fill->constant->dtype()) && to_doubles(*fill->constant)[0] == zero;
}

int fill_tensor(TfliteExport& out, const Node& node) {
  const Value* fill = node.inputs[2];
  const auto& quant = node.inputs[0]->type.tensor.quant;
  if (quant == nullptr || !fill->constant) return out.tensor(fill);
  return out.constant(fill->name, fill->constant->with_quantization(quant));
}

Status write_pad(TfliteExport& out, const Node& node) {
  HONE_TRY(const std::vector<int32_t> pairs, pad_pairs(node));
  const std::string mode = export_attr<std::string>(node, "mode");
  const Value* y = node.outputs[0];
  const int pads =
      out.constant(y->name + "/paddings", Tensor::of<int32_t>({std::ssize(pairs) / 2, 2}, pairs));
  std::vector<int> inputs{out.tensor(node.inputs[0]), pads};
  if (mode == "reflect") {
    out.add("MIRROR_PAD", std::move(inputs), {out.tensor(y)}, {{"mode", std::string("REFLECT")}});
  } else if (mode != "constant") {
    return unsupported("padding of mode ", mode);
  } else if (is_plain_fill(node)) {
    out.add("PAD", std::move(inputs), {out.tensor(y)});
  } else {
    inputs.push_back(fill_tensor(out, node));
    out.add("PADV2", std::move(inputs), {out.tensor(y)});
  }
  return Done{};
}

// Constant indices that count from the back, which TFLite's do not. Computed ones are taken to count
// from the front.
int gather_indices(TfliteExport& out, const Node& node, int64_t extent) {
  const Value* indices = node.inputs[1];
  if (!indices->constant) return out.tensor(indices);
  std::vector<int32_t> narrow;
  for (const int64_t index : to_ints(*indices->constant)) {
    narrow.push_back(static_cast<int32_t>(index < 0 ? index + extent : index));
  }
  return out.constant(indices->name, Tensor::of<int32_t>(indices->type.tensor.shape, narrow));
}

Status write_gather(TfliteExport& out, const Node& node) {
  const Value* x = node.inputs[0];
  const int64_t axis = from_front(export_attr<int64_t>(node, "axis"), x);
  const int indices = gather_indices(out, node, x->type.tensor.shape[static_cast<size_t>(axis)]);
  out.add("GATHER", {out.tensor(x), indices}, {out.tensor(node.outputs[0])},
          {{"axis", axis}, {"batch_dims", int64_t{0}}});
  return Done{};
}

Status write_tile(TfliteExport& out, const Node& node) {
  HONE_TRY(const Ints repeats, export_ints(node, 1, "how often it repeats"));
  const Value* y = node.outputs[0];
  out.add("TILE", {out.tensor(node.inputs[0]), out.ints(y->name + "/repeats", repeats)},
          {out.tensor(y)});
  return Done{};
}

Status write_expand(TfliteExport& out, const Node& node) {
  const Value* y = node.outputs[0];
  out.add("BROADCAST_TO",
          {out.tensor(node.inputs[0]), out.ints(y->name + "/shape", y->type.tensor.shape)},
          {out.tensor(y)});
  return Done{};
}

// The channels of an image whose blocks lie within them as those of one whose blocks lie outside: the
// order of ONNX's CRD in that of TFLite, which is DCR.
int with_blocks_outside(TfliteExport& out, const Node& node, int64_t block) {
  const Value* x = node.inputs[0];
  const int64_t taps = block * block;
  const int64_t channels = x->type.tensor.shape.back() / taps;
  Ints order;
  for (int64_t tap = 0; tap < taps; ++tap) {
    for (int64_t channel = 0; channel < channels; ++channel) order.push_back(channel * taps + tap);
  }
  const int ordered = out.temporary(x->name + "/ordered", x->type.tensor);
  out.add("GATHER", {out.tensor(x), out.ints(x->name + "/order", order)}, {ordered},
          {{"axis", x->type.tensor.rank() - 1}, {"batch_dims", int64_t{0}}});
  return ordered;
}

Status write_blocks(TfliteExport& out, const Node& node) {
  const bool to_space = node.op == "depth_to_space";
  if (export_attr<std::string>(node, "layout") != "nhwc") {
    return unsupported("blocks of an image with channels first, which TFLite has not");
  }
  const int64_t block = export_attr<int64_t>(node, "blocksize");
  const bool inside = to_space && export_attr<std::string>(node, "mode") == "CRD";
  const int x = inside ? with_blocks_outside(out, node, block) : out.tensor(node.inputs[0]);
  out.add(to_space ? "DEPTH_TO_SPACE" : "SPACE_TO_DEPTH", {x}, {out.tensor(node.outputs[0])},
          {{"block_size", block}});
  return Done{};
}

}  // namespace

extern const std::vector<TfliteExportRule> tflite_movement_rules = {
    {"concat", write_concat},
    {"depth_to_space", write_blocks},
    {"expand", write_expand},
    {"gather", write_gather},
    {"pad", write_pad},
    {"slice", write_slice},
    {"space_to_depth", write_blocks},
    {"split", write_split},
    {"tile", write_tile},
    {"transpose", write_transpose},
};

}  // namespace hone
