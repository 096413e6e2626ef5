#include "hone/ops/infer_types.h"

#include <algorithm>

#include "hone/ops/interpreter.h"

namespace hone {
namespace {

// Larger values are not evaluated ahead of time: shape arithmetic is small.
constexpr int64_t kLargestKnown = 4096;

std::vector<const ValueType*> input_types(const Node& node) {
  std::vector<const ValueType*> types;
  for (const Value* value : node.inputs) types.push_back(value ? &value->type : nullptr);
  return types;
}

// Types one node after the other, and keeps what is known of their values.
class NodeInference {
 public:
  explicit NodeInference(KnownValues& known) : known_(known) {}

  Status infer(Node& node) {
    const OpDef* op = find_op(node.op);
    if (op == nullptr) return unsupported("no such operator");
    const std::vector<const ValueType*> types = input_types(node);
    HONE_RETURN_IF_ERROR(check_node(*op, node, types));
    std::vector<const Tensor*> values;
    for (const Value* value : node.inputs) values.push_back(known(value));
    const InferContext context(*op, node, types, values);
    HONE_TRY(std::vector<ValueType> inferred, op->infer(context));
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      HONE_RETURN_IF_ERROR(set_type(*node.outputs[i], std::move(inferred[i])));
    }
    fold(*op, node, context);
    return Done{};
  }

 private:
  const Tensor* known(const Value* value) const {
    if (value == nullptr) return nullptr;
    if (value->constant) return &*value->constant;
    const auto found = known_.find(value);
    return found == known_.end() ? nullptr : &found->second;
  }

  // Extents that a file states are a claim, and memory is planned by what stands here: they are
  // what follows from the inputs, or unknown until a run tells. Element type and quantization are
  // the file's to decide where the operator leaves them open.
  Status set_type(Value& value, ValueType inferred) {
    const TensorType& declared = value.type.tensor;
    TensorType& type = inferred.tensor;
    if (type.dtype == DType::Undefined) type.dtype = declared.dtype;
    if (!type.quantized() && type.dtype == declared.dtype) type.quant = declared.quant;
    HONE_RETURN_IF_ERROR(type.check());
    value.type = std::move(inferred);
    return Done{};
  }

  void fold(const OpDef& op, const Node& node, const InferContext& context) {
    if (op.fold != nullptr) {
      if (std::optional<Tensor> value = op.fold(context)) {
        known_[node.outputs[0]] = *std::move(value);
      }
      return;
    }
    if (!worth_evaluating(op, node)) return;
    std::vector<Item> items(node.inputs.size());
    std::vector<const Item*> inputs(node.inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (node.inputs[i] == nullptr) continue;
      items[i] = *known(node.inputs[i]);
      inputs[i] = &items[i];
    }
    auto outputs = run_node(node, inputs, {});
    if (!outputs.ok()) return;  // Will be reported when it runs.
    for (size_t i = 0; i < outputs->size(); ++i) {
      if ((*outputs)[i].is_tensor()) known_[node.outputs[i]] = (*outputs)[i].tensor;
    }
  }

  bool worth_evaluating(const OpDef& op, const Node& node) const {
    if (op.eval == nullptr || op.random || node.inputs.empty()) return false;
    for (const auto& [key, attr] : node.attrs) {
      if (std::holds_alternative<std::shared_ptr<Graph>>(attr)) return false;
    }
    for (const Value* value : node.inputs) {
      if (value != nullptr && known(value) == nullptr) return false;
      if (value != nullptr && known(value)->elements() > kLargestKnown) return false;
    }
    return std::ranges::all_of(node.outputs, [](const Value* value) {
      const TensorType& type = value->type.tensor;
      return !value->type.is_tensor() || !type.known() || type.elements() <= kLargestKnown;
    });
  }

  KnownValues& known_;
};

}  // namespace

Result<InferredTypes> infer_types(Graph& graph) {
  InferredTypes result;
  for (Node* node : graph.nodes()) {
    Status status = infer_node(*node, result.known);
    if (status.ok()) continue;
    const std::string where = str("node '", node->name, "' (", node->op, ")");
    if (status.error().kind != ErrorKind::Unsupported) return std::move(status).error().in(where);
    result.unsupported.push_back({node, status.error().message});
  }
  return result;
}

Status infer_node(Node& node, KnownValues& known) {
  return NodeInference(known).infer(node);
}

InferContext static_context(const OpDef& op, const Node& node) {
  std::vector<const Tensor*> values;
  for (const Value* value : node.inputs) {
    values.push_back(value && value->constant ? &*value->constant : nullptr);
  }
  return {op, node, input_types(node), std::move(values)};
}

}  // namespace hone
