#include "hone/profile/host_device.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "hone/base/file.h"
#include "hone/device/machine.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// A cache folder of the test's own.
class HostDevice : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(cache_);
    setenv("XDG_CACHE_HOME", cache_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("XDG_CACHE_HOME");
    fs::remove_all(cache_);
  }

  static DeviceFile this_machine() {
    return {.name = cpu_info().name,
            .kind = "cpu",
            .threads = 2,
            .cpus = "0-1",
            .kernels = {{.kind = "product", .precision = "fp32", .of_roof = 0.75}}};
  }
  std::string error_after(const DeviceFile& device) const {
    const Status status = write_device_file(device, path_);
    EXPECT_TRUE(status.ok());
    const auto loaded = load_host_device(share_, kNoFeature);
    return loaded.ok() ? "no error" : loaded.error().message;
  }

  const CpuShare share_ = {.machine = 2, .cpus = {0, 1}};
  const fs::path cache_ = fs::path(testing::TempDir()) / "hone_host_device";
  const fs::path path_ = cache_ / "hone/device/host.toml";
};

TEST_F(HostDevice, IsTheCachedOneIfItIsOfThisMachine) {
  EXPECT_EQ(*host_device_path(share_, kNoFeature), path_);
  EXPECT_EQ(error_after(this_machine()), "no error");
  EXPECT_EQ(load_host_device(share_, kNoFeature)->name, cpu_info().name);
  EXPECT_EQ(why_host_device_unused(share_, kNoFeature), "");
}

TEST_F(HostDevice, SaysWhyNotOtherwise) {
  const auto missing = load_host_device(share_, kNoFeature);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().message, "the roofs of this machine are not known");
  EXPECT_EQ(why_host_device_unused(share_, kNoFeature), "");
  DeviceFile other = this_machine();
  other.name = "Abacus";
  EXPECT_EQ(error_after(other),
            str(path_.string(), " is of 'Abacus', this machine is '", cpu_info().name, "'"));
  DeviceFile wider = this_machine();
  wider.threads += 1;
  EXPECT_EQ(error_after(wider), str(path_.string(), " is of 3 threads, this process may run 2"));
  ASSERT_TRUE(write_file(path_, "schema_version = 99").ok());
  EXPECT_TRUE(load_host_device(share_, kNoFeature).error().message.ends_with("reads"));
}

TEST_F(HostDevice, HoldsForTheCpusItWasMeasuredOn) {
  DeviceFile elsewhere = this_machine();
  elsewhere.cpus = "2-3";
  const std::string why = str(path_.string(), " is of CPUs 2-3, this process may use 0-1");
  EXPECT_EQ(error_after(elsewhere), why);
  EXPECT_EQ(why_host_device_unused(share_, kNoFeature), why);
  DeviceFile older = this_machine();
  older.cpus = "";
  EXPECT_EQ(error_after(older), str(path_.string(), " does not say of which CPUs it is"));
  older = this_machine();
  older.kernels.clear();
  EXPECT_EQ(error_after(older),
            str(path_.string(), " does not say what kernels reach of the roofs"));
  older = this_machine();  // It has caches, and nothing on kernels that stream through them.
  older.memory = {{.name = "L1", .bytes = 1 << 16}, {.name = "L2", .bytes = 1 << 20}};
  EXPECT_EQ(error_after(older),
            str(path_.string(), " does not say what kernels reach of the roofs"));
}

TEST_F(HostDevice, APartOfTheMachineHasAFileOfItsOwn) {
  ASSERT_EQ(error_after(this_machine()), "no error");
  const CpuShare part = {.machine = 2, .cpus = {1}};
  EXPECT_EQ(*host_device_path(part, kNoFeature), cache_ / "hone/device/host_1.toml");
  EXPECT_FALSE(load_host_device(part, kNoFeature).ok());
  EXPECT_EQ(why_host_device_unused(part, kNoFeature),
            str(path_.string(), " is of 2 threads, this process may run 1"));
  DeviceFile narrow = this_machine();
  narrow.threads = 1;
  narrow.cpus = "1";
  ASSERT_TRUE(write_device_file(narrow, *host_device_path(part, kNoFeature)).ok());
  EXPECT_TRUE(load_host_device(part, kNoFeature).ok());
  EXPECT_TRUE(load_host_device(share_, kNoFeature).ok());
  EXPECT_FALSE(load_host_device({.machine = 2, .cpus = {0}}, kNoFeature).ok());
}

TEST_F(HostDevice, OfFewerFeaturesHasAFileOfItsOwn) {
  ASSERT_EQ(error_after(this_machine()), "no error");
  constexpr CpuFeatures kTaken = kBf16 | kI8mm;
  const fs::path beside = *host_device_path(share_, kTaken);
  EXPECT_EQ(beside, cache_ / "hone/device/host_without_i8mm+bf16.toml");
  EXPECT_FALSE(load_host_device(share_, kTaken).ok());
  EXPECT_EQ(why_host_device_unused(share_, kTaken),
            str(path_.string(),
                " was measured with all features of the CPU, this process runs without i8mm bf16"));
  DeviceFile fewer = this_machine();
  fewer.without = "i8mm bf16";
  ASSERT_TRUE(write_device_file(fewer, beside).ok());
  EXPECT_EQ(load_host_device(share_, kTaken)->without, "i8mm bf16");
  EXPECT_TRUE(load_host_device(share_, kNoFeature)->without.empty());
  EXPECT_EQ(error_after(fewer), str(path_.string(),
                                    " was measured without i8mm bf16, this process "
                                    "runs with all features of the CPU"));
}

TEST_F(HostDevice, IsBelowTheHomeFolderWithoutACacheFolder) {
  setenv("XDG_CACHE_HOME", "not/absolute", 1);
  const char* home = std::getenv("HOME");
  const std::string kept = home == nullptr ? "" : home;
  setenv("HOME", "/home/somebody", 1);
  EXPECT_EQ(*host_device_path(share_, kNoFeature), "/home/somebody/.cache/hone/device/host.toml");
  unsetenv("HOME");
  EXPECT_EQ(host_device_path().error().kind, ErrorKind::Resource);
  if (home != nullptr) setenv("HOME", kept.c_str(), 1);
}

}  // namespace
}  // namespace hone
