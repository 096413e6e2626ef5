// The formats that read_picture knows, from the bytes of a file.
#pragma once

#include <cstddef>
#include <span>

#include "hone/wire/picture.h"

namespace hone {

bool is_png(std::span<const std::byte> bytes);
Result<Picture> decode_png(std::span<const std::byte> bytes);

bool is_jpeg(std::span<const std::byte> bytes);
Result<Picture> decode_jpeg(std::span<const std::byte> bytes);

// Refuses extents that no photograph has, before memory is taken for them.
Status check_picture_extents(uint64_t height, uint64_t width);

}  // namespace hone
