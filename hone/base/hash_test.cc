#include "hone/base/hash.h"

#include <gtest/gtest.h>

#include <fstream>

namespace hone {
namespace {

// Writes the text to a file and hashes that.
std::string sha256_of(std::string_view text) {
  const std::string path = testing::TempDir() + "hone_hash_test";
  std::ofstream(path) << text;
  return *sha256_file(path);
}

// The examples of FIPS 180-4; the last is longer than what is read at a time.
TEST(Sha256, MatchesTheStandardsExamples) {
  EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_of(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, FilesThatCannotBeReadAreBadInput) {
  const std::string absent = testing::TempDir() + "hone_hash_test_absent";
  EXPECT_EQ(sha256_file(absent).error().message, absent + ": No such file or directory");
  EXPECT_EQ(sha256_file(testing::TempDir()).error().kind, ErrorKind::BadInput);
}

TEST(Hash64, IsFnv1a) {
  EXPECT_EQ(hash64(""), 0xcbf29ce484222325u);
  EXPECT_EQ(hash64("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(hash64("foobar"), 0x85944171f73967e8u);
}

}  // namespace
}  // namespace hone
