#include "hone/kernels/hybrid/hybrid.h"

#include "hone/kernels/hwy_targets.h"

namespace hone {

extern const HybridKernel hybrid_ref;
extern const HybridKernel hybrid_hwy;

std::span<const KernelVariant<HybridKernel>> hybrid_variants() {
  static const KernelVariant<HybridKernel> kVariants[] = {
      {"hwy", kHwy, hybrid_hwy},
      {"ref", kNoFeature, hybrid_ref},
  };
  return kVariants;
}

}  // namespace hone
