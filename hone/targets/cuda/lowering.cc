#include "hone/targets/cuda/lowering.h"

#include <algorithm>

namespace hone::cuda {

#define HONE_CUDA_LOWERING(name) extern const LoweringDef lower_##name;
#include "hone/targets/cuda/lowerings.inc"
#undef HONE_CUDA_LOWERING

const std::vector<const LoweringDef*>& all_lowerings() {
  static const std::vector<const LoweringDef*> kLowerings = {
#define HONE_CUDA_LOWERING(name) &lower_##name,
#include "hone/targets/cuda/lowerings.inc"
#undef HONE_CUDA_LOWERING
  };
  return kLowerings;
}

bool is_float_tensor(const Value* value, const StepBuilder& builder) {
  if (value == nullptr || !builder.planned(value)) return false;
  const TensorType& type = value->type.tensor;
  const bool floats =
      type.dtype == DType::F32 || type.dtype == DType::F16 || type.dtype == DType::BF16;
  return floats && !type.quantized() && type.elements() > 0 && type.elements() <= kMostElements;
}

StepKind kind_of_step(StepFamily family, std::string work, const Node& node) {
  return {.family = family, .work = std::move(work), .precision = arithmetic_of(node)};
}

Variant simple_variant(KernelSource kernel, int64_t threads, unsigned block,
                       std::vector<Slot> arguments) {
  std::string name = kernel.name;
  Launch launch{.kernel = std::move(kernel),
                .grid = {static_cast<unsigned>((threads + block - 1) / block), 1, 1},
                .block = block,
                .arguments = std::move(arguments)};
  return {std::move(name), {std::move(launch)}};
}

int64_t pack_of(DType dtype, std::span<const int64_t> extents) {
  int64_t pack = 128 / bits_of(dtype);
  const auto divides = [&](int64_t extent) { return extent % pack == 0; };
  while (!std::ranges::all_of(extents, divides)) pack /= 2;
  return pack;
}

}  // namespace hone::cuda
