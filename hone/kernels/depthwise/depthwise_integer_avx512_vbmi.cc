// Compiled with -mavx512vnni and -mavx512vbmi; reached only through depthwise_i8_variants() and
// depthwise_u8_variants().
#if defined(__x86_64__)
#include "hone/kernels/depthwise/depthwise_integer_avx512.h"

namespace hone {

extern const DepthwiseI8 depthwise_i8_avx512_vbmi = {
    VnniKernels::packed_bytes, VnniKernels::pack<int8_t>, VnniKernels::scratch_bytes,
    VnniKernels::run<int8_t>};
extern const DepthwiseU8 depthwise_u8_avx512_vbmi = {
    VnniKernels::packed_bytes, VnniKernels::pack<uint8_t>, VnniKernels::scratch_bytes,
    VnniKernels::run<uint8_t>};

}  // namespace hone
#endif
