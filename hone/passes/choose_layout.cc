// Makes image operators work on nhwc, where the channels of a pixel lie side by side.
//
//                                    %t = transpose(%x) perm=[0,2,3,1]
//   %y = conv(%x, w)          =>     %u = conv(%t, w in OHWI) layout=nhwc
//                                    %y = transpose(%u) perm=[0,3,1,2]
//
// Every operator with a `layout` on an image with one or two spatial axes; move_transposes takes
// the transposes between them away. Leaves a max_pool alone that tells where its maxima are, and a
// transposed convolution in groups unless its weights are constant floats: they are ordered
// differently.

#include <algorithm>

#include "hone/passes/match.h"
#include "hone/passes/pass_def.h"
#include "hone/passes/transposes.h"

namespace hone {
namespace {

bool in_groups(const Node& node) {
  return node.op == "conv_transpose" && attr_of<int64_t>(node, "group") != 1;
}

std::optional<size_t> weights_of(const Node& node) {
  if (node.op == "conv" || node.op == "conv_transpose" || node.op == "conv_integer") return 1;
  if (node.op == "qlinear_conv") return 3;
  return {};
}

bool wants_nhwc(const Node& node) {
  const OpDef* op = find_op(node.op);
  if (op == nullptr || node.outputs.size() != 1) return false;
  const bool has_layout = std::ranges::any_of(op->attrs, [](const AttrDef& def) {
    return def.name == "layout" && std::holds_alternative<std::string>(def.value);
  });
  if (!has_layout || attr_of<std::string>(node, "layout") != "nchw") return false;
  const Tensor* weights = in_groups(node) ? constant_of(node, 1) : nullptr;
  if (in_groups(node) && (weights == nullptr || weights->type().quantized())) return false;
  const auto image = [](const Value* value) {
    const TensorType& type = value->type.tensor;
    return value->type.is_tensor() && type.ranked && (type.rank() == 3 || type.rank() == 4);
  };
  if (!image(node.inputs[0]) || !image(node.outputs[0])) return false;
  // Weights that a run computes may not even have a known rank.
  const auto input = weights_of(node);
  if (!input) return true;
  const TensorType& type = node.inputs[*input]->type.tensor;
  return type.ranked && type.rank() == node.inputs[0]->type.tensor.rank();
}

// Weights that are kept quantized and dequantized for this reader: turned before that.
bool reorder_quantized(Graph& graph, Value* weights, const Ints& perm) {
  Node* node = made_for(graph, weights, "dequantize_linear");
  const Tensor* stored = node == nullptr ? nullptr : constant_of(*node, 0);
  if (stored == nullptr || attr_of<int64_t>(*node, "block_size") != 0) return false;
  const int64_t axis = attr_of<int64_t>(*node, "axis");
  const int64_t from_front = axis < 0 ? axis + stored->rank() : axis;
  node->attrs["axis"] = static_cast<int64_t>(std::ranges::find(perm, from_front) - perm.begin());
  set_constant(graph, *node, 0, node->inputs[0]->name + ".nhwc", transposed(*stored, perm));
  weights->type = permuted(weights->type.tensor, perm);
  return true;
}

// [input channels, output channels / group, spatial...] of a transposed convolution.
Tensor reordered_groups(const Tensor& weights, int64_t groups) {
  Shape split = weights.shape();
  split[0] /= groups;
  split.insert(split.begin(), groups);
  Ints perm = to_nhwc(split.size());
  Shape joined = permuted(split, perm);
  joined[1] *= groups;
  joined.erase(joined.begin());
  return transposed(weights.reshaped(split), perm).reshaped(joined);
}

void reorder_weights(Graph& graph, Node& node, size_t input) {
  Value* weights = node.inputs[input];
  if (in_groups(node)) {
    const auto groups = attr_of<int64_t>(node, "group");
    set_constant(graph, node, input, weights->name + ".nhwc",
                 reordered_groups(*weights->constant, groups));
    return;
  }
  Ints perm = to_nhwc(node.inputs[0]->type.tensor.shape.size());
  // Output channels come second.
  if (node.op == "conv_transpose") std::swap(perm.front(), perm.back());
  if (weights->constant) {
    set_constant(graph, node, input, weights->name + ".nhwc", transposed(*weights->constant, perm));
  } else if (!reorder_quantized(graph, weights, perm)) {
    graph.set_input(&node, input, transpose_before(graph, weights, perm, node));
  }
}

void make_nhwc(Graph& graph, Node& node) {
  constexpr size_t kResidual = 3;
  const size_t rank = node.inputs[0]->type.tensor.shape.size();
  graph.set_input(&node, 0, transpose_before(graph, node.inputs[0], to_nhwc(rank), node));
  if (node.op == "conv" && input_of(node, kResidual) != nullptr) {
    Value* residual = transpose_before(graph, node.inputs[kResidual], to_nhwc(rank), node);
    graph.set_input(&node, kResidual, residual);
  }
  if (const auto weights = weights_of(node)) reorder_weights(graph, node, *weights);
  node.attrs["layout"] = std::string("nhwc");
  transpose_after(graph, node, 0, to_nchw(rank));
}

int run_choose_layout(Graph& graph) {
  int changed = 0;
  for (Node* node : graph.nodes()) {
    if (!wants_nhwc(*node)) continue;
    make_nhwc(graph, *node);
    ++changed;
  }
  graph.remove_unused_constants();
  return changed;
}

}  // namespace

extern const PassDef pass_choose_layout = {
    .name = "choose_layout",
    .summary = "Makes image operators work on nhwc, between transposes.",
    .stage = PassStage::Engine,
    .run = run_choose_layout,
};

}  // namespace hone
