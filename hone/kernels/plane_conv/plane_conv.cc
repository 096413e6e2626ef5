#include "hone/kernels/plane_conv/plane_conv.h"

namespace hone {

void plane_conv_ref(const PlaneConvRow& row);
#if defined(__x86_64__)
void plane_conv_avx2(const PlaneConvRow& row);
void plane_conv_avx512(const PlaneConvRow& row);
#endif

std::span<const KernelVariant<PlaneConv>> plane_conv_variants() {
  static constexpr KernelVariant<PlaneConv> kVariants[] = {
#if defined(__x86_64__)
    {"avx512", kAvx512, {64, 16, plane_conv_avx512}},
    {"avx2", kAvx2 | kFma, {16, 8, plane_conv_avx2}},
#endif
    {"ref", kNoFeature, {4, 4, plane_conv_ref}},
  };
  return kVariants;
}

}  // namespace hone
