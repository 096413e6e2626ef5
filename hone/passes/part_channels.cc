// Cuts a convolution whose channels are taken apart into several images, as detectors have one for
// each anchor, so that no transpose has to take them apart behind it.
//
//   %c: f32[1,255,80,80] = conv(%x, w, b)                  for each of the three:
//   %r: f32[1,3,85,80,80] = reshape(%c, ...)                 %c: f32[1,85,80,80] = conv(%x, w', b')
//   %t: f32[1,3,80,80,85] = transpose(%r)                    %s: f32[1,85,80,80] = sigmoid(%c)
//   %y: f32[1,3,80,80,85] = sigmoid(%t)               =>     %t: f32[1,80,80,85] = transpose(%s)
//                                                            %p: f32[1,1,80,80,85] = reshape(%t, ...)
//                                                          %y: f32[1,3,80,80,85] = concat(%p, ...)
//
// The transposes that are left are those to nhwc, which choose_layout takes away, and the parts lie
// one behind another in the whole. A convolution computes columns by vectors: leaves those alone of
// whose last vector too much would be empty, and images that are small enough to be transposed near.

#include <algorithm>

#include "hone/passes/match.h"
#include "hone/passes/pass_def.h"
#include "hone/passes/transposes.h"

namespace hone {
namespace {

constexpr std::string_view kPartChannelsPass = "part_channels";

// [1, parts * channels, h, w] to [1, parts, h, w, channels], and functions of the elements behind.
struct PartedConv {
  Node* conv;
  std::vector<Node*> functions = {};
  std::vector<Node*> nodes;  // All, in running order.
  int64_t parts, channels, height, width;
};

bool cuts_well(const PartedConv& found) {
  constexpr int64_t kVector = 16;
  constexpr int64_t kLeastElements = 1 << 18;  // A megabyte, half of a usual second-level cache.
  const int64_t computed = (found.channels + kVector - 1) / kVector * kVector;
  const int64_t elements = found.parts * found.channels * found.height * found.width;
  return found.parts > 1 && 100 * computed <= 115 * found.channels && elements >= kLeastElements;
}

// The one node of operator `op` that reads what `node` makes, or null.
Node* sole_reader(const Graph& graph, const Node& node, std::string_view op) {
  const Value& y = *node.outputs[0];
  return read_once(graph, y) && y.users[0].node->op == op ? y.users[0].node : nullptr;
}

// A function of its one input that alone reads what `node` makes, or null.
Node* function_behind(const Graph& graph, const Node& node) {
  const Value& y = *node.outputs[0];
  if (!read_once(graph, y)) return nullptr;
  Node* reader = y.users[0].node;
  const bool fits = kind_of(*reader) == OpKind::Function && reader->inputs.size() == 1 &&
                    reader->outputs.size() == 1 && makes_floats(*reader);
  return fits ? reader : nullptr;
}

bool is_plain(const Node& conv) {
  const Tensor* weights = constant_of(conv, 1);
  return conv.op == "conv" && makes_floats(conv) && !activated(conv) && weights != nullptr &&
         weights->rank() == 4 && attr_of<int64_t>(conv, "group") == 1 &&
         attr_of<std::string>(conv, "layout") == "nchw" && conv.inputs.size() <= 3 &&
         (input_of(conv, 2) == nullptr || constant_of(conv, 2) != nullptr);
}

std::optional<PartedConv> find_parted(const Graph& graph, Node& conv) {
  if (!is_plain(conv)) return {};
  Node* reshape = sole_reader(graph, conv, "reshape");
  Node* transpose = reshape == nullptr ? nullptr : sole_reader(graph, *reshape, "transpose");
  if (transpose == nullptr) return {};
  const TensorType& from = conv.outputs[0]->type.tensor;
  const TensorType& to = reshape->outputs[0]->type.tensor;
  if (!from.known() || !to.known() || to.rank() != 5 || perm_of(*transpose) != Ints{0, 1, 3, 4, 2})
    return {};
  PartedConv found{.conv = &conv,
                   .nodes = {&conv, reshape, transpose},
                   .parts = to.shape[1],
                   .channels = to.shape[2],
                   .height = to.shape[3],
                   .width = to.shape[4]};
  const Shape expected = {1, found.parts * found.channels, found.height, found.width};
  if (from.shape != expected || to.shape[0] != 1) return {};
  while (Node* function = function_behind(graph, *found.nodes.back())) {
    found.functions.push_back(function);
    found.nodes.push_back(function);
  }
  return cuts_well(found) ? std::optional(found) : std::nullopt;
}

// `count` of the first axis's elements, from `first` on.
Value* slice_constant(Graph& graph, const Value& whole, int64_t first, int64_t count) {
  const Tensor& from = *whole.constant;
  TensorType type = from.type();
  const size_t row = from.bytes().size() / static_cast<size_t>(type.shape[0]);
  type.shape[0] = count;
  Tensor part(type);
  std::ranges::copy(
      from.bytes().subspan(static_cast<size_t>(first) * row, static_cast<size_t>(count) * row),
      part.mutable_bytes().begin());
  return graph.add_constant(whole.name, std::move(part));
}

class PartMaker {
 public:
  PartMaker(Graph& graph, const PartedConv& found) : graph_(graph), found_(found) {}

