#include "hone/analyze/op_kinds.h"

#include <algorithm>
#include <array>
#include <map>

#include "hone/analyze/pricing.h"

namespace hone {
namespace {

constexpr std::array kElementwise = {
    "abs",        "add",  "ceil",    "clip",       "div",          "elu",
    "erf",        "exp",  "floor",   "gelu",       "hard_sigmoid", "hard_swish",
    "leaky_relu", "log",  "max",     "min",        "mish",         "mul",
    "neg",        "pow",  "prelu",   "reciprocal", "relu",         "round",
    "rsqrt",      "selu", "sigmoid", "softplus",   "softsign",     "sqrt",
    "sub",        "sum",  "swish",   "tanh",       "where",        "squared_difference",
    "lookup"};

constexpr std::array kMovement = {"concat", "depth_to_space",  "expand",          "gather",
                                  "pad",    "slice",           "space_to_depth",  "split",
                                  "tile",   "center_crop_pad", "reverse_sequence"};

constexpr std::array kConversion = {"cast", "cast_like", "quantize_linear", "dequantize_linear",
                                    "requantize"};

template <class Names>
bool is_one_of(std::string_view op, const Names& names) {
  return std::ranges::find(names, op) != names.end();
}

// How near the cpu target's products come to the roof of their precision, compared with fp32's:
// from its networks in fp32, fp16, bf16 and int8 (docs/performance.md). Narrow types leave more of
// their time to what is not multiplication: rounding, packing, requantization, stores.
double reach(const std::string& precision) {
  if (precision == "bf16") return 0.75;
  if (precision == "int8") return 0.5;
  return 1;
}

}  // namespace

bool is_elementwise(std::string_view op) {
  return is_one_of(op, kElementwise);
}

bool is_data_movement(std::string_view op) {
  return is_one_of(op, kMovement);
}

bool is_conversion(std::string_view op) {
  return is_one_of(op, kConversion);
}

bool is_product(const StepProfile& step) {
  return step.macs > 0 && (step.kernel.find("gemm") != std::string::npos ||
                           step.kernel.find("winograd") != std::string::npos);
}

double bytes_per_element(std::string_view precision) {
  if (precision == "fp64") return 8;
  if (precision == "fp16" || precision == "bf16" || precision == "int16") return 2;
  if (precision == "int8") return 1;
  return 4;
}

double time_in_precision(const Evidence& in, size_t s, const std::string& precision) {
  RoofWork work = work_of(in, s);
  const double smaller = bytes_per_element(precision) / bytes_per_element(work.precision);
  work.weight_bytes *= smaller;
  // Only the multiplicands of products are bfloat16: activations stay as they are.
  if (precision != "bf16") work.activation_bytes *= smaller;
  work.footprint_bytes *= smaller;
  const double relative = is_product(in.step(s)) ? reach(precision) / reach(work.precision) : 1;
  work.precision = precision;
  work.flops /= relative;
  return std::min(in.step(s).us, rescaled_us(in, s, work));
}

}  // namespace hone
