#include "hone/targets/cuda/map.h"

#include <algorithm>
#include <map>

#include "hone/ops/op_def.h"
#include "hone/targets/common/channel_scale.h"
#include "hone/targets/common/fused.h"
#include "hone/targets/cuda/source.h"
#include "hone/targets/cuda/strided.h"

namespace hone::cuda {
namespace {

constexpr unsigned kMapBlock = 256;

using Arguments = std::vector<std::string>;

// Functions of one value: what stands before and behind it.
struct FunctionText {
  std::string_view before;
  std::string_view after;
};
const std::map<std::string_view, FunctionText> kFunctions = {
    {"abs", {"fabsf(", ")"}},
    {"neg", {"(-", ")"}},
    {"sqrt", {"sqrtf(", ")"}},
    {"rsqrt", {"(1.0f / sqrtf(", "))"}},
    {"exp", {"expf(", ")"}},
    {"log", {"logf(", ")"}},
    {"erf", {"erff(", ")"}},
    {"sin", {"sinf(", ")"}},
    {"cos", {"cosf(", ")"}},
    {"floor", {"floorf(", ")"}},
    {"ceil", {"ceilf(", ")"}},
    {"round", {"rintf(", ")"}},
    {"reciprocal", {"(1.0f / ", ")"}},
    {"identity", {"(", ")"}},
    {"cast", {"(", ")"}},
};

// Functions of two values.
std::optional<std::string> pair_text(std::string_view op, const Arguments& a) {
  if (op == "add") return str("(", a[0], " + ", a[1], ")");
  if (op == "sub") return str("(", a[0], " - ", a[1], ")");
  if (op == "mul") return str("(", a[0], " * ", a[1], ")");
  if (op == "div") return str("(", a[0], " / ", a[1], ")");
  if (op == "max") return str("larger(", a[0], ", ", a[1], ")");
  if (op == "min") return str("smaller(", a[0], ", ", a[1], ")");
  if (op == "pow") return str("powf(", a[0], ", ", a[1], ")");
  if (op == "squared_difference") return str("squared(", a[0], " - ", a[1], ")");
  return std::nullopt;
}

// What the node computes of its arguments; nothing where there is no word for it.
std::optional<std::string> text_of_node(const Node& node, const Arguments& arguments) {
  if (const auto activation = own_activation(node)) return activated(*activation, arguments[0]);
  if (node.op == "swish") {
    const auto alpha = static_cast<float>(NodeContext(*find_op(node.op), node).real("alpha"));
    return str("(", arguments[0], " * sigmoid(", arguments[0], " * ", literal(alpha), "))");
  }
  const auto function = kFunctions.find(node.op);
  if (function != kFunctions.end()) {
    return str(function->second.before, arguments[0], function->second.after);
  }
  if (node.inputs.size() != 2) return std::nullopt;
  const auto pair = pair_text(node.op, arguments);
  const bool fused =
      find_op(node.op) != nullptr && node.attrs.find("activation") != node.attrs.end();
  if (!pair || !fused) return pair;
  const auto activation = fused_activation(node);
  if (!activation) return std::nullopt;
  return activated(*activation, *pair);
}

// Inputs that are read element by element: those behind the first of a function are settings.
size_t operands_of(const Node& node) {
  return kind_of(node) == OpKind::Broadcast ? node.inputs.size() : 1;
}

bool is_scalar(const Value& value) {
  return value.constant && value.type.tensor.elements() == 1;
}

// The text of a kernel while it is put together.
class MapText {
 public:
  MapText(const Node& node, StepBuilder& builder)
      : builder_(builder), shape_(node.outputs[0]->type.tensor.shape) {
    view_.extents = shape_;
    result_ = text_of(node);
  }

  Variant variant(const Value* y) {
    const int64_t row = shape_.empty() ? 1 : shape_.back();
    view_.strides.push_back(pitched_strides(dense_strides(shape_), row, builder_.row_pitch(y)));
    offsets_.push_back(builder_.row_offset(y));
    view_ = merged(view_);
    const bool wide =
        std::ranges::any_of(leaves_, [](const Leaf& leaf) { return leaf.dtype == DType::F32; });
    const int64_t most = wide || y->type.tensor.dtype == DType::F32 ? 4 : 8;
    pack_ = pack_of_view(view_, offsets_, most);
    SourceMaker source;
    source.define("VEC", pack_).define("Y", type_name(y->type.tensor.dtype));
    std::vector<Slot> slots;
    for (const Leaf& leaf : leaves_) slots.push_back(slot_of(leaf));
    slots.push_back(builder_.write(y));
    return simple_variant(source.make_of(kernel(), "map", "map"), elements(view_.extents) / pack_,
                          kMapBlock, std::move(slots));
  }

 private:
  // What is read element by element: a value, or constants that were made for the kernel.
  struct Leaf {
    const Value* value = nullptr;
    Slot packed = kNoSlot;
    DType dtype = DType::F32;
  };

  Slot slot_of(const Leaf& leaf) const {
    if (leaf.value == nullptr) return leaf.packed;
    const auto rows = builder_.split_rows(leaf.value);
    return builder_.read(rows ? rows->whole : leaf.value);
  }

