#include "hone/targets/cortex_m/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace hone::cortex_m {

namespace fs = std::filesystem;

Result<TemporaryFolder> TemporaryFolder::make() {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  if (error) {
    const char* named = std::getenv("TMPDIR");
    return out_of_resource("TMPDIR is '", named == nullptr ? "" : named,
                           "', expected a folder for temporary files: ", error.message());
  }
  std::string name = (parent / "hone_firmware_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    return out_of_resource(name, ": no folder for temporary files: ", std::strerror(errno));
  }
  return TemporaryFolder(name);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace hone::cortex_m
