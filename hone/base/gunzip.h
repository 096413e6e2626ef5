#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "hone/base/result.h"

namespace hone {

// True for what begins as files of gzip do.
bool is_gzip(std::string_view bytes);

// What was packed. BadInput when the bytes are damaged or cut off, or when more than `most` bytes
// would come out of them.
Result<std::string> gunzip(std::string_view bytes, size_t most = size_t{4} << 30);

}  // namespace hone
