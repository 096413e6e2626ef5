// What the pixels of a PNG take when they are unpacked, by its header and in truth.
#pragma once

#include <cstddef>
#include <span>

#include "hone/base/result.h"

namespace hone {

// BadInput where the file packs more than its header has pixels for: a few kilobytes can be
// gigabytes so. Unpacks no more than that. The header has been read and is right.
Status check_png_data(std::span<const std::byte> bytes);

}  // namespace hone
