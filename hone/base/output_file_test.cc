#include "hone/base/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <vector>

#include "hone/base/file.h"
#include "hone/base/temporaries.h"
#include "hone/base/temporary_folder.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "hone_output_XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string read(const fs::path& path) {
    const Result<SharedBytes> file = read_file(path);
    if (!file.ok()) return file.error().message;
    return {reinterpret_cast<const char*>(file->bytes.data()), file->bytes.size()};
  }
  static mode_t mode_of(const fs::path& path) {
    struct stat about = {};
    EXPECT_EQ(::stat(path.c_str(), &about), 0);
    return about.st_mode & 07777;
  }
  size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }

  fs::path folder_;
};

TEST_F(OutputFileTest, WritesAndReplaces) {
  const fs::path path = folder_ / "a";
  ASSERT_TRUE(write_file(path, "one").ok());
  ASSERT_TRUE(write_file(path, "two").ok());
  EXPECT_EQ(read(path), "two");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFileTest, WhatIsNotCommittedLeavesTheOldFile) {
  const fs::path path = folder_ / "a";
  ASSERT_TRUE(write_file(path, "one").ok());
  {
    Result<OutputFile> file = OutputFile::open(path);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->write("two").ok());
    ASSERT_TRUE(file->finish().ok());
    EXPECT_EQ(files(), 2u);
  }
  EXPECT_EQ(read(path), "one");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFileTest, ASignalsHandlerRemovesWhatIsUnfinished) {
  Result<OutputFile> file = OutputFile::open(folder_ / "a");
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->write("text").ok());
  ASSERT_TRUE(file->finish().ok());
  EXPECT_EQ(files(), 1u);
  remove_temporaries();
  EXPECT_EQ(files(), 0u);
  EXPECT_FALSE(file->commit().ok());
  ASSERT_TRUE(write_file(folder_ / "b", "text").ok());
  remove_temporaries();
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFileTest, NothingIsLeftWhenTheProgramIsKilled) {
  const int nameless = ::open(folder_.c_str(), O_TMPFILE | O_WRONLY, 0600);
  if (nameless < 0) GTEST_SKIP() << "the file system has no files without names";
  ::close(nameless);
  ASSERT_TRUE(write_file(folder_ / "old", "one").ok());
  const pid_t child = ::fork();
  if (child == 0) {
    Result<OutputFile> old = OutputFile::open(folder_ / "old");
    Result<OutputFile> fresh = OutputFile::open(folder_ / "new");
    const bool written = old.ok() && old->write("two").ok() && fresh.ok() && fresh->write("x").ok();
    if (written) ::raise(SIGKILL);
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(read(folder_ / "old"), "one");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFileTest, AFolderIsRemovedByASignalsHandlerToo) {
  ::setenv("TMPDIR", folder_.c_str(), 1);
  const Result<TemporaryFolder> folder = TemporaryFolder::make("some");
  ::unsetenv("TMPDIR");
  ASSERT_TRUE(folder.ok()) << folder.error().message;
  EXPECT_TRUE(folder->path().filename().string().starts_with("some_"));
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(
        write_file(folder->path() / ("a_file_with_a_long_name_" + std::to_string(i)), "x").ok());
  }
  const std::filesystem::path inner = folder->path() / "inner" / "innermost";
  std::filesystem::create_directories(inner);
  ASSERT_TRUE(write_file(inner / "file", "x").ok());
  remove_temporaries();
  EXPECT_EQ(files(), 0u);
}

TEST_F(OutputFileTest, AFullDeviceIsAResourceError) {
  const Status status = write_file("/dev/full", "text");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::Resource);
  EXPECT_EQ(status.error().message, "/dev/full: cannot be written: No space left on device");
}

TEST_F(OutputFileTest, AFullDiskLeavesTheOldFile) {
  const fs::path disk = folder_ / "disk";
  fs::create_directory(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=64k") != 0) {
    GTEST_SKIP() << "a file system cannot be mounted here";
  }
  const Status first = write_file(disk / "a", "one");
  const Status second = write_file(disk / "a", std::string(1 << 20, 'x'));
  const std::string left = read(disk / "a");
  const auto entries = std::distance(fs::directory_iterator(disk), {});
  ::umount(disk.c_str());
  EXPECT_TRUE(first.ok());
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().kind, ErrorKind::Resource);
  EXPECT_EQ(left, "one");
  EXPECT_EQ(entries, 1);
}

