#include "hone/targets/cuda/expand_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "hone/ops/common.h"
#include "hone/passes/match.h"
#include "hone/targets/cuda/float_tensor.h"

namespace hone::cuda {
namespace {

constexpr std::string_view kExpandAttention = "expand_attention";
enum ExpandedInput : size_t { kQuery, kKey, kValue, kMask, kPastKey, kPastValue, kNonPad };

constexpr float kNothing = -std::numeric_limits<float>::infinity();
// Masks that a run computes: what is below the first is taken to be -infinity.
constexpr float kFarBelow = 1e30f;
constexpr float kFarther = 3e38f;

struct AttentionExtents {
  int64_t batch, heads, kv_heads, rows, keys, past, depth, width;  // width: of a value.
  int64_t all_keys() const { return past + keys; }
};

struct TokenExtents {
  int64_t heads, tokens, depth;
};

TokenExtents extents_of(const Value& value, int64_t heads) {
  const Shape& shape = value.type.tensor.shape;
  if (shape.size() == 4) return {shape[1], shape[2], shape[3]};
  return {heads, shape[1], shape[2] / heads};
}

bool is_known_float(const Value* value, DType dtype) {
  return value != nullptr && value->type.is_tensor() && value->type.tensor.known() &&
         value->type.tensor.dtype == dtype && !value->type.tensor.quantized() &&
         value->type.tensor.elements() > 0;
}

// A mask that can be added: constant, or of as many keys as there are. What is below all numbers of
// 16 bits cannot be told from -infinity there, so in fp16 it has to be constant.
bool can_mask(const Value* mask, const AttentionExtents& extents, DType dtype) {
  if (mask == nullptr) return true;
  const TensorType& type = mask->type.tensor;
  if (!type.known() || type.rank() < 2 || type.elements() == 0) return false;
  if (mask->constant) return true;
  return type.shape.back() == extents.all_keys() && dtype != DType::F16 &&
         (type.dtype == dtype || type.dtype == DType::Bool);
}

std::optional<AttentionExtents> expandable(const Node& node) {
  if (node.outputs.size() != 1 || node.inputs.size() < 3 || input_of(node, kNonPad) != nullptr) {
    return std::nullopt;
  }
  const DType dtype = node.inputs[kQuery]->type.tensor.dtype;
  if (dtype != DType::F32 && dtype != DType::F16 && dtype != DType::BF16) return std::nullopt;
  for (const size_t i : {kQuery, kKey, kValue, kPastKey, kPastValue}) {
    const Value* input = input_of(node, i);
    if ((i > kValue && input == nullptr)) continue;
    if (!is_known_float(input, dtype)) return std::nullopt;
  }
  const TokenExtents q = extents_of(*node.inputs[kQuery], attr_of<int64_t>(node, "q_num_heads"));
  const auto kv_heads = attr_of<int64_t>(node, "kv_num_heads");
  const TokenExtents k = extents_of(*node.inputs[kKey], kv_heads);
  const TokenExtents v = extents_of(*node.inputs[kValue], kv_heads);
  const Value* past = input_of(node, kPastKey);
  const AttentionExtents extents{.batch = node.inputs[kQuery]->type.tensor.shape[0],
                                 .heads = q.heads,
                                 .kv_heads = k.heads,
                                 .rows = q.tokens,
                                 .keys = k.tokens,
                                 .past = past == nullptr ? 0 : past->type.tensor.shape[2],
                                 .depth = q.depth,
                                 .width = v.depth};
  if (!can_mask(input_of(node, kMask), extents, dtype)) return std::nullopt;
  return extents;
}

// What is added to scores, [batch or 1][heads or 1][rows][keys], where that is known beforehand.
struct ConstantMask {
  Shape shape;
  std::vector<float> added;
  std::vector<float>
      kept;  // 0 in rows that see no key, whose results are zeros; empty: there are none.
};

class Expansion {
 public:
  Expansion(Graph& graph, Node& node, const AttentionExtents& extents)
      : graph_(graph), node_(node), extents_(extents), dtype_(node.inputs[0]->type.tensor.dtype) {}

