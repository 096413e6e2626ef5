// Channels between two convolutions that are always zero, as pruning leaves them, go: out of the first, out of a
// depthwise convolution behind it, and out of the second, whose biases take in what they added.

#include "hone/targets/c_code/weighted_layer.h"

namespace hone::c_code {
namespace {

constexpr int64_t kChannelUnit = 8;  // The kernels take whole eights.

struct Chain {
  Weighted first;
  Weighted depthwise;
  Weighted last;
};

const Node* only_reader(const Graph& graph, const Node& node) {
  return read_once(graph, *node.outputs[0]) ? node.outputs[0]->users[0].node : nullptr;
}

bool is_padded(const ConvGeometry& conv) {
  const WindowAxis& h = conv.window.axes[1];
  const WindowAxis& w = conv.window.axes[2];
  return h.pad_begin != 0 || h.pad_end != 0 || w.pad_begin != 0 || w.pad_end != 0;
}

std::optional<Chain> chain_from(const Graph& graph, const Node& node,
                                const CompileOptions& options) {
  const Node* depthwise = node.op == "conv" ? only_reader(graph, node) : nullptr;
  if (depthwise == nullptr || depthwise->op != "conv") return std::nullopt;
  const Node* last = only_reader(graph, *depthwise);
  if (last == nullptr || last->op != "conv" || input_of(*last, 2) == nullptr) return std::nullopt;
  const auto d = weighted_layer(*depthwise, options);
  if (!d.ok() || !d->depthwise()) return std::nullopt;
  const auto a = weighted_layer(node, options);
  if (!a.ok() || std::ssize(a->computed) == a->conv.out_channels) return std::nullopt;
  const auto b = weighted_layer(*last, options);
  if (!b.ok() || b->conv.groups != 1 || is_padded(b->conv)) return std::nullopt;
  return Chain{*a, *d, *b};
}

// Channels to keep: those that are not always zero, and some that are, for whole units.
std::vector<int64_t> kept_channels(const Weighted& first) {
  std::vector<int64_t> zeros;
  for (int64_t n = 0; n < first.conv.out_channels; ++n) {
    const bool zero = first.results[static_cast<size_t>(n)] == zero_of(first.node.outputs[0]);
    if (zero && !std::ranges::binary_search(first.computed, n)) zeros.push_back(n);
  }
  const int64_t others = first.conv.out_channels - std::ssize(zeros);
  const int64_t room = rounded_up(others, kChannelUnit) - others;
  zeros.erase(zeros.begin(), zeros.begin() + std::min(room, std::ssize(zeros)));
  std::vector<int64_t> kept;
  for (int64_t n = 0; n < first.conv.out_channels; ++n) {
    if (!std::ranges::binary_search(zeros, n)) kept.push_back(n);
  }
  return kept;
}

// The elements at some places of an axis.
Tensor picked(const Tensor& from, size_t axis, const std::vector<int64_t>& places) {
  TensorType type = from.type();
  const Shape shape = type.shape;
  type.shape[axis] = std::ssize(places);
  if (type.quant && type.quant->axis == static_cast<int>(axis)) {
    Quantization quant;
    quant.axis = type.quant->axis;
    for (const int64_t place : places) {
      quant.scales.push_back(type.quant->scales[static_cast<size_t>(place)]);
      quant.zero_points.push_back(type.quant->zero_points[static_cast<size_t>(place)]);
    }
    type.quant = std::make_shared<const Quantization>(std::move(quant));
  }
  Tensor to(type);
  int64_t outer = 1;
  for (size_t i = 0; i < axis; ++i) outer *= shape[i];
  const int64_t inner = std::ssize(from.bytes()) / outer / shape[axis];
  std::byte* next = to.mutable_bytes().data();
  for (int64_t o = 0; o < outer; ++o) {
    for (const int64_t place : places) {
      next = std::copy_n(from.bytes().data() + (o * shape[axis] + place) * inner, inner, next);
    }
  }
  return to;
}

void keep_in(Graph& graph, Node& node, size_t input, size_t axis,
             const std::vector<int64_t>& places) {
  const Value* old = input_of(node, input);
  if (old == nullptr) return;
  const std::string name = old->name;
  set_constant(graph, node, input, name, picked(*old->constant, axis, places));
}

// The biases of the last layer, with what channels that go add to its sums.
Tensor folded_biases(const Chain& chain, const std::vector<int64_t>& kept, Rounding rounding) {
  const Value* depthwise_bias = input_of(chain.depthwise.node, 2);
  Tensor biases = input_of(chain.last.node, 2)->constant.value();
  const auto values = biases.mutable_data<int32_t>();
  for (int64_t c = 0; c < chain.first.conv.out_channels; ++c) {
    if (std::ranges::binary_search(kept, c)) continue;
    const int32_t sum = depthwise_bias == nullptr
                            ? 0
                            : depthwise_bias->constant->data<int32_t>()[static_cast<size_t>(c)];
    const int8_t result = result_of(chain.depthwise, c, sum, rounding);
    const auto x = static_cast<uint32_t>(result - zero_of(chain.last.node.inputs[0]));
    for (int64_t n = 0; n < chain.last.conv.out_channels; ++n) {
      auto bias = static_cast<uint32_t>(values[static_cast<size_t>(n)]);
      for (int64_t k = c; k < chain.last.depth(); k += chain.last.conv.in_channels) {
        bias += x * static_cast<uint32_t>(chain.last.weight(n, k));
      }
      values[static_cast<size_t>(n)] = static_cast<int32_t>(bias);
    }
  }
  return biases;
}

}  // namespace

void drop_channels(Graph& graph, const CompileOptions& options) {
  for (Node* first : graph.nodes()) {
    const auto chain = chain_from(graph, *first, options);
    if (!chain) continue;
    const std::vector<int64_t> kept = kept_channels(chain->first);
    if (std::ssize(kept) == chain->first.conv.out_channels) continue;
    Tensor biases = folded_biases(*chain, kept, options.eval.rounding);
    Node* depthwise = first->outputs[0]->users[0].node;
    Node* last = depthwise->outputs[0]->users[0].node;
    set_constant(graph, *last, 2, last->inputs[2]->name, std::move(biases));
    keep_in(graph, *last, 1, 3, kept);
    for (Node* node : {first, depthwise}) {
      keep_in(graph, *node, 1, 0, kept);
      keep_in(graph, *node, 2, 0, kept);
      node->outputs[0]->type.tensor.shape.back() = std::ssize(kept);
    }
    depthwise->attrs["group"] = static_cast<int64_t>(kept.size());
  }
}

}  // namespace hone::c_code
