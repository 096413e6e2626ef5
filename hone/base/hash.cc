#include "hone/base/hash.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <span>
#include <vector>

namespace hone {
namespace {

struct FreeDigest {
  void operator()(EVP_MD_CTX* digest) const { EVP_MD_CTX_free(digest); }
};
using Digest = std::unique_ptr<EVP_MD_CTX, FreeDigest>;

std::string hex(std::span<const unsigned char> bytes) {
  std::string digits;
  for (const unsigned char byte : bytes) digits += fmt::format("{:02x}", byte);
  return digits;
}

}  // namespace

Result<std::string> sha256_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return bad_input(path.string(), ": ", std::strerror(errno));
  const Digest digest(EVP_MD_CTX_new());
  bool works = digest && EVP_DigestInit_ex(digest.get(), EVP_sha256(), nullptr) == 1;
  std::vector<char> buffer(size_t{1} << 18);
  while (in && works) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    works = EVP_DigestUpdate(digest.get(), buffer.data(), static_cast<size_t>(in.gcount())) == 1;
  }
  std::array<unsigned char, 32> result;
  works = works && EVP_DigestFinal_ex(digest.get(), result.data(), nullptr) == 1;
  if (!works) return out_of_resource("libcrypto does not compute SHA-256");
  if (!in.eof()) return bad_input(path.string(), ": read failed");
  return hex(result);
}

uint64_t hash64(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace hone
