#include <arm_neon.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hone/kernels/unroll.h"

namespace hone {
namespace {

// The table lies in sixteen registers, as four quarters of 64 entries. TBL and TBX leave out what
// is beyond their quarter.
struct Table {
  uint8x16x4_t quarters[4];

  explicit Table(const uint8_t* table) {
    HONE_UNROLL
    for (size_t i = 0; i < 4; ++i) quarters[i] = vld1q_u8_x4(table + 64 * i);
  }
  uint8x16_t operator()(uint8x16_t x) const {
    uint8x16_t y = vqtbl4q_u8(quarters[0], x);
    y = vqtbx4q_u8(y, quarters[1], veorq_u8(x, vdupq_n_u8(0x40)));
    y = vqtbx4q_u8(y, quarters[2], veorq_u8(x, vdupq_n_u8(0x80)));
    return vqtbx4q_u8(y, quarters[3], veorq_u8(x, vdupq_n_u8(0xc0)));
  }
};

}  // namespace

void lut_i8_neon(size_t n, const uint8_t* table, const uint8_t* x, uint8_t* y) {
  const Table lookup(table);
  size_t i = 0;
  for (; i + 32 <= n; i += 32) {
    const uint8x16_t low = lookup(vld1q_u8(x + i));
    const uint8x16_t high = lookup(vld1q_u8(x + i + 16));
    vst1q_u8(y + i, low);
    vst1q_u8(y + i + 16, high);
  }
  for (; i < n; ++i) y[i] = table[x[i]];
}

}  // namespace hone
