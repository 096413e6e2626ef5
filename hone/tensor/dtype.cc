#include "hone/tensor/dtype.h"

#include <array>

namespace hone {
namespace {

struct Row {
  std::string_view name;
  int bits;
};

// In the order of the enumeration.
constexpr std::array<Row, kDTypes> kRows = {
    {{"?", 0},        {"f32", 32},       {"f64", 64},   {"f16", 16},       {"bf16", 16},
     {"f8e4m3fn", 8}, {"f8e4m3fnuz", 8}, {"f8e5m2", 8}, {"f8e5m2fnuz", 8}, {"f4e2m1", 4},
     {"i2", 2},       {"i4", 4},         {"i8", 8},     {"i16", 16},       {"i32", 32},
     {"i64", 64},     {"u2", 2},         {"u4", 4},     {"u8", 8},         {"u16", 16},
     {"u32", 32},     {"u64", 64},       {"bool", 8},   {"string", 0}}};

}  // namespace

std::string_view name_of(DType dtype) {
  return kRows[static_cast<size_t>(dtype)].name;
}

std::optional<DType> dtype_named(std::string_view name) {
  for (size_t i = 0; i < kRows.size(); ++i) {
    if (kRows[i].name == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

int bits_of(DType dtype) {
  return kRows[static_cast<size_t>(dtype)].bits;
}

std::ostream& operator<<(std::ostream& out, DType dtype) {
  return out << name_of(dtype);
}

std::ostream& operator<<(std::ostream& out, DTypeSet set) {
  const char* before = "";
  for (int i = 0; i < kDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (!set.contains(dtype)) continue;
    out << before << dtype;
    before = ", ";
  }
  return out;
}

}  // namespace hone
