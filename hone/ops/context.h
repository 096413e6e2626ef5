// What an operator's functions see of the node they work on.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "hone/graph/graph.h"
#include "hone/tensor/fixed_point.h"
#include "hone/tensor/tensor.h"

namespace hone {

struct OpDef;

class NodeContext {
 public:
  NodeContext(const OpDef& op, const Node& node) : op_(op), node_(node) {}

  const OpDef& op() const { return op_; }
  const Node& node() const { return node_; }

  // The attribute, or its default from the OpDef. Requires one of the two, and the type T.
  template <class T>
  const T& attr(std::string_view name) const;
  int64_t integer(std::string_view name) const { return attr<int64_t>(name); }
  double real(std::string_view name) const { return attr<double>(name); }
  const std::string& text(std::string_view name) const { return attr<std::string>(name); }
  const Ints& ints(std::string_view name) const { return attr<Ints>(name); }
  // True when the node itself gives the attribute.
  bool has_attr(std::string_view name) const { return node_.attrs.find(name) != node_.attrs.end(); }

 protected:
  const Attr& find(std::string_view name) const;

 private:
  const OpDef& op_;
  const Node& node_;
};

// For infer, cost and fold. check_node has passed: inputs exist and have types the OpDef allows,
// but an element type may be Undefined and extents unknown.
class InferContext : public NodeContext {
 public:
  InferContext(const OpDef& op, const Node& node, std::vector<const ValueType*> types,
               std::vector<const Tensor*> values)
      : NodeContext(op, node), types_(std::move(types)), values_(std::move(values)) {}

  size_t inputs() const { return types_.size(); }
  bool has(size_t input) const { return input < types_.size() && types_[input] != nullptr; }
  const ValueType& value_type(size_t input) const { return *types_[input]; }
  const TensorType& type(size_t input) const { return types_[input]->tensor; }
  DType dtype(size_t input) const { return type(input).dtype; }
  // The elements when they are known, else null.
  const Tensor* value(size_t input) const {
    return input < values_.size() ? values_[input] : nullptr;
  }
  // The elements of an integer input when they are known.
  std::optional<Ints> known_ints(size_t input) const;
  size_t outputs() const { return node().outputs.size(); }
  // What the graph says of an output now: element type and quantization come from here when the
  // file, not the operator, decides them.
  const TensorType& declared(size_t output) const { return node().outputs[output]->type.tensor; }

 private:
  std::vector<const ValueType*> types_;
  std::vector<const Tensor*> values_;
};

// How to compute where engines legitimately differ.
struct EvalOptions {
  Rounding rounding = Rounding::Double;  // Of TFLite's integer operators.
  // A float operator with int8 weights: quantize the activations per sample as TFLite does, or
  // expand the weights to float.
  bool expand_hybrid_weights = false;
  uint64_t seed = 0;  // For random operators that bring none.
};

// For eval. Inputs are present as the OpDef requires, checked and of known types.
class EvalContext : public NodeContext {
 public:
  // Runs a subgraph.
  using RunBody = std::function<Result<std::vector<Item>>(const Graph&, std::vector<Item>)>;

  EvalContext(const OpDef& op, const Node& node, std::vector<const Item*> inputs,
              std::vector<ValueType> output_types, const EvalOptions& options, RunBody run_body);

  size_t inputs() const { return inputs_.size(); }
  bool has(size_t input) const {
    return input < inputs_.size() && inputs_[input] != nullptr && !inputs_[input]->absent();
  }
  const Item& item(size_t input) const { return *inputs_[input]; }
  const Tensor& in(size_t input) const { return inputs_[input]->tensor; }

  size_t outputs() const { return types_.size(); }
  // A tensor of the type infer gave, zero at first. Requires that type to be known.
  Tensor& out(size_t output = 0);
  // For outputs whose extents depend on element values, sequences, and results shared with an
  // input.
  void set(size_t output, Item item) { items_[output] = std::move(item); }
  const ValueType& out_type(size_t output = 0) const { return types_[output]; }

  const EvalOptions& options() const { return options_; }
  Result<std::vector<Item>> run(const Graph& body, std::vector<Item> arguments) const {
    return run_body_(body, std::move(arguments));
  }

  std::vector<Item> take_outputs() { return std::move(items_); }

 private:
  std::vector<const Item*> inputs_;
  std::vector<ValueType> types_;
  std::vector<Item> items_;
  const EvalOptions& options_;
  RunBody run_body_;
};

template <class T>
const T& NodeContext::attr(std::string_view name) const {
  const T* value = std::get_if<T>(&find(name));
  HONE_CHECK(value != nullptr, "attribute '", name, "' of ", node_.op, " is read as another type");
  return *value;
}

}  // namespace hone
