// An operator of a file that Hone does not know or cannot lower: kept to be shown, never run.

#include "hone/ops/custom/custom.h"

#include "hone/ops/op_def.h"

namespace hone {
namespace {

Result<std::vector<ValueType>> infer_custom(const InferContext& in) {
  return unsupported(custom_name(in.text("domain"), in.text("op_type")), ": ", in.text("reason"));
}

}  // namespace

std::string custom_name(const std::string& domain, const std::string& op_type) {
  return domain.empty() || domain == "tflite" ? op_type : str(domain, ".", op_type);
}

Hint hint_for_custom(const Node& node) {
  const auto* type = node.find_attr<std::string>("op_type");
  const bool function = node.inputs.size() == 1 && node.outputs.size() == 1;
  if (node.op != "custom" || type == nullptr || !function) return {};
  const auto* domain = node.find_attr<std::string>("domain");
  return {HintKind::OperatorMeaning, custom_name(domain == nullptr ? "" : *domain, *type)};
}

extern const OpDef op_custom = {
    .name = "custom",
    .summary = "An operator of the file that Hone cannot run; `reason` says why.",
    .inputs = {{"x", kEvery, 0, kOptionalVariadic, InputDef::Kind::Any}},
    // `numbers` are those of the file's attributes that are single numbers, `names` their names.
    .attrs = {{"domain", std::string()},
              {"op_type", std::string()},
              {"reason", std::string()},
              {"names", Strings()},
              {"numbers", Floats()}},
    .max_outputs = 1 << 20,
    .quantized = true,
    .infer = infer_custom,
};

}  // namespace hone
