#include "hone/base/hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "hone/base/sha256_blocks.h"

namespace hone {
void Sha256::add(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const size_t filled = size_ % 64;
    if (const size_t blocks = bytes.size() / 64; filled == 0 && blocks > 0) {
      sha256_blocks(state_, bytes.data(), blocks);
      size_ += 64 * blocks;
      bytes = bytes.subspan(64 * blocks);
      continue;
    }
    const size_t taken = std::min(64 - filled, bytes.size());
    std::copy_n(bytes.begin(), taken, pending_.begin() + static_cast<ptrdiff_t>(filled));
    size_ += taken;
    bytes = bytes.subspan(taken);
    if (size_ % 64 == 0) sha256_blocks(state_, pending_.data(), 1);
  }
}

std::string Sha256::finish() {
  // A one bit, zeros, and the number of bits as 64-bit big endian, up to a whole block.
  const uint64_t bits = 8 * size_;
  const size_t filled = size_ % 64;
  std::vector<std::byte> tail(filled < 56 ? 64 - filled : 128 - filled);
  tail[0] = std::byte{0x80};
  for (size_t i = 0; i < 8; ++i)
    tail[tail.size() - 1 - i] = static_cast<std::byte>(bits >> (8 * i));
  add(tail);

  std::string hex;
  for (const uint32_t word : state_) hex += fmt::format("{:08x}", word);
  return hex;
}

std::string sha256(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.finish();
}

Result<std::string> sha256_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return bad_input(path.string(), ": ", std::strerror(errno));
  Sha256 hash;
  std::vector<char> buffer(size_t{1} << 18);
  while (in) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    hash.add(std::as_bytes(std::span(buffer)).first(static_cast<size_t>(in.gcount())));
  }
  if (!in.eof()) return bad_input(path.string(), ": read failed");
  return hash.finish();
}

uint64_t hash64(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace hone