  std::string text_of(const Node& node) {
    if (node.op == "batch_norm") return text_of_norm(node);
    Arguments arguments;
    for (size_t i = 0; i < operands_of(node); ++i) arguments.push_back(text_of(node.inputs[i]));
    return *text_of_node(node, arguments);
  }

  std::string text_of_norm(const Node& norm) {
    const ChannelScale channels = *channel_scale(norm);
    const std::string scale = add_channels(channels.scale, channels.axis);
    const std::string shift = add_channels(channels.shift, channels.axis);
    return activated(*fused_activation(norm),
                     str("(", text_of(norm.inputs[0]), " * ", scale, " + ", shift, ")"));
  }

  std::string text_of(const Value* value) {
    if (is_scalar(*value)) return literal(static_cast<float>(to_doubles(*value->constant)[0]));
    if (const Node* node = builder_.inlined(value)) return text_of(*node);
    const auto found = std::ranges::find(leaves_, value, &Leaf::value);
    const auto leaf = static_cast<size_t>(found - leaves_.begin());
    if (found == leaves_.end()) add_leaf(value);
    return str("v", leaf);
  }

  std::string add_channels(const std::vector<float>& values, size_t axis) {
    const auto count = static_cast<int64_t>(values.size());
    leaves_.push_back({.packed = builder_.packed(Tensor::of<float>({count}, values))});
    Ints strides(shape_.size(), 0);
    strides[axis] = 1;
    view_.strides.push_back(std::move(strides));
    offsets_.push_back(0);
    return str("v", leaves_.size() - 1);
  }

  void add_leaf(const Value* value) {
    leaves_.push_back({.value = value, .dtype = value->type.tensor.dtype});
    Ints strides = broadcast_strides(value->type.tensor.shape, shape_);
    const auto rows = builder_.split_rows(value);
    if (rows) strides = pitched_strides(std::move(strides), shape_.back(), rows->pitch);
    view_.strides.push_back(std::move(strides));
    offsets_.push_back(rows ? rows->offset : 0);
  }

  std::string kernel() const {
    std::string parameters;
    std::string loads;
    std::string elements_text;
    for (size_t i = 0; i < leaves_.size(); ++i) {
      const std::string_view type = type_name(leaves_[i].dtype);
      const std::string address = address_text(view_.strides[i], offsets_[i]);
      const bool one = view_.strides[i].back() == 0;
      parameters += str("const ", type, "* x", i, ", ");
      loads += one ? str("  const float s", i, " = to_float(x", i, "[", address, "]);\n")
                   : str("  const Pack<", type, ", VEC> p", i, " = *(const Pack<", type,
                         ", VEC>*)(x", i, " + ", address, ");\n");
      elements_text += str("    const float v", i, " = ",
                           one ? str("s", i) : str("to_float(p", i, ".at[j])"), ";\n");
    }
    return str(
        "extern \"C\" __global__ void __launch_bounds__(", kMapBlock, ") map(", parameters,
        "Y* y, u64* began) {\n  wait_for_earlier(began);\n", "  const int i = (int)(blockIdx.x * ",
        kMapBlock, " + threadIdx.x) * VEC;\n  if (i >= ", elements(view_.extents), ") return;\n",
        coordinates_text(view_.extents), loads,
        "  Pack<Y, VEC> results;\n#pragma unroll\n  for (int j = 0; j < VEC; ++j) {\n",
        elements_text, "    results.at[j] = from_float<Y>(", result_, ");\n  }\n",
        "  *(Pack<Y, VEC>*)(y + ", address_text(view_.strides.back(), 0), ") = results;\n}\n");
  }

  StepBuilder& builder_;
  Shape shape_;
  std::vector<Leaf> leaves_;
  StridedView view_;  // Strides of the leaves, and at last of y.
  Ints offsets_;      // Of the leaves in what is read, and at last of y in what is written.
  std::string result_;
  int64_t pack_ = 1;
};

bool is_known_norm(const Node& node, const StepBuilder& builder) {
  return is_float_tensor(node.inputs[0], builder) && is_float_tensor(node.outputs[0], builder) &&
         fused_activation(node) && channel_scale(node);
}

}  // namespace

bool is_map(const Node& node, const StepBuilder& builder) {
  if (node.op == "batch_norm") return is_known_norm(node, builder);
  const OpKind kind = kind_of(node);
  const bool elementwise = kind == OpKind::Function || kind == OpKind::Broadcast ||
                           kind == OpKind::Conversion || node.op == "identity";
  if (!elementwise || node.outputs.size() != 1 || node.inputs.empty() ||
      !is_float_tensor(node.outputs[0], builder)) {
    return false;
  }
  for (size_t i = 0; i < operands_of(node); ++i) {
    if (!is_float_tensor(node.inputs[i], builder)) return false;
  }
  return text_of_node(node, Arguments(node.inputs.size(), "x")).has_value();
}

Step map_step(const Node& node, StepBuilder& builder) {
  Step step{.kind = kind_of_step(StepFamily::Elementwise, "map", node)};
  step.variants.push_back(MapText(node, builder).variant(node.outputs[0]));
  step.variants[0].name.clear();
  return step;
}

}  // namespace hone::cuda
