// Pixels of PNG and JPEG files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "hone/base/result.h"

namespace hone {

struct Picture {
  int64_t height = 0;
  int64_t width = 0;
  std::vector<uint8_t> rgb = {};  // Row by row, 3 bytes a pixel.
};

// Whether a file's name ends in .png, .jpg or .jpeg, in letters of either size.
bool names_picture(const std::filesystem::path& path);

// What the file holds decides, not its name. Grey becomes three equal channels, transparency is left
// out, 16 bits become 8; a camera's note on which way is up is not followed. BadInput, with the path
// in front, when the file is damaged or ends early.
Result<Picture> read_picture(const std::filesystem::path& path);

}  // namespace hone