  void run() {
    const double scale = NodeContext(*find_op(node_.op), node_).has_attr("scale")
                             ? attr_of<double>(node_, "scale")
                             : 1 / std::sqrt(static_cast<double>(extents_.depth));
    Value* q = add("mul", {heads_of(kQuery, extents_.heads), number("scale", scale)});
    Value* k = shared(with_past(heads_of(kKey, extents_.kv_heads), kPastKey), extents_.depth);
    Value* v = shared(with_past(heads_of(kValue, extents_.kv_heads), kPastValue), extents_.width);
    Value* turned = add("transpose", {k}, {{"perm", Ints{0, 1, 3, 2}}});
    Value* scores = capped(add("matmul", {q, turned}));
    Value* weights = weights_of(scores);
    Value* y = add("matmul", {weights, v});
    if (node_.inputs[kQuery]->type.tensor.rank() == 3) {
      y = add("transpose", {y}, {{"perm", Ints{0, 2, 1, 3}}});
      y = reshaped(y, {extents_.batch, extents_.rows, extents_.heads * extents_.width});
    }
    take_place(graph_, {&node_}, y->producer, node_.outputs[0], kExpandAttention);
  }

 private:
  Value* add(std::string_view op, std::vector<Value*> inputs, Attrs attrs = {}) {
    Node* made = add_inferred(graph_, op, std::move(inputs), std::move(attrs),
                              str(node_.name, ".", op, count_++), &node_);
    graph_.inherit_origins(made, node_);
    return made->outputs[0];
  }

  Value* constant(std::string_view what, Tensor tensor) {
    return graph_.add_constant(str(node_.name, ".", what, count_++), std::move(tensor));
  }
  Value* number(std::string_view what, double value) {
    return constant(what, floats_of(dtype_, {}, {static_cast<float>(value)}));
  }

  Value* reshaped(Value* value, const Shape& shape) {
    return add("reshape", {value, constant("extents", Tensor::of_ints(shape))},
               reshape_attrs(shape));
  }

  // [batch, heads, tokens, depth].
  Value* heads_of(size_t input, int64_t heads) {
    Value* value = node_.inputs[input];
    const Shape& shape = value->type.tensor.shape;
    if (shape.size() == 4) return value;
    value = reshaped(value, {shape[0], shape[1], heads, shape[2] / heads});
    return add("transpose", {value}, {{"perm", Ints{0, 2, 1, 3}}});
  }

  Value* with_past(Value* value, size_t input) {
    Value* past = input_of(node_, input);
    return past == nullptr ? value : add("concat", {past, value}, {{"axis", int64_t{2}}});
  }

  // For every head of queries its own, where several share one.
  Value* shared(Value* value, int64_t depth) {
    const auto& [batch, heads, kv_heads, rows, keys, past, q_depth, width] = extents_;
    if (heads == kv_heads) return value;
    const int64_t all = extents_.all_keys();
    Value* apart = reshaped(value, {batch, kv_heads, 1, all, depth});
    const Shape spread = {batch, kv_heads, heads / kv_heads, all, depth};
    apart = add("expand", {apart, constant("extents", Tensor::of_ints(spread))});
    return reshaped(apart, {batch, heads, all, depth});
  }

  Value* capped(Value* scores) {
    const auto cap = attr_of<double>(node_, "softcap");
    if (cap == 0) return scores;
    Value* part = add("mul", {scores, number("part", 1 / cap)});
    return add("mul", {add("tanh", {part}), number("cap", cap)});
  }

  bool is_causal() const { return attr_of<int64_t>(node_, "is_causal") != 0; }

  // The softmax of masked scores.
  Value* weights_of(Value* scores) {
    Value* mask = input_of(node_, kMask);
    if (mask != nullptr && !mask->constant) return weights_masked_by(scores, mask);
    if (mask == nullptr && !is_causal()) return softmax(scores);
    const ConstantMask known = constant_mask();
    scores = add("add", {scores, constant("mask", floats_of(dtype_, known.shape, known.added))});
    if (known.kept.empty()) return softmax(scores);
    Value* kept = constant("kept", floats_of(dtype_, known.shape, known.kept));
    return add("mul", {softmax(scores), kept});
  }

