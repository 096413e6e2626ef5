#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "hone/base/result.h"
#include "hone/base/shared_bytes.h"

namespace hone {

// The whole file in memory. BadInput when it cannot be read; the message names the path.
Result<SharedBytes> read_file(const std::filesystem::path& path);

// `size` bytes from `offset`, or BadInput when the file ends before that.
Result<SharedBytes> read_file_range(const std::filesystem::path& path, uint64_t offset,
                                    uint64_t size);

// The file holds `bytes` and nothing else after it, or what it held before; see OutputFile.
Status write_file(const std::filesystem::path& path, std::string_view bytes);

// With every folder above it that is missing. A folder that exists is left as it is.
Status make_folder(const std::filesystem::path& path);

}  // namespace hone
