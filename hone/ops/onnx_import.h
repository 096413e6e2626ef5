// What an ONNX import rule works on: one node of the file, its inputs resolved, its attributes
// converted (subgraphs too). A rule edits `inputs` and `attrs` into the canonical form, or builds
// nodes itself with add() and names what takes the place of the node's outputs in `results`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hone/graph/graph.h"

namespace hone {

// The domain of ONNX Runtime's own operators.
inline constexpr std::string_view kOnnxRuntime = "com.microsoft";

struct OnnxImport {
  Graph& graph;
  std::string name;  // Of the node.
  std::string op_type;
  int64_t opset;               // Of the node's domain, 7 or more for ai.onnx.
  std::vector<Value*> inputs;  // Null where left out; trailing ones dropped.
  Attrs attrs;
  size_t outputs;  // How many the node has.
  // What takes their place; null where nobody names one.
  std::vector<Value*> results = {};
  std::vector<bool> named = {};  // Which of the outputs have a name; empty when all have.

  // Makes the OpDef's node unless the rule has set `results`; `op` may be changed by the rule.
  std::string op;

  Value* constant(Tensor tensor) { return graph.add_constant(name + ".const", std::move(tensor)); }
  // A node with outputs of types yet to be inferred.
  Node* add(std::string_view op_name, std::vector<Value*> from, Attrs with = {},
            size_t output_count = 1) {
    return graph.add_node(op_name, std::move(from), std::vector<ValueType>(output_count),
                          std::move(with), name);
  }

  bool wants(size_t output) const { return output < outputs && (named.empty() || named[output]); }

  Value* input(size_t i) const { return i < inputs.size() ? inputs[i] : nullptr; }
  void set_input(size_t i, Value* value) {
    if (inputs.size() <= i) inputs.resize(i + 1, nullptr);
    inputs[i] = value;
  }

  // Takes an attribute away and returns it, or `fallback` when it is not there or of another type.
  template <class T>
  T take(std::string_view key, T fallback) {
    const auto found = attrs.find(key);
    if (found == attrs.end()) return fallback;
    T value = std::move(fallback);
    if (T* given = std::get_if<T>(&found->second)) value = std::move(*given);
    attrs.erase(found);
    return value;
  }
  bool has(std::string_view key) const { return attrs.find(key) != attrs.end(); }

  // Moves an attribute of old versions (ints) to input `i` of new ones, when it is there.
  void attr_to_input(std::string_view key, size_t i) {
    if (!has(key)) return;
    set_input(i, constant(Tensor::of_ints(take<Ints>(key, {}))));
  }
};

}  // namespace hone