TEST_F(OutputFileTest, AFolderThatCannotBeFilledGoesWithWhatWasMadeForIt) {
  const fs::path there = folder_ / "there";
  const auto fill = [&](const fs::path& folder, bool fails) {
    return write_folder(folder, [&]() -> Status {
      HONE_RETURN_IF_ERROR(write_file(folder / "first", "1"));
      return fails ? Status(out_of_resource("no room")) : Status(Done{});
    });
  };
  EXPECT_EQ(fill(there / "new", true).error().message, "no room");
  EXPECT_FALSE(fs::exists(there));
  ASSERT_TRUE(fill(there / "new", false).ok());
  EXPECT_EQ(read(there / "new" / "first"), "1");
  // What was there stays; a folder beside it does not.
  EXPECT_FALSE(fill(there / "new", true).ok());
  EXPECT_TRUE(fs::exists(there / "new" / "first"));
  EXPECT_FALSE(fill(there / "other" / "one", true).ok());
  EXPECT_FALSE(fs::exists(there / "other"));
  EXPECT_TRUE(fs::exists(there / "new"));
}

TEST_F(OutputFileTest, FoldersThatCannotTakeItAreResourceErrors) {
  const Status missing = write_file(folder_ / "none" / "a", "text");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().kind, ErrorKind::Resource);
  const Status folder = write_file(folder_, "text");
  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.error().kind, ErrorKind::Resource);
  ASSERT_TRUE(write_file(folder_ / "plain", "text").ok());
  const Status below = make_folder(folder_ / "plain" / "below");
  ASSERT_FALSE(below.ok());
  EXPECT_EQ(below.error().kind, ErrorKind::Resource);
}

TEST_F(OutputFileTest, LinksStayAndTheirTargetsAreReplaced) {
  ASSERT_TRUE(write_file(folder_ / "target", "one").ok());
  fs::create_symlink("target", folder_ / "link");
  fs::create_symlink("link", folder_ / "link_to_link");
  ASSERT_TRUE(write_file(folder_ / "link_to_link", "two").ok());
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link_to_link"));
  EXPECT_EQ(read(folder_ / "target"), "two");
  // One that leads nowhere yet.
  fs::create_symlink("new", folder_ / "dangling");
  ASSERT_TRUE(write_file(folder_ / "dangling", "three").ok());
  EXPECT_TRUE(fs::is_symlink(folder_ / "dangling"));
  EXPECT_EQ(read(folder_ / "new"), "three");
}

TEST_F(OutputFileTest, APlantedLinkIsNotFollowed) {
  ASSERT_TRUE(write_file(folder_ / "secret", "kept").ok());
  fs::create_symlink("secret", folder_ / "a.part");
  ASSERT_TRUE(write_file(folder_ / "a", "text").ok());
  EXPECT_EQ(read(folder_ / "secret"), "kept");
  EXPECT_EQ(read(folder_ / "a"), "text");
}

TEST_F(OutputFileTest, PermissionsAreKeptAndNewFilesHaveThoseOfTheUmask) {
  const mode_t old = ::umask(027);
  ASSERT_TRUE(write_file(folder_ / "new", "text").ok());
  ASSERT_TRUE(write_file(folder_ / "open", "text").ok());
  ::chmod((folder_ / "open").c_str(), 0666);
  ASSERT_TRUE(write_file(folder_ / "open", "other").ok());
  ::umask(old);
  EXPECT_EQ(mode_of(folder_ / "new"), 0640u);
  EXPECT_EQ(mode_of(folder_ / "open"), 0666u);
}

TEST_F(OutputFileTest, AFileThatMayNotBeWrittenIsLeftAlone) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everything";
  ASSERT_TRUE(write_file(folder_ / "a", "one").ok());
  ::chmod((folder_ / "a").c_str(), 0444);
  EXPECT_FALSE(write_file(folder_ / "a", "two").ok());
  EXPECT_EQ(read(folder_ / "a"), "one");
}

TEST_F(OutputFileTest, PipesAreWrittenThrough) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  EXPECT_TRUE(write_file(pipe, "text").ok());
  char text[8] = {};
  EXPECT_EQ(::read(reader, text, sizeof(text)), 4);
  ::close(reader);
  EXPECT_STREQ(text, "text");
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_TRUE(write_file("/dev/null", "text").ok());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

// /dev/stdout leads there: what was written before stays, though it is a plain file.
TEST_F(OutputFileTest, OpenFilesAreContinued) {
  const int file = ::open((folder_ / "out").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(::write(file, "one ", 4), 4);
  EXPECT_TRUE(write_file("/dev/fd/" + std::to_string(file), "two ").ok());
  ASSERT_EQ(::write(file, "three", 5), 5);
  ::close(file);
  EXPECT_EQ(read(folder_ / "out"), "one two three");
  EXPECT_EQ(files(), 1u);
  EXPECT_FALSE(write_file("/dev/fd/987654", "text").ok());
}

TEST_F(OutputFileTest, ConcurrentWritersAllSucceed) {
  const fs::path path = folder_ / "shared";
  std::atomic<int> failed = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      const std::string text(10'000, static_cast<char>('a' + t));
      for (int i = 0; i < 30; ++i) failed += write_file(path, text).ok() ? 0 : 1;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  const std::string text = read(path);
  EXPECT_EQ(text, std::string(10'000, text[0]));
  EXPECT_EQ(files(), 1u);
}

}  // namespace
}  // namespace hone
