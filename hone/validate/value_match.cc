#include "hone/validate/value_match.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "hone/ops/op_def.h"
#include "hone/validate/image_layout.h"

namespace hone {
namespace {

bool is_conversion(const Node& node) {
  return node.op == "quantize_linear" || node.op == "dequantize_linear";
}

// Numbers that an error can be told of.
bool has_real_values(const Value& value) {
  const TensorType& type = value.type.tensor;
  return value.type.is_tensor() &&
         (kFloat.contains(type.dtype) || (type.quantized() && kInteger.contains(type.dtype)));
}

bool fit(const Value& a, const Value& b) {
  const TensorType& x = a.type.tensor;
  const TensorType& y = b.type.tensor;
  // What is not known now shows when it is run.
  if (!x.ranked || !y.ranked || !x.known() || !y.known()) return true;
  return without_ones(x.shape) == without_ones(y.shape) || layout_change(y.shape, x.shape);
}

class Matcher {
 public:
  Matcher(const Graph& candidate, const Graph& reference)
      : candidate_(candidate), reference_(reference) {
    for (const Node* node : reference.nodes()) {
      if (is_conversion(*node)) continue;
      order_[node] = order_.size();
      for (const int origin : node->origins) {
        const std::string& name = reference.sources[static_cast<size_t>(origin)].name;
        if (!name.empty()) last_of_layer_[name] = node;
      }
    }
  }

  std::vector<ValueMatch> run() {
    const std::vector<Node*> nodes = candidate_.nodes();
    for (const Node* node : nodes) match_names(*node);
    for (const Node* node : nodes) match_layers(*node);
    std::vector<ValueMatch> matches;
    for (const Node* node : nodes) {
      for (const Value* output : node->outputs) {
        const auto found = matched_.find(output);
        if (found != matched_.end()) matches.push_back(with_pair(*node, *output, *found->second));
      }
    }
    return matches;
  }

 private:
  void match_names(const Node& node) {
    for (const Value* output : node.outputs) {
      const Value* same = reference_.find_value(output->name);
      if (same == nullptr || same->producer == nullptr) continue;
      if (is_named_after_layer(node, *output)) same = result_of_layer(*same);
      const Value* expected = behind_pair(*same);
      const Value* given = before_pair(*output);
      if (expected != nullptr && given != nullptr) match(*given, *expected);
    }
  }

  // As in a .tflite file, which has no other names of layers.
  bool is_named_after_layer(const Node& node, const Value& output) const {
    if (node.origins.size() != 1) return false;
    const Source& source = candidate_.sources[static_cast<size_t>(node.origins[0])];
    return source.name == output.name && find_tflite_op(source.op) != nullptr;
  }

  // Of the reference: what the layer gives in the end that `value`, in its midst, is named after; else
  // the value itself. An operator that is read as several nodes has such values.
  const Value* result_of_layer(const Value& value) const {
    const auto last = last_of_layer_.find(value.name);
    if (last == last_of_layer_.end() || is_conversion(*value.producer)) return &value;
    const bool is_part = std::ranges::any_of(value.producer->origins, [&](int origin) {
      return reference_.sources[static_cast<size_t>(origin)].name == value.name;
    });
    const bool is_result = std::ranges::count(last->second->outputs, &value) > 0;
    return is_part && !is_result ? last->second->outputs[0] : &value;
  }

  // The value that a pair of conversions was put behind, for what comes out of the pair or lies in
  // it. Null for weights, which are there for nobody to compute.
  static const Value* before_pair(const Value& value) {
    const Value* at = &value;
    if (at->producer->op == "dequantize_linear") {
      const Node* quantize = at->producer->inputs[0]->producer;
      if (quantize == nullptr) return at->producer->inputs[0]->constant ? nullptr : at;
      if (quantize->op != "quantize_linear") return at;
      at = quantize->outputs[0];
    }
    if (at->producer->op != "quantize_linear") return at;
    const Value* before = at->producer->inputs[0];
    return before->producer == nullptr ? &value : before;
  }

  // Of the reference: the real numbers that a quantized value stands for.
  static const Value* behind_pair(const Value& value) {
    if (value.producer->op != "quantize_linear" || value.type.tensor.quantized()) return &value;
    for (const Use& use : value.users) {
      if (use.node->op == "dequantize_linear") return use.node->outputs[0];
    }
    return nullptr;
  }

  void match_layers(const Node& node) {
    if (is_conversion(node) || matched_.contains(node.outputs[0])) return;
    const Node* last = nullptr;
    for (const int origin : node.origins) {
      const auto found = last_of_layer_.find(candidate_.sources[static_cast<size_t>(origin)].name);
      if (found == last_of_layer_.end()) continue;
      if (last == nullptr || order_[found->second] > order_[last]) last = found->second;
    }
    if (last != nullptr) match(*node.outputs[0], *last->outputs[0]);
  }

  void match(const Value& value, const Value& reference) {
    const bool comparable = has_real_values(value) && has_real_values(reference);
    if (!comparable || !fit(value, reference) || matched_.contains(&value)) return;
    if (taken_.insert(&reference).second) matched_[&value] = &reference;
  }

  static ValueMatch with_pair(const Node& node, const Value& value, const Value& reference) {
    ValueMatch match{.node = &node, .value = &value, .reference = &reference};
    for (const Use& use : value.users) {
      if (use.node->op != "quantize_linear" || use.input != 0) continue;
      for (const Use& next : use.node->outputs[0]->users) {
        if (next.node->op != "dequantize_linear" || next.input != 0) continue;
        match.quantize = use.node;
        match.dequantize = next.node;
        return match;
      }
    }
    return match;
  }

  const Graph& candidate_;
  const Graph& reference_;
  std::unordered_map<const Node*, size_t> order_;               // Of the reference.
  std::unordered_map<std::string, const Node*> last_of_layer_;  // Of the reference.
  std::unordered_map<const Value*, const Value*> matched_;
  std::unordered_set<const Value*> taken_;
};

}  // namespace

std::vector<ValueMatch> match_values(const Graph& candidate, const Graph& reference) {
  return Matcher(candidate, reference).run();
}

bool layouts_differ(const std::vector<ValueMatch>& matches) {
  return std::ranges::any_of(matches, [](const ValueMatch& match) {
    const TensorType& x = match.value->type.tensor;
    const TensorType& y = match.reference->type.tensor;
    return x.known() && y.known() && without_ones(x.shape) != without_ones(y.shape);
  });
}

}  // namespace hone
