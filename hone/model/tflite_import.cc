// TFLite structs -> Graph: tensors become values, and each operator goes to its import rule.

#include "hone/ops/tflite_import.h"

#include <algorithm>

#include "hone/model/load.h"
#include "hone/ops/op_def.h"

namespace hone {
namespace {

std::string label_of(const TfliteSubgraph& subgraph, const TfliteOp& op) {
  if (op.outputs.empty() || op.outputs[0] < 0) return op.name;
  return subgraph.tensors[static_cast<size_t>(op.outputs[0])].name;
}

class Builder {
 public:
  Builder(const TfliteSubgraph& subgraph, Graph& graph)
      : subgraph_(subgraph), graph_(graph), values_(subgraph.tensors.size()) {}

  void add_inputs() {
    for (const int index : subgraph_.inputs) {
      const TfliteTensor& tensor = tensor_at(index);
      value_at(index) = graph_.add_input(tensor.name, tensor.type);
      value_at(index)->dims.resize(tensor.type.shape.size());
    }
  }

  // TFLite runs with an extent of 1 where the signature leaves it open and nobody resizes the
  // input.
  void close_open_extents() {
    for (Value* input : graph_.inputs()) {
      std::ranges::replace(input->type.tensor.shape, kUnknown, int64_t{1});
    }
  }

  Status add_constants() {
    for (size_t i = 0; i < values_.size(); ++i) {
      const TfliteTensor& tensor = subgraph_.tensors[i];
      if (values_[i] != nullptr) continue;
      if (tensor.constant) values_[i] = graph_.add_constant(tensor.name, *tensor.constant);
      // State starts at zero in every run.
      if (tensor.variable && tensor.type.known()) {
        values_[i] = graph_.add_constant(tensor.name, Tensor(tensor.type));
      }
    }
    return Done{};
  }

  Status add_ops() {
    for (size_t i = 0; i < subgraph_.ops.size(); ++i) {
      const TfliteOp& op = subgraph_.ops[i];
      const std::string label = label_of(subgraph_, op);
      const auto source = static_cast<int>(graph_.sources.size());
      graph_.sources.push_back({label, op.name, static_cast<int>(i)});
      const size_t before = graph_.node_count();
      HONE_RETURN_IF_ERROR(
          add_op(op, label).in(str("operator ", i, " '", label, "' (", op.name, ")")));
      for (size_t n = before; n < graph_.node_count(); ++n) {
        graph_.node(n)->origins = {source};
        if (graph_.node(n)->name.empty()) graph_.node(n)->name = label;
      }
      if (graph_.node_count() == before) graph_.vanished.push_back({source, "import"});
    }
    return Done{};
  }

  Status add_outputs() {
    for (const int index : subgraph_.outputs) {
      if (value_at(index) == nullptr) {
        return bad_input("graph output '", tensor_at(index).name, "' is not made by any operator");
      }
      graph_.add_output(value_at(index));
    }
    return Done{};
  }

 private:
  const TfliteTensor& tensor_at(int index) const {
    return subgraph_.tensors[static_cast<size_t>(index)];
  }
  Value*& value_at(int index) { return values_[static_cast<size_t>(index)]; }

  Status add_op(const TfliteOp& op, const std::string& label) {
    for (const int index : op.inputs) {
      if (index >= 0 && value_at(index) == nullptr) {
        return bad_input("reads '", tensor_at(index).name, "' before any operator has made it");
      }
    }
    for (const int index : op.outputs) {
      if (index < 0) return bad_input("an output is left out");
      if (value_at(index) != nullptr) {
        return bad_input("makes '", tensor_at(index).name, "', which is there already");
      }
    }
    const TfliteRule* rule = find_tflite_op(op.name);
    TfliteImport in(graph_, subgraph_, op, values_);
    const size_t nodes_before = graph_.node_count();
    Status status =
        rule == nullptr ? Status(unsupported("no such operator in Hone")) : rule->import(in);
    if (!status.ok()) {
      if (status.error().kind != ErrorKind::Unsupported) return status;
      HONE_CHECK(graph_.node_count() == nodes_before, "the rule for ", op.name,
                 " adds nodes and then refuses");
      add_custom(op, label, status.error().message);
    }
    for (const int index : op.outputs) {
      Value* made = value_at(index);
      HONE_CHECK(made != nullptr, "the rule for ", op.name, " leaves out an output");
      if (made->producer != nullptr) graph_.rename(made, tensor_at(index).name);
    }
    return Done{};
  }

  void add_custom(const TfliteOp& op, const std::string& label, const std::string& reason) {
    std::vector<Value*> inputs;
    for (const int index : op.inputs) inputs.push_back(index < 0 ? nullptr : value_at(index));
    std::vector<ValueType> types;
    for (const int index : op.outputs) types.push_back(tensor_at(index).type);
    Node* node = graph_.add_node(
        "custom", std::move(inputs), std::move(types),
        {{"domain", std::string("tflite")}, {"op_type", op.name}, {"reason", reason}}, label);
    for (size_t i = 0; i < op.outputs.size(); ++i) value_at(op.outputs[i]) = node->outputs[i];
  }

  const TfliteSubgraph& subgraph_;
  Graph& graph_;
  std::vector<Value*> values_;
};

}  // namespace

Result<Model> import_tflite(const TfliteModel& file, const LoadOptions& options) {
  if (file.subgraphs.empty()) return bad_input("has no subgraph");
  Model model;
  model.format = "tflite";
  model.producer = file.description;
  model.version = str("schema ", file.version);
  model.graph.name = file.subgraphs[0].name;
  Builder builder(file.subgraphs[0], model.graph);
  builder.add_inputs();
  HONE_RETURN_IF_ERROR(bind_shapes(model.graph, options));
  builder.close_open_extents();
  HONE_RETURN_IF_ERROR(builder.add_constants());
  HONE_RETURN_IF_ERROR(builder.add_ops());
  HONE_RETURN_IF_ERROR(builder.add_outputs());
  HONE_TRY(InferredTypes inferred, infer_types(model.graph));
  model.unsupported = std::move(inferred.unsupported);
  HONE_RETURN_IF_ERROR(verify(model.graph));
  return model;
}

}  // namespace hone
