// Files looked at before they are read, or read only when they are small.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "hone/base/file.h"

namespace hone {

// BadInput where nobody can say, as in a folder that may not be searched.
Result<bool> file_exists(const std::filesystem::path& path);

// The first `most` bytes, or all where there are fewer: to see what a file is.
Result<SharedBytes> read_file_start(const std::filesystem::path& path, uint64_t most);

// Without the byte-order mark that spreadsheets and editors put before UTF-8.
std::string_view without_byte_order_mark(std::string_view text);

// A text that people write, of at most 16 MiB, without such a mark.
Result<std::string> read_text(const std::filesystem::path& path);

}  // namespace hone
