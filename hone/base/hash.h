#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "hone/base/result.h"

namespace hone {

// SHA-256 (FIPS 180-4) of bytes that come in pieces.
class Sha256 {
 public:
  void add(std::span<const std::byte> bytes);

  // 64 lower-case hexadecimal digits. The object is used up.
  std::string finish();

 private:
  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> pending_{};  // The first size_ % 64 bytes of the next block.
  uint64_t size_ = 0;
};

std::string sha256(std::span<const std::byte> bytes);

// What `sha256sum` prints for the file, read in small pieces. BadInput when it cannot be read.
Result<std::string> sha256_file(const std::filesystem::path& path);

// FNV-1a, 64 bit: quick and the same on every machine, for seeds and cache keys. Not against
// malice.
uint64_t hash64(std::string_view text);

}  // namespace hone
