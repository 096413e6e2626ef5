// What a TFLite import rule works on: one operator of the file, its tensors already values of the
// graph. A rule adds the nodes that compute the operator and says which values are its outputs.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hone/graph/graph.h"
#include "hone/wire/tflite.h"

namespace hone {

// The subgraphs of a file, for operators that run others than their own.
class TfliteSubgraphs {
 public:
  enum class Sources { Recorded, Left };

  virtual ~TfliteSubgraphs() = default;
  // Null when there is none of that index.
  virtual const TfliteSubgraph* find(int64_t index) const = 0;
  // Adds the subgraph's operators to `graph`, with `arguments` as its inputs, and gives its
  // outputs. Its layers are recorded as sources of the graph, or left to be those of the operator
  // that calls. BadInput when the subgraph calls itself, through others too.
  virtual Result<std::vector<Value*>> call(int64_t index, const std::vector<Value*>& arguments,
                                           Graph& graph, Sources sources) = 0;
  // Adds the operators of a subgraph without inputs, unless an earlier call has done so.
  virtual Status call_once(int64_t index, Graph& graph) = 0;

  // What a resource variable holds where the import has got to: what was assigned last, or zeros of
  // `type`. Unsupported inside the bodies of IF and WHILE.
  virtual Result<Value*> variable(const std::string& name, const TensorType& type,
                                  Graph& graph) = 0;
  virtual Status assign(const std::string& name, Value* value, const Graph& graph) = 0;
};

class TfliteImport {
 public:
  TfliteImport(Graph& graph, const TfliteSubgraph& subgraph, const TfliteOp& op,
               std::vector<Value*>& values, TfliteSubgraphs* subgraphs = nullptr)
      : graph_(graph), subgraph_(subgraph), op_(op), values_(values), subgraphs_(subgraphs) {}

  Graph& graph() { return graph_; }
  const TfliteOp& op() const { return op_; }

  size_t inputs() const { return op_.inputs.size(); }
  size_t outputs() const { return op_.outputs.size(); }
  // True when input i is there. BadInput is returned by require() when too few are.
  bool has(size_t i) const { return i < op_.inputs.size() && op_.inputs[i] >= 0; }
  Status require(size_t inputs, size_t outputs) const;
  // The value of input i. Requires has(i).
  Value* in(size_t i) const { return values_[static_cast<size_t>(op_.inputs[i])]; }
  Value* in_or_null(size_t i) const { return has(i) ? in(i) : nullptr; }
  const TensorType& in_type(size_t i) const { return in(i)->type.tensor; }
  // The type that the file declares for output i, with its quantization.
  const TensorType& out_type(size_t i) const;
  // The type of an intermediate tensor, which no operator makes: only its quantization tells
  // something. Null when there is none.
  const TensorType* intermediate(size_t i) const;
  // The elements of input i, or BadInput / Unsupported when the file computes it.
  Result<Tensor> constant(size_t i) const;
  Result<Ints> constant_ints(size_t i) const;
  // As constant_ints, also where the file computes them of constants and static shapes alone.
  Result<Ints> known_ints(size_t i) const;

  // An option by its schema name, or the schema's default.
  template <class T>
  T option(std::string_view key, T fallback) const;
  // "relu6" and so on from fused_activation_function; Unsupported for SIGN_BIT.
  Result<std::string> activation() const;

  Value* add_constant(Tensor tensor);
  // Adds a node of one output of the given type.
  Value* add(std::string_view op_name, std::vector<Value*> from, TensorType type, Attrs attrs = {});
  Node* add_node(std::string_view op_name, std::vector<Value*> from, std::vector<ValueType> types,
                 Attrs attrs = {});
  // Value `value` is output i of the operator.
  void set_output(size_t i, Value* value);
  // For the common case: one node that computes output 0, with the type the file declares.
  void finish(std::string_view op_name, std::vector<Value*> from, Attrs attrs = {});

  // Null where an operator is imported without its file.
  TfliteSubgraphs* subgraphs() const { return subgraphs_; }

 private:
  Graph& graph_;
  const TfliteSubgraph& subgraph_;
  const TfliteOp& op_;
  std::vector<Value*>& values_;  // One per tensor of the subgraph; null until it is made.
  TfliteSubgraphs* subgraphs_;
};

// The name of an operator as a template argument.
template <size_t kSize>
struct OpName {
  constexpr OpName(const char (&name)[kSize]) { std::ranges::copy(name, text); }
  char text[kSize];
};

// Rules for operators that are one of Hone's as they are: the same inputs and no options, or none
// but the fused activation.
Status import_plain(TfliteImport& in, std::string_view op_name);
Status import_activated(TfliteImport& in, std::string_view op_name);
template <OpName name>
Status import_as(TfliteImport& in) {
  return import_plain(in, name.text);
}
template <OpName name>
Status import_activated_as(TfliteImport& in) {
  return import_activated(in, name.text);
}

template <class T>
T TfliteImport::option(std::string_view key, T fallback) const {
  const auto found = op_.options.find(std::string(key));
  if (found == op_.options.end()) return fallback;
  const T* value = std::get_if<T>(&found->second);
  return value == nullptr ? fallback : *value;
}

}  // namespace hone
