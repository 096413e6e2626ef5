#include "hone/targets/cpu/chosen_kernels.h"

#include "hone/base/str.h"
#include "hone/kernels/depthwise/depthwise.h"
#include "hone/kernels/gemm/gemm.h"
#include "hone/kernels/gemm_bf16/gemm_bf16.h"
#include "hone/kernels/gemm_i8/gemm_i8.h"
#include "hone/kernels/gemm_split/gemm_split.h"
#include "hone/kernels/highway.h"
#include "hone/kernels/winograd/winograd.h"
#include "hone/targets/cpu/precision.h"

namespace hone::cpu {
namespace {

template <class Kernel>
std::string name_of_best(std::span<const KernelVariant<Kernel>> variants) {
  const KernelVariant<Kernel>& best = best_variant(variants);
  if (&best == &variants.back()) return "reference";
  return best.name == "hwy" ? str("hwy ", highway_target()) : std::string(best.name);
}

std::string of_f32(const std::string& name) {
  return str(name, ", of fp32");
}

// Floats of a precision without kernels are computed as fp32, by `f32`.
std::string unless_raised(Precision precision, const std::string& name, const std::string& f32) {
  return kernel_precision(precision) == precision ? name : of_f32(f32);
}

// What multiplies halves, or the floats that they are turned into.
std::string half_products(const std::string& f16) {
  return multiplies_halves() ? f16 : str(f16, ", turned into floats");
}

// What multiplies floats, and what does so where it is faster.
std::string float_products(const std::string& plain) {
  const auto& split = best_variant(gemm_split_variants());
  if (&split == &gemm_split_variants().back()) return plain;
  return str(plain, "; ", split.name, " in three exact parts where that is faster");
}

}  // namespace

std::vector<HostKernel> chosen_kernels() {
  const std::string product = "matrix product", depthwise = "depthwise";
  const std::string f16 = name_of_best(gemm_f16_variants());
  const std::string bf16 = name_of_best(gemm_bf16_variants());
  const std::string f16_depthwise = name_of_best(depthwise_f16_variants());
  const std::string f32 = name_of_best(gemm_f32_variants());
  const std::string f32_depthwise = name_of_best(depthwise_f32_variants());
  return {
      {"fp32", product, float_products(f32)},
      {"fp32", depthwise, f32_depthwise},
      {"fp32", "winograd transforms", name_of_best(winograd_f32_variants())},
      {"fp16", product, unless_raised(Precision::F16, half_products(f16), f32)},
      {"fp16", depthwise, unless_raised(Precision::F16, f16_depthwise, f32_depthwise)},
      {"bf16", product, unless_raised(Precision::BF16, bf16, f32)},
      {"bf16", depthwise, of_f32(f32_depthwise)},
      {"int8", product, name_of_best(gemm_i8_variants())},
      {"int8", depthwise, name_of_best(depthwise_i8_variants())},
  };
}

}  // namespace hone::cpu
