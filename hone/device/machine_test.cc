#include "hone/device/machine.h"

#include <gtest/gtest.h>

#include <fstream>

#include "hone/base/cpu_share.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// A folder with made-up /proc and /sys files, gone when the test is over.
class FakeRoot {
 public:
  FakeRoot() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = fs::path(testing::TempDir()) / (std::string("hone_machine_") + test->name());
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~FakeRoot() { fs::remove_all(path_); }

  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories((path_ / file).parent_path());
    std::ofstream(path_ / file) << text;
  }

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

TEST(Machine, NamesArmCoresByPartNumber) {
  FakeRoot root;
  root.write("proc/cpuinfo",
             "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd05\n\n"
             "processor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xd0b\n\n"
             "processor\t: 2\nCPU implementer\t: 0x77\nCPU part\t: 0x001\n");
  EXPECT_EQ(cpu_info(root.path()).name,
            "Cortex-A55 + Cortex-A76 + Arm implementer 0x77 part 0x001");
}

TEST(Machine, NamesX86ByItsModelName) {
  FakeRoot root;
  root.write("proc/cpuinfo", "model\t\t: 143\nmodel name\t: Intel(R) Xeon(R) 8480\n");
  EXPECT_EQ(cpu_info(root.path()).name, "Intel(R) Xeon(R) 8480");
}

TEST(Machine, ReadsCachesAndCountsCoresNotThreads) {
  FakeRoot root;
  const fs::path cpus = "sys/devices/system/cpu";
  root.write(cpus / "cpu0/topology/thread_siblings_list", "0,2\n");
  root.write(cpus / "cpu1/topology/thread_siblings_list", "1\n");
  root.write(cpus / "cpu2/topology/thread_siblings_list", "0,2\n");
  root.write(cpus / "cpufreq/ignored", "");
  root.write(cpus / "cpu0/cache/index1/level", "2\n");
  root.write(cpus / "cpu0/cache/index1/size", "32M\n");
  root.write(cpus / "cpu0/cache/index0/level", "1\n");
  root.write(cpus / "cpu0/cache/index0/type", "Data\n");
  root.write(cpus / "cpu0/cache/index0/size", "48K\n");
  root.write(cpus / "cpu0/cache/index0/coherency_line_size", "64\n");
  root.write(cpus / "cpu0/cache/index0/ways_of_associativity", "12\n");
  const CpuInfo cpu = cpu_info(root.path());
  EXPECT_EQ(cpu.cores, 2);
  ASSERT_EQ(cpu.caches.size(), 2u);
  EXPECT_EQ(cpu.caches[0].bytes, 48u << 10);
  EXPECT_EQ(cpu.caches[0].line_bytes, 64);
  EXPECT_EQ(cpu.caches[0].ways, 12);
  EXPECT_EQ(cpu.caches[1].ways, 0);
  EXPECT_EQ(cpu.caches[1].bytes, 32u << 20);
}

TEST(Machine, TheSecondLevelCacheHasASensibleSize) {
  EXPECT_GE(second_level_cache_bytes(), 256u << 10);
  EXPECT_LE(second_level_cache_bytes(), 2u << 20);
}

TEST(Machine, SurvivesAMachineThatTellsNothing) {
  FakeRoot root;
  EXPECT_EQ(cpu_info(root.path()).name, "unknown CPU");
  EXPECT_EQ(cpu_info(root.path()).cores, cpu_share().machine);
  EXPECT_EQ(memory_info(root.path()).total_bytes, 0u);
}

TEST(Machine, MemoryIsTheMachinesWithoutALimit) {
  FakeRoot root;
  root.write("proc/meminfo", "MemTotal: 4096 kB\nMemFree: 10 kB\nMemAvailable: 1024 kB\n");
  root.write("sys/fs/cgroup/memory.max", "max\n");
  const MemoryInfo memory = memory_info(root.path());
  EXPECT_EQ(memory.total_bytes, 4096u << 10);
  EXPECT_EQ(memory.available_bytes, 1024u << 10);
  EXPECT_FALSE(memory.limited);
}

TEST(Machine, MemoryIsCutByALimitOnAGroupAbove) {
  FakeRoot root;
  root.write("proc/meminfo", "MemTotal: 4096 kB\nMemAvailable: 4000 kB\n");
  root.write("proc/self/cgroup", "0::/pod/app\n");
  root.write("sys/fs/cgroup/pod/app/memory.max", "max\n");
  root.write("sys/fs/cgroup/pod/memory.max", "1048576\n");
  root.write("sys/fs/cgroup/pod/memory.current", "524288\n");
  root.write("sys/fs/cgroup/pod/memory.stat", "anon 1\ninactive_file 262144\n");
  const MemoryInfo memory = memory_info(root.path());
  EXPECT_EQ(memory.total_bytes, 1048576u);
  EXPECT_EQ(memory.available_bytes, 786432u);
  EXPECT_TRUE(memory.limited);
}

TEST(Machine, MemoryIsCutByAnOldStyleLimit) {
  FakeRoot root;
  root.write("proc/meminfo", "MemTotal: 4096 kB\nMemAvailable: 4000 kB\n");
  root.write("proc/self/cgroup", "4:memory:/box\n0::/\n");
  root.write("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "2097152\n");
  root.write("sys/fs/cgroup/memory/box/memory.usage_in_bytes", "97152\n");
  EXPECT_EQ(memory_info(root.path()).available_bytes, 2000000u);
}

TEST(Machine, ThisOneHasACpuAndMemory) {
  const CpuInfo cpu = cpu_info();
  EXPECT_FALSE(cpu.name.empty());
  EXPECT_GE(cpu.cores, 1);
  EXPECT_GE(cpu.threads, 1);
  const MemoryInfo memory = memory_info();
  EXPECT_GT(memory.total_bytes, 0u);
  EXPECT_LE(memory.available_bytes, memory.total_bytes);
}

}  // namespace
}  // namespace hone
