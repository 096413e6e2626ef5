// What a rule works on that writes a node as TFLite has it: the file as far as it is made.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hone/graph/graph.h"
#include "hone/ops/op_def.h"
#include "hone/wire/tflite.h"

namespace hone {

class TfliteExport {
 public:
  using Options = std::map<std::string, TfliteOption>;

  TfliteExport(const Graph& graph, TfliteSubgraph& subgraph) : graph_(graph), subgraph_(subgraph) {}

  const Graph& graph() const { return graph_; }

  // The tensor that a value is; one is made when it is asked for first. -1 for null.
  int tensor(const Value* value);
  // From now on a value is this tensor: of what another value is a view of.
  void set_tensor(const Value* value, int tensor) { tensors_[value] = tensor; }
  int constant(std::string_view name, Tensor tensor);
  // A list of int32, as TFLite takes axes, shapes and paddings.
  int ints(std::string_view name, const Ints& values);
  // What one operator leaves for the next of the same node.
  int temporary(std::string_view name, TensorType type);

  // Adds an operator, of the version that its tensors need.
  void add(std::string_view op, std::vector<int> inputs, std::vector<int> outputs,
           Options options = {});
  // The same for a node whose inputs and outputs are the operator's.
  void add_as(std::string_view op, const Node& node, Options options = {});

 private:
  const Graph& graph_;
  TfliteSubgraph& subgraph_;
  std::unordered_map<const Value*, int> tensors_;
};

struct TfliteExportRule {
  std::string_view op;  // Hone's.
  Status (*write)(TfliteExport& out, const Node& node);
};

// Null when TFLite has no word for the operator.
const TfliteExportRule* find_tflite_export(std::string_view op);

// The node's attribute, or its default.
template <class T>
T export_attr(const Node& node, std::string_view name) {
  return NodeContext(*find_op(node.op), node).attr<T>(name);
}

// The elements of an input that must be the same in every run. Unsupported when it is computed.
Result<Tensor> export_constant(const Node& node, size_t input, std::string_view what);
Result<Ints> export_ints(const Node& node, size_t input, std::string_view what);
// The same, or `otherwise` where the input is left out.
Result<Ints> export_ints_or(const Node& node, size_t input, std::string_view what, Ints otherwise);
// Null where the node has fewer inputs.
const Value* export_input(const Node& node, size_t input);

// "RELU6" of relu6. Unsupported for those that TFLite cannot fuse; the lowering leaves none.
Result<std::string> tflite_activation(const Node& node);

}  // namespace hone
