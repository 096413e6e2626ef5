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
