#include "hone/kernels/hwy_targets.h"

#include "hone/kernels/bytes_neon.h"
#include "hone/kernels/mul_i8/mul_i8-inl.h"

namespace hone {

void mul_i8_neon(const MulI8Args<int8_t>& args) {
  HWY_NAMESPACE::mul_bytes<NeonBytes<int8_t>, NeonScale>(args);
}

void mul_u8_neon(const MulI8Args<uint8_t>& args) {
  HWY_NAMESPACE::mul_bytes<NeonBytes<uint8_t>, NeonScale>(args);
}

}  // namespace hone
