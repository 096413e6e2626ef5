#include "hone/workbench/computed_precision.h"

#include "hone/base/str.h"
#include "hone/targets/cpu/precision.h"
#include "hone/workbench/profile_model.h"

namespace hone {
namespace {

bool is_quantized(const Value* value) {
  return value != nullptr && value->type.tensor.quantized();
}

bool on_integers(const Node& node) {
  return is_quantized(node.outputs[0]) || (!node.inputs.empty() && is_quantized(node.inputs[0]));
}

// A device whose times are predicted by precision: it refuses those that it has no figures of, where
// figures of another one would be taken for them.
bool has_figures_of_its_own(std::string_view target) {
  const Result<const TargetDef*> def = find_target(target);
  return def.ok() && (*def)->mode == Mode::Predicted;
}

}  // namespace

Precision precision_named(std::string_view name) {
  for (const Precision precision : {Precision::F16, Precision::BF16, Precision::TF32}) {
    if (name == name_of(precision)) return precision;
  }
  return Precision::F32;
}

Precision computed_precision(std::string_view target, Precision asked) {
  if (target == "ref") return Precision::F32;
  if (asked == Precision::TF32 && target != "cuda" && !has_figures_of_its_own(target)) {
    return Precision::F32;
  }
  return target == "cpu" ? cpu::kernel_precision(asked) : asked;
}

std::string why_computed_otherwise(std::string_view target, Precision asked) {
  const Precision computed = computed_precision(target, asked);
  if (computed == asked) return "";
  if (target == "ref") {
    return str("ref computes every type as the model has it, not in ", name_of(asked));
  }
  if (asked == Precision::TF32) {
    return str("tf32 is arithmetic of GPUs: on ", target, " floats are computed in fp32");
  }
  const bool taken = cpu::has_precision_by_itself(asked);
  return str(taken ? "HONE_CPU_FEATURES leaves no " : "this CPU has no ", name_of(asked),
             " arithmetic: floats are computed in ", name_of(computed));
}

std::string products_precision(const Program& program, Precision floats) {
  bool integers = false, real = false, all_half = true, any_tf32 = false, any_bfloat = false;
  for (const StepInfo& step : program.steps()) {
    if (step.cost.macs == 0) continue;
    const bool integer = on_integers(*step.node);
    (integer ? integers : real) = true;
    any_tf32 = any_tf32 || step.kind.precision == Arithmetic::Tf32;
    any_bfloat = any_bfloat || step.kind.precision == Arithmetic::Bf16;
    all_half = all_half && (integer || step.kind.precision == Arithmetic::Fp16);
  }
  const std::string name = floats == Precision::F16 || all_half ? "fp16"
                           : any_tf32                           ? "tf32"
                           : any_bfloat                         ? "bf16"
                                                                : "fp32";
  if (!integers) return real ? name : "";
  return real ? "int8, " + name : "int8";
}

}  // namespace hone
