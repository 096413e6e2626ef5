#include "hone/device/device_folder.h"

#include <cstdlib>

namespace hone {
namespace fs = std::filesystem;

namespace {

// The variable as a folder; empty unless it holds an absolute path, as the XDG rules have it.
fs::path folder_in(const char* variable) {
  const char* text = std::getenv(variable);
  const fs::path path = text == nullptr ? "" : text;
  return path.is_absolute() ? path : fs::path();
}

}  // namespace

Result<fs::path> cache_folder() {
  fs::path cache = folder_in("XDG_CACHE_HOME");
  if (cache.empty() && !folder_in("HOME").empty()) cache = folder_in("HOME") / ".cache";
  if (cache.empty()) {
    return out_of_resource("neither XDG_CACHE_HOME nor HOME names a folder to keep devices in");
  }
  return cache / "hone";
}

Result<fs::path> device_fit_path(std::string_view name) {
  HONE_TRY(const fs::path folder, cache_folder());
  return folder / "devices" / str(name, ".toml");
}

Result<fs::path> class_folder() {
  HONE_TRY(const fs::path folder, cache_folder());
  return folder / "classes";
}

}  // namespace hone
