// The small files in which the kernel shows its state.
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>

namespace hone {

// The number that a file of /proc or /sys starts with; nothing when it cannot be read.
inline std::optional<double> number_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  double value = 0;
  if (file >> value) return value;
  return std::nullopt;
}

}  // namespace hone
