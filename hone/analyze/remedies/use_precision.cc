#include "hone/analyze/remedy_def.h"

namespace hone {
namespace {

Result<bool> apply_use_precision(const Prescription& model, const Finding* finding,
                                 std::string& setting) {
  if (finding != nullptr) setting = finding->hint.of;
  if (setting != "fp32" && setting != "fp16" && setting != "bf16") {
    return bad_input("setting is '", setting, "', expected fp32, fp16 or bf16");
  }
  const Precision precision = setting == "fp16"   ? Precision::F16
                              : setting == "bf16" ? Precision::BF16
                                                  : Precision::F32;
  if (model.options->precision == precision) return false;
  model.options->precision = precision;
  return true;
}

}  // namespace

extern const RemedyDef remedy_use_precision = {
    .id = "use_precision",
    .summary = "Computes floats in 16 bits, if the outputs move no further than is allowed.",
    .rules = {"wide_precision", "gpu_fp32_products", "gpu_memory_bound"},
    .touches = Touches::Running,
    .apply = apply_use_precision,
};

}  // namespace hone
