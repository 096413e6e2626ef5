#include "hone/cuda/kernels.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "hone/cuda/compiler.h"

namespace hone::cuda {
namespace {

namespace fs = std::filesystem;

class CodeCacheTest : public testing::Test {
 protected:
  CodeCacheTest() : folder_(fs::temp_directory_path() / "code_cache_test") {
    fs::remove_all(folder_);
  }
  ~CodeCacheTest() override { fs::remove_all(folder_); }

  fs::path only_file() const { return fs::directory_iterator(folder_)->path(); }

  fs::path folder_;
};

TEST_F(CodeCacheTest, GivesBackWhatItKept) {
  const CodeCache cache(folder_.string());
  EXPECT_EQ(cache.find("key"), "");
  cache.keep("key", std::string("co\0de\n", 6));
  EXPECT_EQ(cache.find("key"), std::string("co\0de\n", 6));
  EXPECT_EQ(cache.find("another key"), "");
}

TEST_F(CodeCacheTest, TakesDamagedCodeForNone) {
  const CodeCache cache(folder_.string());
  cache.keep("key", "some code");
  const auto whole = fs::file_size(only_file());
  for (uintmax_t bytes = 0; bytes < whole; ++bytes) {
    cache.keep("key", "some code");
    fs::resize_file(only_file(), bytes);
    EXPECT_EQ(cache.find("key"), "") << bytes;
  }
  cache.keep("key", "some code");
  std::ofstream(only_file(), std::ios::app) << "more";
  EXPECT_EQ(cache.find("key"), "");
}

TEST_F(CodeCacheTest, LosesWhatWasNotFoundForLongest) {
  const CodeCache cache(folder_.string());
  const std::string code(1000, 'c');
  for (const char* key : {"first", "second", "third"}) cache.keep(key, code);
  std::ofstream(folder_ / "notes.txt") << "not the cache's";
  cache.trim(4000);
  for (const char* key : {"first", "second", "third"}) EXPECT_EQ(cache.find(key), code) << key;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    fs::last_write_time(entry.path(), fs::file_time_type::clock::now() - std::chrono::hours(1));
  }
  EXPECT_EQ(cache.find("second"), code);
  cache.trim(1500);
  EXPECT_EQ(cache.find("first"), "");
  EXPECT_EQ(cache.find("second"), code);
  EXPECT_EQ(cache.find("third"), "");
  EXPECT_TRUE(fs::exists(folder_ / "notes.txt"));
}

TEST_F(CodeCacheTest, DoesWithoutAFolderItCannotWrite) {
  const CodeCache cache("/proc/no/such/folder");
  cache.keep("key", "code");
  EXPECT_EQ(cache.find("key"), "");
}

TEST(Compiler, NamesArchitectures) {
  EXPECT_EQ(architecture_name(7, 5), "sm_75");
  EXPECT_EQ(architecture_name(8, 9), "sm_89");
  EXPECT_EQ(architecture_name(9, 0), "sm_90a");
}

TEST(Compiler, TellsTheFirstErrorOfASource) {
  if (const Status here = find_compiler(); !here.ok()) GTEST_SKIP() << here.error().message;
  const auto code =
      compile_source("sums", "extern \"C\" __global__ void f() {\n  int x = y;\n}\n", "sm_80");
  ASSERT_FALSE(code.ok());
  EXPECT_EQ(code.error().kind, ErrorKind::Unsupported);
  EXPECT_NE(code.error().message.find("sums"), std::string::npos) << code.error().message;
  EXPECT_NE(code.error().message.find("\"y\""), std::string::npos) << code.error().message;
  EXPECT_TRUE(compile_source("sums", "extern \"C\" __global__ void f() {}\n", "sm_80").ok());
}

}  // namespace
}  // namespace hone::cuda
