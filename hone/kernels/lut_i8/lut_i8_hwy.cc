#include <cstddef>
#include <cstdint>

#include "hone/kernels/hwy_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hone/kernels/lut_i8/lut_i8_hwy.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file again once per instruction set.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Sixteen lookups of sixteen entries each. A lookup gives zero where bit 7 of the index is set, so
// the indices of all other rows are brought to 0x80 and above.
void lut_i8(size_t n, const uint8_t* table, const uint8_t* x, uint8_t* y) {
  const hn::ScalableTag<uint8_t> d;
  const size_t lanes = hn::Lanes(d);
  const auto beyond = hn::Set(d, uint8_t{0x70});
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto index = hn::LoadU(d, x + i);
    auto result = hn::Zero(d);
    for (size_t row = 0; row < 16; ++row) {
      const auto entries = hn::LoadDup128(d, table + 16 * row);
      const auto own = hn::Xor(index, hn::Set(d, static_cast<uint8_t>(row << 4)));
      const auto from = hn::And(hn::SaturatedAdd(own, beyond), hn::Set(d, uint8_t{0x8f}));
      result = hn::Or(result, hn::TableLookupBytesOr0(entries, from));
    }
    hn::StoreU(result, d, y + i);
  }
  for (; i < n; ++i) y[i] = table[x[i]];
}

}  // namespace HWY_NAMESPACE
}  // namespace hone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hone {

HWY_EXPORT(lut_i8);

void lut_i8_hwy(size_t n, const uint8_t* table, const uint8_t* x, uint8_t* y) {
  HWY_DYNAMIC_DISPATCH(lut_i8)(n, table, x, y);
}

}  // namespace hone
#endif  // HWY_ONCE
