// What lies in a .npy file, and where: read from its first bytes alone.
#pragma once

#include <cstdint>
#include <string_view>

#include "hone/base/result.h"
#include "hone/tensor/tensor_type.h"

namespace hone {

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

struct NpyHeader {
  TensorType type;          // String for text of fixed width.
  char text_kind = '\0';    // For strings: 'U' for unicode, 'S' for bytes.
  uint64_t text_width = 0;  // For strings: characters of each.
  bool fortran_order = false;
  size_t data_at = 0;  // Bytes from the start of the file.
};

// `start` is the file's beginning, header included.
Result<NpyHeader> parse_npy_header(std::string_view start);

// BadInput unless a file with `data_bytes` behind its header holds just the numbers it claims.
Status check_npy_size(const TensorType& type, uint64_t data_bytes);

// How NumPy spells an element type: "<f4". Requires a type that NumPy has, and no string.
std::string_view npy_descr(DType dtype);

}  // namespace hone
