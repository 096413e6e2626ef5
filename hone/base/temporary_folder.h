#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include "hone/base/result.h"

namespace hone {

// A new folder that is gone, with all in it, when this is, or when a signal ends the program.
class TemporaryFolder {
 public:
  // In TMPDIR; its name begins so.
  static Result<TemporaryFolder> make(std::string_view name);

  TemporaryFolder(TemporaryFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), entry_(std::exchange(other.entry_, -1)) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::filesystem::path path);

  std::filesystem::path path_;
  int entry_ = -1;  // Of enter_temporary.
};

}  // namespace hone
