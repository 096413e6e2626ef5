// Elements put around a tensor: of what is read, transposes and casts are done on the way.

#include "hone/ops/op_def.h"
#include "hone/targets/cuda/pads.h"
#include "hone/targets/cuda/strided.h"

namespace hone::cuda {
namespace {

constexpr unsigned kPadBlock = 256;

// How far before the elements of x the output begins, by axis. Nothing where that is not constant.
std::optional<Ints> begins_of(const Node& node) {
  const Value* amounts = input_of(node, 1);
  const Value* axes = input_of(node, 3);
  if (amounts == nullptr || !amounts->constant || (axes != nullptr && !axes->constant)) {
    return std::nullopt;
  }
  const int64_t rank = node.outputs[0]->type.tensor.rank();
  const Ints values = to_ints(*amounts->constant);
  Ints begins(static_cast<size_t>(rank), 0);
  if (axes == nullptr) {
    std::copy_n(values.begin(), rank, begins.begin());
    return begins;
  }
  const Ints named = to_ints(*axes->constant);
  for (size_t i = 0; i < named.size(); ++i) {
    begins[static_cast<size_t>(named[i] < 0 ? named[i] + rank : named[i])] = values[i];
  }
  return begins;
}

// What is read, and how far apart its elements are along the axes of the pad's input.
struct PadSource {
  const Value* value;
  Ints strides;
};

PadSource source_of(const Node& node, const StepBuilder& builder) {
  const Value* value = node.inputs[0];
  // Axis i of the pad's input is axis `axes[i]` of the value.
  std::vector<size_t> axes(value->type.tensor.shape.size());
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = i;
  while (const Node* inlined = builder.inlined(value)) {
    if (inlined->op == "transpose") {
      const NodeContext context(*find_op(inlined->op), *inlined);
      const Ints perm = context.has_attr("perm") ? context.ints("perm") : Ints();
      for (size_t& axis : axes) {
        axis = perm.empty() ? axes.size() - 1 - axis : static_cast<size_t>(perm[axis]);
      }
    }
    value = inlined->inputs[0];
  }
  const Ints strides = dense_strides(value->type.tensor.shape);
  Ints turned;
  for (const size_t axis : axes) turned.push_back(strides[axis]);
  return {value, turned};
}

// Whether element c + j of the last axis, and all before it, is one of x.
std::string inside_text(const Ints& begins, const Shape& x, const Shape& y) {
  std::string text = "true";
  for (size_t i = 0; i < begins.size(); ++i) {
    if (begins[i] == 0 && x[i] == y[i]) continue;
    const std::string last = i + 1 == begins.size() ? " + j" : "";
    text += str(" && (u32)(c", i, last, " - ", begins[i], ") < ", x[i], "u");
  }
  return text;
}

Variant pad_variant(const Node& node, const Ints& begins, const PadSource& source,
                    StepBuilder& builder) {
  const Shape& x = node.inputs[0]->type.tensor.shape;
  const TensorType& y = node.outputs[0]->type.tensor;
  const Value* value = input_of(node, 2);
  const auto around = static_cast<float>(
      value == nullptr || value->type.tensor.elements() == 0 ? 0 : to_doubles(*value->constant)[0]);
  const int64_t vec = pack_of(y.dtype, std::array{y.shape.back()});
  int64_t offset = 0;
  for (size_t i = 0; i < begins.size(); ++i) offset -= begins[i] * source.strides[i];
  SourceMaker maker;
  maker.define("X", type_name(source.value->type.tensor.dtype)).define("Y", type_name(y.dtype));
  maker.define("VEC", vec);
  const std::string text =
      str("extern \"C\" __global__ void __launch_bounds__(", kPadBlock,
          ") pad(const X* x, Y* y, u64* began) {\n  wait_for_earlier(began);\n"
          "  const int i = (int)(blockIdx.x * ",
          kPadBlock, " + threadIdx.x) * VEC;\n  if (i >= ", y.elements(), ") return;\n",
          coordinates_text(y.shape),
          "  Pack<Y, VEC> results;\n#pragma unroll\n  for (int j = 0; j < VEC; ++j) {\n"
          "    float value = ",
          literal(around), ";\n    if (", inside_text(begins, x, y.shape), ") value = to_float(x[",
          address_text(source.strides, offset), " + j * ", source.strides.back(),
          "]);\n    results.at[j] = from_float<Y>(value);\n  }\n"
          "  *(Pack<Y, VEC>*)(y + i) = results;\n}\n");
  const Slot from = builder.read(source.value);
  const Slot to = builder.write(node.outputs[0]);
  Variant variant =
      simple_variant(maker.make_of(text, "pad", "pad"), y.elements() / vec, kPadBlock, {from, to});
  variant.name.clear();
  return variant;
}

std::optional<Step> lower_pad_node(const Node& node, StepBuilder& builder) {
  if (!can_pad(node, builder)) return std::nullopt;
  Step step{.kind = kind_of_step(StepFamily::Movement, "pad", node)};
  step.variants.push_back(pad_variant(node, *begins_of(node), source_of(node, builder), builder));
  return step;
}

}  // namespace

bool can_pad(const Node& node, const StepBuilder& builder) {
  if (node.op != "pad" || !is_float_tensor(node.inputs[0], builder) ||
      !is_float_tensor(node.outputs[0], builder) || node.inputs[0]->type.tensor.rank() == 0 ||
      !begins_of(node)) {
    return false;
  }
  const Value* value = input_of(node, 2);
  const NodeContext context(*find_op(node.op), node);
  return context.text("mode") == "constant" && (value == nullptr || value->constant);
}

extern const LoweringDef lower_pad = {.op = "pad", .lower = lower_pad_node};

}  // namespace hone::cuda
