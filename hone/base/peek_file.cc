#include "hone/base/peek_file.h"

#include <algorithm>
#include <system_error>

namespace hone {
namespace fs = std::filesystem;

namespace {

constexpr uint64_t kLargestText = uint64_t{16} << 20;

}  // namespace

Result<bool> file_exists(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return false;
  if (error == std::errc::filename_too_long) return false;  // No file has such a name.
  if (error) return bad_input(path.string(), ": ", error.message());
  return true;
}

Result<SharedBytes> read_file_start(const fs::path& path, uint64_t most) {
  std::error_code unknown;  // What cannot be read is said by the reader.
  const uintmax_t size = fs::file_size(path, unknown);
  return unknown ? read_file(path) : read_file_range(path, 0, std::min<uint64_t>(size, most));
}

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

Result<std::string> read_text(const fs::path& path) {
  HONE_TRY(const SharedBytes file, read_file_start(path, kLargestText + 1));
  if (file.bytes.size() > kLargestText) {
    return bad_input(path.string(), ": expected a text of at most ", kLargestText, " bytes");
  }
  const std::string_view text(reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size());
  return std::string(without_byte_order_mark(text));
}

}  // namespace hone
