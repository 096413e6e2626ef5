#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace hone {

// The repository, as ctest names it.
inline std::filesystem::path source_dir() {
  const char* dir = std::getenv("HONE_SOURCE_DIR");
  return dir == nullptr ? std::filesystem::current_path() : std::filesystem::path(dir);
}

// Real models, data and reference outputs that may lie beside the repository and are never part of
// it. Tests that need them skip when the folder is not there.
inline std::filesystem::path shared_dir() {
  return source_dir() / ".." / "shared";
}

}  // namespace hone

#define HONE_SKIP_WITHOUT(path)                                                  \
  do {                                                                           \
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "not there: " << (path); \
  } while (false)
