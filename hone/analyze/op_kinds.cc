#include "hone/analyze/op_kinds.h"

#include <algorithm>

#include "hone/analyze/activation_cost.h"
#include "hone/analyze/pricing.h"
#include "hone/ops/op_def.h"

namespace hone {
namespace {

// Other for names of other tools' operators.
OpKind kind_of(std::string_view name) {
  const OpDef* op = find_op(name);
  return op == nullptr ? OpKind::Other : op->kind;
}

}  // namespace

bool is_elementwise(std::string_view op) {
  return is_elementwise(kind_of(op));
}

bool is_data_movement(std::string_view op) {
  return kind_of(op) == OpKind::Movement && op != "transpose";
}

bool is_conversion(std::string_view op) {
  return kind_of(op) == OpKind::Conversion;
}

bool reads_an_input(const Evidence& in, size_t s) {
  if (in.nodes.empty()) return false;
  const Value* value = in.nodes[s]->inputs[0];
  while (value->producer != nullptr && value->producer->op == "cast") {
    value = value->producer->inputs[0];
  }
  return value->producer == nullptr && !value->constant;
}

bool is_product(const StepProfile& step) {
  const StepFamily family = step.kind.family;
  return step.macs > 0 && (family == StepFamily::Product || family == StepFamily::Recurrent ||
                           family == StepFamily::Winograd);
}

double bytes_per_element(std::string_view precision) {
  if (precision == "fp64") return 8;
  if (precision == "fp16" || precision == "bf16" || precision == "int16") return 2;
  if (precision == "int8") return 1;
  return 4;
}

double elements_written(const StepProfile& step) {
  const bool only_inside = step.kind.precision == Arithmetic::Bf16;  // Sums are fp32.
  const double bytes = only_inside ? 4 : bytes_per_element(name_of(step.kind.precision));
  return static_cast<double>(step.written_bytes) / bytes;
}

std::string_view kernel_kind(const StepProfile& step) {
  if (step.macs == 0) return "other";
  if (step.kind.family == StepFamily::Winograd) return "winograd";
  if (step.kind.family == StepFamily::Depthwise) return "depthwise";
  return is_product(step) ? "product" : "other";
}

namespace {

// Kernels for integers have no activations but clamps: others become a pass over a table.
bool becomes_table(const Evidence& in, size_t s, const std::string& precision) {
  const StepProfile& step = in.step(s);
  if (precision != "int8" || in.nodes.empty() || step.macs == 0 || step.us <= 0) return false;
  const std::string activation = activation_of(*in.nodes[s]);
  return activation_ns(activation) > activation_ns("relu");
}

double table_us(const Evidence& in, size_t s) {
  const RoofWork pass = {.precision = "int8", .activation_bytes = 2 * elements_written(in.step(s))};
  return roof_time(in.device, in.profile.threads, pass).us /
         in.device.kernel_reach("other", "int8").value_or(1);
}

double activation_us(const Evidence& in, size_t s) {
  const double ns = activation_ns(activation_of(*in.nodes[s]));
  const double us = 1e-3 * ns * elements_written(in.step(s)) / std::max(1, in.profile.threads);
  return std::min(us, in.step(s).us);
}

// How many times as long as its roof has it the step takes in kernels of the precision.
double slowness(const Evidence& in, size_t s, const std::string& precision) {
  const StepProfile& step = in.step(s);
  const KernelReach* kernels = in.device.kernels_of(kernel_kind(step), precision);
  if (kernels == nullptr) return 1;
  const RoofWork multiplying = {.precision = precision, .flops = static_cast<double>(step.flops)};
  const double multiply_us = roof_time(in.device, in.profile.threads, multiplying).us;
  if (!kernels->parts || !is_product(step) || multiply_us <= 0) return 1 / kernels->of_roof;
  const double outputs_us = 1e-3 * kernels->parts->ns_per_output * elements_written(step) /
                            std::max(1, in.profile.threads);
  return 1 / kernels->parts->multiply_of_roof + outputs_us / multiply_us;
}

// How good this kernel is for the step says nothing of one that works otherwise: Winograd's
// convolutions are fp32, and plain products elsewhere.
bool becomes_product(const Evidence& in, size_t s, const std::string& precision) {
  const KernelReach* kernels = in.device.kernels_of("winograd", precision);
  return kernel_kind(in.step(s)) == "winograd" && kernels != nullptr && kernels->parts &&
         kernels->kind == "product";
}

// Weights that are read once come as fast in every precision: it is the arithmetic of products that
// kernels are better or worse at.
double product_us(const Evidence& in, size_t s, RoofWork work) {
  work.flops *= slowness(in, s, work.precision);
  if (becomes_product(in, s, work.precision)) {
    return roof_time(in.device, in.profile.threads, work).us;
  }
  work.flops /= slowness(in, s, work_of(in, s).precision);
  return rescaled_us(in, s, work);
}

}  // namespace

double time_in_precision(const Evidence& in, size_t s, const std::string& precision) {
  const StepProfile& step = in.step(s);
  RoofWork work = work_of(in, s);
  const double smaller = bytes_per_element(precision) / bytes_per_element(work.precision);
  work.weight_bytes *= smaller;
  // Only the multiplicands of products are bfloat16: activations stay as they are.
  if (precision != "bf16") work.activation_bytes *= smaller;
  work.footprint_bytes *= smaller;
  const double slower = slowness(in, s, precision) / slowness(in, s, work.precision);
  work.precision = precision;
  const double us = is_product(step) ? product_us(in, s, work) : slower * rescaled_us(in, s, work);
  if (!becomes_table(in, s, precision)) return us;
  return us * (1 - activation_us(in, s) / step.us) + table_us(in, s);
}

std::vector<size_t> steps_narrowed(const Evidence& in, const std::string& precision) {
  return steps_where(in, [&](size_t s) {
    const StepProfile& step = in.step(s);
    if (step.kind.precision != Arithmetic::Fp32) return false;
    return precision == "fp16" ? !step.kind.reference : is_product(step);
  });
}

double saved_in_precision(const Evidence& in, const std::string& precision) {
  double saved = 0;
  for (const size_t s : steps_narrowed(in, precision)) {
    saved += in.step(s).us - time_in_precision(in, s, precision);
  }
  return saved;
}

}  // namespace hone
