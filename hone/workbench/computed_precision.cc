#include "hone/workbench/computed_precision.h"

#include "hone/base/str.h"
#include "hone/targets/cpu/precision.h"
#include "hone/workbench/profile_model.h"

namespace hone {

Precision precision_named(std::string_view name) {
  if (name == "fp16") return Precision::F16;
  return name == "bf16" ? Precision::BF16 : Precision::F32;
}

Precision computed_precision(std::string_view target, Precision asked) {
  if (target == "ref") return Precision::F32;
  return target == "cpu" ? cpu::kernel_precision(asked) : asked;
}

std::string why_computed_otherwise(std::string_view target, Precision asked) {
  const Precision computed = computed_precision(target, asked);
  if (computed == asked) return "";
  if (target == "ref") {
    return str("ref computes every type as the model has it, not in ", name_of(asked));
  }
  const bool taken = cpu::has_precision_by_itself(asked);
  return str(taken ? "HONE_CPU_FEATURES leaves no " : "this CPU has no ", name_of(asked),
             " arithmetic: floats are computed in ", name_of(computed));
}

}  // namespace hone
