#include "hone/base/hash.h"

#include <gtest/gtest.h>

#include <fstream>
#include <vector>

#include "hone/base/sha256_blocks.h"

namespace hone {
namespace {

std::string sha256_of(std::string_view text) {
  return sha256(std::as_bytes(std::span(text)));
}

// The examples of FIPS 180-4.
TEST(Sha256, MatchesTheStandardsExamples) {
  EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_of(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, SpecialInstructionsGiveWhatPlainCodeGives) {
  std::vector<std::byte> bytes(64 * 9);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * i + 7 * i);
  for (size_t count = 0; count <= 9; ++count) {
    Sha256State fast = {1, 2, 3, 4, 5, 6, 7, 0xffffffff};
    Sha256State plain = fast;
    sha256_blocks(fast, bytes.data(), count);
    sha256_blocks_ref(plain, bytes.data(), count);
    EXPECT_EQ(fast, plain) << count << " blocks";
  }
}

TEST(Sha256, PiecesDoNotMatter) {
  const std::string text(300, 'x');
  const auto bytes = std::as_bytes(std::span(text));
  for (size_t piece = 1; piece < 150; ++piece) {
    Sha256 hash;
    for (size_t i = 0; i < bytes.size(); i += piece) {
      hash.add(bytes.subspan(i, std::min(piece, bytes.size() - i)));
    }
    EXPECT_EQ(hash.finish(), sha256_of(text)) << piece;
  }
}

TEST(Sha256, FileHasTheHashOfItsBytes) {
  const std::string path = testing::TempDir() + "hone_hash_test";
  const std::string text(700'000, 'q');
  std::ofstream(path) << text;
  EXPECT_EQ(*sha256_file(path), sha256_of(text));
  EXPECT_EQ(sha256_file(path + "_absent").error().message,
            path + "_absent: No such file or directory");
  EXPECT_EQ(sha256_file(testing::TempDir()).error().kind, ErrorKind::BadInput);
}

TEST(Hash64, IsFnv1a) {
  EXPECT_EQ(hash64(""), 0xcbf29ce484222325u);
  EXPECT_EQ(hash64("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(hash64("foobar"), 0x85944171f73967e8u);
}

}  // namespace
}  // namespace hone
