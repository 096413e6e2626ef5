#include <algorithm>
#include <map>
#include <string>

#include "hone/ops/op_def.h"

namespace hone {

#define HONE_OP(name) extern const OpDef op_##name;
#include "hone/ops/ops.inc"
#undef HONE_OP

const std::vector<const OpDef*>& all_ops() {
  static const std::vector<const OpDef*> kOps = [] {
    std::vector<const OpDef*> ops = {
#define HONE_OP(name) &op_##name,
#include "hone/ops/ops.inc"
#undef HONE_OP
    };
    std::ranges::sort(ops, {}, &OpDef::name);
    return ops;
  }();
  return kOps;
}

const OpDef* find_op(std::string_view name) {
  const auto found = std::ranges::lower_bound(all_ops(), name, {}, &OpDef::name);
  return found == all_ops().end() || (*found)->name != name ? nullptr : *found;
}

OpKind kind_of(const Node& node) {
  const OpDef* op = find_op(node.op);
  return op == nullptr ? OpKind::Other : op->kind;
}

IntegerForm integer_form(const Node& node) {
  const OpDef* op = find_op(node.op);
  return op == nullptr ? IntegerForm::None : op->integers;
}

std::optional<OnnxMatch> find_onnx_op(std::string_view op_type, std::string_view domain) {
  using Key = std::pair<std::string_view, std::string_view>;
  static const std::map<Key, OnnxMatch> kByName = [] {
    std::map<Key, OnnxMatch> rules;
    for (const OpDef* op : all_ops()) {
      for (const OnnxRule& rule : op->onnx) rules[{rule.op_type, rule.domain}] = {op, &rule};
    }
    return rules;
  }();
  const auto found = kByName.find({op_type, domain});
  if (found == kByName.end()) return std::nullopt;
  return found->second;
}

const TfliteRule* find_tflite_op(std::string_view name) {
  static const std::map<std::string_view, const TfliteRule*> kByName = [] {
    std::map<std::string_view, const TfliteRule*> rules;
    for (const OpDef* op : all_ops()) {
      for (const TfliteRule& rule : op->tflite) rules[rule.op] = &rule;
    }
    return rules;
  }();
  const auto found = kByName.find(name);
  return found == kByName.end() ? nullptr : found->second;
}

}  // namespace hone
