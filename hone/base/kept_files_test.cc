#include "hone/base/kept_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

#include "hone/base/file.h"
#include "hone/base/str.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

TEST(KeptFiles, AreThoseThatWereWrittenToTheirEndAndAreStillThere) {
  const fs::path folder = fs::temp_directory_path() / str("hone_kept_", getpid());
  fs::create_directories(folder);
  for (const char* name : {"first.json", "gone.json", "first.json", "odd\x1bname"}) {
    ASSERT_TRUE(write_file(folder / name, "text").ok());
  }
  fs::remove(folder / "gone.json");
  testing::internal::CaptureStderr();
  tell_kept_files();
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(told.starts_with("hone: interrupted; kept: ")) << told;
  EXPECT_TRUE(told.ends_with(str(folder.string(), "/first.json, ", folder.string(), "/odd?name\n")))
      << told;
  EXPECT_EQ(told.find("gone.json"), told.npos) << told;
  fs::remove_all(folder);
}

}  // namespace
}  // namespace hone
