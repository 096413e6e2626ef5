#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "hone/base/result.h"

namespace hone {

// What `sha256sum` prints for the file, read in small pieces. BadInput when it cannot be read.
Result<std::string> sha256_file(const std::filesystem::path& path);

// FNV-1a, 64 bit: quick and the same on every machine, for seeds and cache keys. Not against
// malice.
uint64_t hash64(std::string_view text);

}  // namespace hone
