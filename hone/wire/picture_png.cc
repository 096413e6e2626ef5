#include <png.h>

#include <algorithm>
#include <array>
#include <memory>

#include "hone/wire/picture_formats.h"
#include "hone/wire/png_data.h"

namespace hone {
namespace {

constexpr std::array<std::byte, 8> kPngStart = {std::byte{0x89}, std::byte{'P'},  std::byte{'N'},
                                                std::byte{'G'},  std::byte{'\r'}, std::byte{'\n'},
                                                std::byte{0x1a}, std::byte{'\n'}};

Error png_error_of(const png_image& image) {
  return bad_input("damaged PNG: ", image.message);
}

// Red, green and blue of each pixel; what is behind the picture is not asked for.
std::vector<uint8_t> without_alpha(const std::vector<uint8_t>& rgba) {
  std::vector<uint8_t> rgb(rgba.size() / 4 * 3);
  for (size_t pixel = 0; pixel < rgba.size() / 4; ++pixel) {
    std::copy_n(rgba.begin() + static_cast<ptrdiff_t>(4 * pixel), 3,
                rgb.begin() + static_cast<ptrdiff_t>(3 * pixel));
  }
  return rgb;
}

}  // namespace

bool is_png(std::span<const std::byte> bytes) {
  return bytes.size() >= kPngStart.size() &&
         std::ranges::equal(bytes.first(kPngStart.size()), kPngStart);
}

Result<Picture> decode_png(std::span<const std::byte> bytes) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  const std::unique_ptr<png_image, void (*)(png_image*)> freed(&image, png_image_free);
  if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0) {
    return png_error_of(image);
  }
  HONE_RETURN_IF_ERROR(check_picture_extents(image.height, image.width));
  HONE_RETURN_IF_ERROR(check_png_data(bytes));
  image.format = PNG_FORMAT_RGBA;
  image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;  // Samples of 16 bits are colours as those of 8 are.
  std::vector<uint8_t> rgba(PNG_IMAGE_SIZE(image));
  if (png_image_finish_read(&image, nullptr, rgba.data(), 0, nullptr) == 0) {
    return png_error_of(image);
  }
  return Picture{image.height, image.width, without_alpha(rgba)};
}

}  // namespace hone
