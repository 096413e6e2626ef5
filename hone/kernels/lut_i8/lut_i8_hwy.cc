#include <cstddef>
#include <cstdint>

#include "hone/kernels/hwy_targets.h"
#include "hone/kernels/unroll.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hone/kernels/lut_i8/lut_i8_hwy.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h, which includes this file again once per instruction set.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace hone {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DByte = hn::ScalableTag<uint8_t>;
using ByteVec = hn::Vec<DByte>;

#if HWY_ARCH_X86

// Eight rows of sixteen entries for the indices below 0x80, eight for the others. PSHUFB gives zero
// where bit 7 of an index is set and takes its low four bits otherwise: with 16 * r taken off, every
// index of row r or above finds an entry in row r. So a row holds what it differs by from the row
// before it.
class Lookup {
 public:
  explicit Lookup(const uint8_t* table) {
    for (size_t half = 0; half < 2; ++half) {
      ByteVec before = hn::Zero(DByte());
      for (size_t r = 0; r < kRows; ++r) {
        const ByteVec row = hn::LoadDup128(DByte(), table + 128 * half + 16 * r);
        hn::Store(hn::Xor(row, before), DByte(), rows_[half][r]);
        before = row;
      }
    }
  }

  HWY_INLINE ByteVec operator()(ByteVec index) const {
    const ByteVec step = hn::Set(DByte(), uint8_t{16});
    ByteVec low_index = index, high_index = hn::Xor(index, hn::Set(DByte(), uint8_t{0x80}));
    ByteVec low = hn::Zero(DByte()), high = hn::Zero(DByte());
    HONE_UNROLL
    for (size_t r = 0; r < kRows; ++r) {
      low = hn::Xor(low, hn::TableLookupBytesOr0(hn::Load(DByte(), rows_[0][r]), low_index));
      high = hn::Xor(high, hn::TableLookupBytesOr0(hn::Load(DByte(), rows_[1][r]), high_index));
      low_index = hn::Sub(low_index, step);
      high_index = hn::Sub(high_index, step);
    }
    const hn::RebindToSigned<DByte> as_signed;
    const auto is_high = hn::Lt(hn::BitCast(as_signed, index), hn::Zero(as_signed));
    return hn::IfThenElse(hn::RebindMask(DByte(), is_high), high, low);
  }

 private:
  static constexpr size_t kRows = 8;
  alignas(64) uint8_t rows_[2][kRows][hn::MaxLanes(DByte())];
};

#else

// Sixteen lookups of sixteen entries each. A lookup gives zero where bit 7 of the index is set, so
// the indices of all other rows are brought to 0x80 and above.
class Lookup {
 public:
  explicit Lookup(const uint8_t* table) : table_(table) {}

  HWY_INLINE ByteVec operator()(ByteVec index) const {
    const ByteVec beyond = hn::Set(DByte(), uint8_t{0x70});
    ByteVec result = hn::Zero(DByte());
    for (size_t row = 0; row < 16; ++row) {
      const ByteVec entries = hn::LoadDup128(DByte(), table_ + 16 * row);
      const ByteVec own = hn::Xor(index, hn::Set(DByte(), static_cast<uint8_t>(row << 4)));
      const ByteVec from = hn::And(hn::SaturatedAdd(own, beyond), hn::Set(DByte(), uint8_t{0x8f}));
      result = hn::Or(result, hn::TableLookupBytesOr0(entries, from));
    }
    return result;
  }

 private:
  const uint8_t* table_;
};

#endif

void lut_i8(size_t n, const uint8_t* table, const uint8_t* x, uint8_t* y) {
  const size_t lanes = hn::Lanes(DByte());
  const Lookup lookup(table);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(lookup(hn::LoadU(DByte(), x + i)), DByte(), y + i);
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
