#pragma once

#include <string_view>

namespace hone {

// A file that the build put into the program (hone_embed_files).
struct EmbeddedFile {
  std::string_view name;  // "ethos-u55-128.toml".
  std::string_view text;
};

}  // namespace hone
