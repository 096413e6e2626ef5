#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string_view>

namespace hone {

// What one element of a tensor is. `Undefined` stands for a type not known yet.
enum class DType : uint8_t {
  Undefined,
  F32,
  F64,
  F16,
  BF16,
  F8E4M3FN,
  F8E4M3FNUZ,
  F8E5M2,
  F8E5M2FNUZ,
  F4E2M1,
  I2,
  I4,
  I8,
  I16,
  I32,
  I64,
  U2,
  U4,
  U8,
  U16,
  U32,
  U64,
  Bool,
  String,
};
inline constexpr int kDTypes = static_cast<int>(DType::String) + 1;

// "f32", "i8", "bool"; "?" when undefined. What the text form of a graph uses.
std::string_view name_of(DType dtype);
std::optional<DType> dtype_named(std::string_view name);
std::ostream& operator<<(std::ostream& out, DType dtype);

// Storage of one element in bits: fewer than 8 for small ones, 0 for String, which lives outside
// the buffer.
int bits_of(DType dtype);
// Elements smaller than a byte: several share one, the first in the low bits.
inline bool is_small(DType dtype) {
  return bits_of(dtype) == 2 || bits_of(dtype) == 4;
}

// Bytes `elements` elements take.
inline uint64_t bytes_of(DType dtype, uint64_t elements) {
  return (elements * static_cast<uint64_t>(bits_of(dtype)) + 7) / 8;
}

// A set of element types: what an operator accepts for an input.
class DTypeSet {
 public:
  constexpr DTypeSet() = default;
  template <class... Types>
  constexpr explicit DTypeSet(Types... types) : bits_((0u | ... | bit(types))) {}
  constexpr bool contains(DType dtype) const { return (bits_ & bit(dtype)) != 0; }
  constexpr DTypeSet operator|(DTypeSet other) const {
    DTypeSet both;
    both.bits_ = bits_ | other.bits_;
    return both;
  }

 private:
  static constexpr uint32_t bit(DType dtype) { return 1u << static_cast<int>(dtype); }
  uint32_t bits_ = 0;
};
std::ostream& operator<<(std::ostream& out, DTypeSet set);

inline constexpr DTypeSet kFloat{DType::F32, DType::F64, DType::F16, DType::BF16};
inline constexpr DTypeSet kFloat8{DType::F8E4M3FN, DType::F8E4M3FNUZ, DType::F8E5M2,
                                  DType::F8E5M2FNUZ};
inline constexpr DTypeSet kSigned{DType::I8, DType::I16, DType::I32, DType::I64};
inline constexpr DTypeSet kUnsigned{DType::U8, DType::U16, DType::U32, DType::U64};
inline constexpr DTypeSet kFloat4{DType::F4E2M1};
inline constexpr DTypeSet kSmallInteger{DType::I2, DType::I4, DType::U2, DType::U4};
inline constexpr DTypeSet kInteger = kSigned | kUnsigned;
inline constexpr DTypeSet kNumeric = kFloat | kInteger;
inline constexpr DTypeSet kBoolean{DType::Bool};
inline constexpr DTypeSet kText{DType::String};
inline constexpr DTypeSet kIndex{DType::I32, DType::I64};
// Everything whose elements are whole bytes or strings: what data movement accepts.
inline constexpr DTypeSet kAny = kNumeric | kFloat8 | kBoolean | kText;
inline constexpr DTypeSet kEvery = kAny | kSmallInteger | kFloat4;

}  // namespace hone