  Value* softmax(Value* scores) { return add("softmax", {scores}, {{"axis", int64_t{-1}}}); }

  // A row that sees no key at all gives zeros, not the mean: it is multiplied by what it sees.
  Value* weights_masked_by(Value* scores, Value* mask) {
    if (mask->type.tensor.dtype == DType::Bool) {
      Value* ones = add("cast", {mask}, {{"to", dtype_}});
      mask = add("mul", {add("sub", {ones, number("one", 1)}), number("masked", kFarther)});
    }
    if (is_causal()) {
      const ConstantMask causal = causal_mask();
      mask = add("add", {mask, constant("causal", floats_of(dtype_, causal.shape, causal.added))});
    }
    Value* masked = add("max", {add("add", {scores, mask}), number("lowest", -kFarBelow)});
    Value* seen = add("clip", {add("add", {mask, number("far", kFarBelow)}), number("zero", 0),
                               number("one", 1)});
    return add("mul", {softmax(masked), seen});
  }

  ConstantMask causal_mask() const {
    const int64_t keys = extents_.all_keys();
    const int64_t last = is_causal() ? extents_.past : keys;  // That the first row sees.
    ConstantMask mask;
    mask.shape = {1, 1, extents_.rows, keys};
    for (int64_t row = 0; row < extents_.rows; ++row) {
      for (int64_t key = 0; key < keys; ++key) {
        mask.added.push_back(key > row + last ? kNothing : 0.0f);
      }
    }
    return mask;
  }

  ConstantMask constant_mask() const {
    ConstantMask mask = causal_mask();
    if (const Tensor* given = constant_of(node_, kMask)) mask = with_given(mask, *given);
    keep_rows(mask);
    return mask;
  }

  ConstantMask with_given(const ConstantMask& causal, const Tensor& given) const {
    Shape shape = given.shape();
    while (shape.size() < 4) shape.insert(shape.begin(), 1);
    const std::vector<double> values = to_doubles(given);
    const int64_t keys = extents_.all_keys();
    ConstantMask mask;
    mask.shape = {shape[0], shape[1], extents_.rows, keys};
    for (int64_t outer = 0; outer < shape[0] * shape[1]; ++outer) {
      for (int64_t row = 0; row < extents_.rows; ++row) {
        const int64_t line = (outer * shape[2] + (shape[2] == 1 ? 0 : row)) * shape[3];
        for (int64_t key = 0; key < keys; ++key) {
          // Keys that it does not reach are not seen.
          const double value = key < shape[3] ? values[static_cast<size_t>(line + key)] : 0;
          const bool hidden = key >= shape[3] || (given.dtype() == DType::Bool && value == 0);
          const float own = hidden                         ? kNothing
                            : given.dtype() == DType::Bool ? 0.0f
                                                           : static_cast<float>(value);
          mask.added.push_back(causal.added[static_cast<size_t>(row * keys + key)] + own);
        }
      }
    }
    return mask;
  }

  void keep_rows(ConstantMask& mask) const {
    const auto keys = static_cast<size_t>(extents_.all_keys());
    for (size_t row = 0; row < mask.added.size() / keys; ++row) {
      float* line = mask.added.data() + row * keys;
      if (std::any_of(line, line + keys, [](float value) { return value != kNothing; })) continue;
      if (mask.kept.empty()) mask.kept.assign(mask.added.size(), 1.0f);
      std::fill_n(line, keys, 0.0f);
      std::fill_n(mask.kept.begin() + static_cast<std::ptrdiff_t>(row * keys), keys, 0.0f);
    }
  }

  Graph& graph_;
  Node& node_;
  const AttentionExtents extents_;
  const DType dtype_;
  int count_ = 0;
};

}  // namespace

int expand_attention(Graph& graph, const std::function<bool(const Node&)>& stays) {
  int count = 0;
  for (Node* node : graph.nodes()) {
    if (node->op != "attention" || stays(*node)) continue;
    const auto extents = expandable(*node);
    if (!extents) continue;
    Expansion(graph, *node, *extents).run();
    ++count;
  }
  return count;
}

}  // namespace hone::cuda
