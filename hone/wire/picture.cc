#include "hone/wire/picture.h"

#include <algorithm>
#include <cctype>

#include "hone/base/file.h"
#include "hone/wire/picture_formats.h"

namespace hone {
namespace {

constexpr uint64_t kMostPixels = uint64_t{1} << 28;

Result<Picture> decode_picture(std::span<const std::byte> bytes) {
  if (is_png(bytes)) return decode_png(bytes);
  if (is_jpeg(bytes)) return decode_jpeg(bytes);
  return bad_input("is neither PNG nor JPEG");
}

}  // namespace

bool names_picture(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".png" || ending == ".jpg" || ending == ".jpeg";
}

Status check_picture_extents(uint64_t height, uint64_t width) {
  if (height > 0 && width > 0 && height <= kMostPixels / width) return Done{};
  return bad_input("is ", width, " x ", height, " pixels, expected 1 to ", kMostPixels);
}

Result<Picture> read_picture(const std::filesystem::path& path) {
  HONE_TRY(const SharedBytes file, read_file(path));
  return decode_picture(file.bytes).in(path.string());
}

}  // namespace hone
