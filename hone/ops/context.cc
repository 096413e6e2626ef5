#include "hone/ops/context.h"

#include "hone/ops/op_def.h"

namespace hone {

const Attr& NodeContext::find(std::string_view name) const {
  const auto given = node_.attrs.find(name);
  if (given != node_.attrs.end()) return given->second;
  for (const AttrDef& def : op_.attrs) {
    if (def.name == name) return def.value;
  }
  HONE_CHECK(false, "operator ", op_.name, " has no attribute '", name, "'");
  return op_.attrs[0].value;
}

std::optional<Ints> InferContext::known_ints(size_t input) const {
  const Tensor* known = value(input);
  if (known == nullptr) return std::nullopt;
  return to_ints(*known);
}

EvalContext::EvalContext(const OpDef& op, const Node& node, std::vector<const Item*> inputs,
                         std::vector<ValueType> output_types, const EvalOptions& options,
                         RunBody run_body)
    : NodeContext(op, node),
      inputs_(std::move(inputs)),
      types_(std::move(output_types)),
      items_(types_.size()),
      options_(options),
      run_body_(std::move(run_body)) {}

Tensor& EvalContext::out(size_t output) {
  if (items_[output].absent()) items_[output] = Tensor(types_[output].tensor);
  return items_[output].tensor;
}

}  // namespace hone
