#pragma once

#include <filesystem>

#include "hone/base/result.h"

namespace hone::cortex_m {

// A new folder that is gone, with all in it, when this is.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make();

  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::move(other.path_)) {
    other.path_.clear();
  }
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace hone::cortex_m
