#include "hone/base/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "hone/base/str.h"
#include "hone/base/temporaries.h"

namespace hone {

namespace fs = std::filesystem;

Result<TemporaryFolder> TemporaryFolder::make(std::string_view name) {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  if (error) {
    const char* named = std::getenv("TMPDIR");
    return out_of_resource("TMPDIR is '", named == nullptr ? "" : named,
                           "', expected a folder for temporary files: ", error.message());
  }
  std::string path = (parent / str(name, "_XXXXXX")).string();
  if (mkdtemp(path.data()) == nullptr) {
    return out_of_resource(path, ": no folder for temporary files: ", std::strerror(errno));
  }
  return TemporaryFolder(path);
}

TemporaryFolder::TemporaryFolder(fs::path path)
    : path_(std::move(path)), entry_(enter_temporary(path_)) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
  leave_temporary(entry_);
}

}  // namespace hone
