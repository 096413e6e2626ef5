#include "hone/kernels/hwy_targets.h"

#include "hone/kernels/add_i8/add_i8-inl.h"
#include "hone/kernels/bytes_neon.h"

namespace hone {

void add_i8_neon(const AddI8Args<int8_t>& args) {
  HWY_NAMESPACE::add_bytes<NeonBytes, NeonScale>(args);
}

void add_u8_neon(const AddI8Args<uint8_t>& args) {
  HWY_NAMESPACE::add_bytes<NeonBytes, NeonScale>(args);
}

}  // namespace hone