  // [1, 1, h, w, channels]
  Value* make(int64_t part) {
    const Node& conv = *found_.conv;
    std::vector<Value*> inputs = {conv.inputs[0]};
    for (size_t i = 1; i < conv.inputs.size(); ++i) {
      Value* whole = conv.inputs[i];
      inputs.push_back(whole == nullptr ? nullptr
                                        : slice_constant(graph_, *whole, part * found_.channels,
                                                         found_.channels));
    }
    Value* y = add("conv", std::move(inputs), conv.attrs, conv);
    for (const Node* function : found_.functions) {
      y = add(function->op, {y}, function->attrs, *function);
    }
    y = add("transpose", {y}, {{"perm", to_nhwc(4)}}, *found_.nodes[2]);
    const Shape shape = {1, 1, found_.height, found_.width, found_.channels};
    Value* extents = graph_.add_constant(conv.name + ".shape", Tensor::of_ints(shape));
    return add("reshape", {y, extents}, reshape_attrs(shape), *found_.nodes[1]);
  }

 private:
  Value* add(std::string_view op, std::vector<Value*> inputs, Attrs attrs, const Node& like) {
    Node* node = add_inferred(graph_, op, std::move(inputs), std::move(attrs), like.name,
                              found_.nodes.back());
    graph_.inherit_origins(node, like);
    return node->outputs[0];
  }

  Graph& graph_;
  const PartedConv& found_;
};

void cut(Graph& graph, const PartedConv& found) {
  PartMaker maker(graph, found);
  std::vector<Value*> parts;
  for (int64_t part = 0; part < found.parts; ++part) parts.push_back(maker.make(part));
  Node* last = found.nodes.back();
  Node* whole = add_inferred(graph, "concat", std::move(parts), {{"axis", int64_t{1}}},
                             found.nodes[2]->name, last);
  take_place(graph, found.nodes, whole, last->outputs[0], kPartChannelsPass);
}

int run_part_channels(Graph& graph) {
  // Found before any is cut: nodes go that are still to come.
  std::vector<PartedConv> all;
  for (Node* node : graph.nodes()) {
    if (auto found = find_parted(graph, *node)) all.push_back(*std::move(found));
  }
  for (const PartedConv& found : all) cut(graph, found);
  graph.remove_unused_constants();
  return static_cast<int>(all.size());
}

}  // namespace

extern const PassDef pass_part_channels = {
    .name = kPartChannelsPass,
    .summary = "Cuts convolutions whose channels become several images.",
    .stage = PassStage::Engine,
    .run = run_part_channels,
};

}  // namespace hone
