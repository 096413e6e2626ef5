#include "hone/base/cpu_share.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <cmath>
#include <fstream>
#include <thread>

namespace hone {
namespace {

namespace fs = std::filesystem;

TEST(CpuShare, ReadsQuotas) {
  EXPECT_EQ(parse_cpu_quota("200000 100000"), 2);
  EXPECT_EQ(parse_cpu_quota("50000 100000\n"), 0.5);
  for (const char* none : {"max 100000", "-1 100000", "0 100000", "100000 0", "100000", "", " "}) {
    EXPECT_TRUE(std::isinf(parse_cpu_quota(none))) << none;
  }
}

TEST(CpuShare, IsWhatAffinityAndQuotaLeave) {
  CpuShare share = {.machine = 8, .cpus = {0, 1, 2, 3, 6}};
  EXPECT_EQ(share.threads(), 5);
  EXPECT_FALSE(share.whole());
  EXPECT_EQ(share.list(), "0-3,6");
  share.quota = 1.5;
  EXPECT_EQ(share.threads(), 2);
  share.quota = 0.1;
  EXPECT_EQ(share.threads(), 1);
  EXPECT_EQ((CpuShare{.machine = 8}).threads(), 8);
  EXPECT_TRUE((CpuShare{.machine = 8}).whole());
  EXPECT_EQ((CpuShare{.machine = 8, .cpus = {3}}).list(), "3");
}

TEST(CpuShare, FollowsTheAffinityOfTheThread) {
  CpuShare narrow;
  int kept = -1;
  std::thread([&] {
    kept = read_cpu_share().cpus.front();
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<size_t>(kept), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    narrow = read_cpu_share();
  }).join();
  EXPECT_EQ(narrow.cpus, std::vector<int>{kept});
  EXPECT_EQ(narrow.threads(), 1);
}

// A folder with made-up /proc and /sys files, gone when the test is over.
class CpuShareOfGroups : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(root_); }
  void TearDown() override { fs::remove_all(root_); }

  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  double quota() const { return read_cpu_share(root_).quota; }

  const fs::path root_ = fs::path(testing::TempDir()) / "hone_cpu_share";
};

TEST_F(CpuShareOfGroups, TakesTheLeastQuotaOnTheWayUp) {
  EXPECT_TRUE(std::isinf(quota()));
  write("proc/self/cgroup", "0::/outer/inner\n");
  write("sys/fs/cgroup/outer/cpu.max", "150000 100000\n");
  write("sys/fs/cgroup/outer/inner/cpu.max", "max 100000\n");
  EXPECT_EQ(quota(), 1.5);
}

TEST_F(CpuShareOfGroups, ReadsTheFirstVersionToo) {
  write("proc/self/cgroup", "9:cpuset:/no\n4:cpu,cpuacct:/jobs\n");
  write("sys/fs/cgroup/cpu/jobs/cpu.cfs_quota_us", "300000\n");
  write("sys/fs/cgroup/cpu/jobs/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 3);
}

}  // namespace
}  // namespace hone
