#pragma once

#include <string_view>
#include <vector>

namespace hone::cuda {

// A file of `sources`, put into the program by the build.
struct SourceFile {
  std::string_view name;  // Without its suffix.
  std::string_view text;
};
const std::vector<SourceFile>& source_files();

}  // namespace hone::cuda
