#include "hone/targets/common/reference_support.h"

#include "hone/ops/custom/custom.h"
#include "hone/ops/op_def.h"

namespace hone {

Support reference_support(const Node& node) {
  const OpDef* op = find_op(node.op);
  if (op == nullptr) return Support::no("no such operator");
  if (op->eval == nullptr) return Support::no("the operator has no reference implementation");
  return Support::yes();
}

Status check_reference(const Node& node) {
  if (node.op == "custom") {
    const auto text = [&](const char* name) {
      const auto* value = node.find_attr<std::string>(name);
      return value == nullptr ? std::string() : *value;
    };
    return unsupported("node '", node.name, "' (", custom_name(text("domain"), text("op_type")),
                       "): ", text("reason"))
        .needs(hint_for_custom(node));
  }
  const Support support = reference_support(node);
  if (support.full) return Done{};
  return unsupported("node '", node.name, "' (", node.op, "): ", support.reason);
}

}  // namespace hone
