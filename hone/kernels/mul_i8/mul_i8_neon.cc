#include "hone/kernels/hwy_targets.h"

#include "hone/kernels/bytes_neon.h"
#include "hone/kernels/mul_i8/mul_i8-inl.h"

namespace hone {

void mul_i8_neon(const MulI8Args<int8_t>& args) {
  HWY_NAMESPACE::binary_bytes<HWY_NAMESPACE::MulBytes, NeonBytes, NeonScale>(args);
}

void mul_u8_neon(const MulI8Args<uint8_t>& args) {
  HWY_NAMESPACE::binary_bytes<HWY_NAMESPACE::MulBytes, NeonBytes, NeonScale>(args);
}

}  // namespace hone
