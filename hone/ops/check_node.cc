#include "hone/ops/op_def.h"

namespace hone {
namespace {

using Presence = InputDef::Presence;

bool variadic(const InputDef& def) {
  return def.presence == kVariadic || def.presence == kOptionalVariadic;
}

size_t required_inputs(const OpDef& op) {
  size_t required = 0;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const Presence presence = op.inputs[i].presence;
    if (presence == Presence::Required || presence == kVariadic) required = i + 1;
  }
  return required;
}

const InputDef* input_def(const OpDef& op, size_t input) {
  if (input < op.inputs.size()) return &op.inputs[input];
  if (!op.inputs.empty() && variadic(op.inputs.back())) return &op.inputs.back();
  return nullptr;
}

Status check_arity(const OpDef& op, const Node& node) {
  const size_t required = required_inputs(op);
  if (node.inputs.size() < required) {
    return bad_input("has ", node.inputs.size(), " inputs, expected at least ", required);
  }
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const InputDef* def = input_def(op, i);
    if (def == nullptr) {
      return bad_input("has ", node.inputs.size(), " inputs, expected at most ", op.inputs.size());
    }
    const bool needed = def->presence == Presence::Required || def->presence == kVariadic;
    if (needed && node.inputs[i] == nullptr) {
      return bad_input("input ", i, " (", def->name, ") is left out, but required");
    }
  }
  const auto outputs = static_cast<int>(node.outputs.size());
  if (outputs < op.min_outputs || outputs > op.max_outputs) {
    return bad_input("has ", outputs, " outputs, expected ", op.min_outputs, " to ",
                     op.max_outputs);
  }
  return Done{};
}

Status check_attrs(const OpDef& op, const Node& node) {
  for (const auto& [key, value] : node.attrs) {
    const AttrDef* def = nullptr;
    for (const AttrDef& candidate : op.attrs) {
      if (candidate.name == key) def = &candidate;
    }
    if (def == nullptr) return unsupported("attribute '", key, "' is not known");
    if (def->value.index() != value.index()) {
      return bad_input("attribute '", key, "' is of type ", kind_of(value), ", expected ",
                       kind_of(def->value));
    }
  }
  for (const AttrDef& def : op.attrs) {
    if (def.presence == kRequired && node.attrs.find(def.name) == node.attrs.end()) {
      return bad_input("attribute '", def.name, "' is missing, but required");
    }
  }
  return Done{};
}

Status check_kind(const InputDef& def, const ValueType& type) {
  const bool fits =
      def.kind == InputDef::Kind::Any ||
      (def.kind == InputDef::Kind::Sequence ? type.sequence && !type.optional : type.is_tensor());
  if (fits) return Done{};
  return bad_input("input ", def.name, " is ", type, ", expected a ",
                   def.kind == InputDef::Kind::Sequence ? "sequence" : "tensor");
}

Status check_types(const OpDef& op, const std::vector<const ValueType*>& types) {
  std::map<char, DType> vars;
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i] == nullptr) continue;
    const InputDef& def = *input_def(op, i);
    HONE_RETURN_IF_ERROR(check_kind(def, *types[i]));
    const DType dtype = types[i]->tensor.dtype;
    if (types[i]->tensor.quantized() && !op.quantized) {
      return unsupported("input ", def.name, " is quantized, which ", op.name,
                         " does not compute with");
    }
    if (dtype == DType::Undefined) continue;
    if (!def.types.contains(dtype)) {
      return unsupported("input ", def.name, " is of type ", dtype, ", expected one of ",
                         def.types);
    }
    if (def.var == 0) continue;
    const DType bound = vars.try_emplace(def.var, dtype).first->second;
    if (bound != dtype) {
      return bad_input("input ", def.name, " is of type ", dtype, ", expected ", bound,
                       " as of the inputs before it");
    }
  }
  return Done{};
}

}  // namespace

Status check_node(const OpDef& op, const Node& node, const std::vector<const ValueType*>& types) {
  HONE_RETURN_IF_ERROR(check_arity(op, node));
  HONE_RETURN_IF_ERROR(check_attrs(op, node));
  return check_types(op, types);
}

}  // namespace hone
