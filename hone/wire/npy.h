// NumPy's .npy files.
#pragma once

#include <filesystem>

#include "hone/base/result.h"
#include "hone/tensor/tensor.h"

namespace hone {

// Reads version 1, 2 or 3; little-endian numbers, bool and fixed-width unicode (<U) or bytes (|S)
// as strings; Fortran order is turned into row-major.
Result<Tensor> read_npy(const std::filesystem::path& path);

// Quantization is not kept; bfloat16, float8 and 4-bit types, which NumPy lacks, are widened to
// float32 or int8/uint8.
Status write_npy(const Tensor& tensor, const std::filesystem::path& path);

}  // namespace hone
