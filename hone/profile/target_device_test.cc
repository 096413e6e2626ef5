#include "hone/profile/target_device.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace hone {
namespace {

namespace fs = std::filesystem;

TargetDef card() {
  return {.name = "card",
          .summary = "",
          .mode = Mode::Measured,
          .open = {},
          .here = [] { return Support::yes(); },
          .device = [] { return std::string("Some Card 2"); },
          .driver = [] { return std::string("CUDA 13.0"); },
          .measure_roofs = [](const RoofProgress&) -> Result<DeviceFile> {
            return DeviceFile{.name = "Some Card 2", .kind = "gpu", .driver = "CUDA 13.0"};
          }};
}

// A cache folder of the test's own.
class TargetDevice : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(cache_);
    setenv("XDG_CACHE_HOME", cache_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("XDG_CACHE_HOME");
    fs::remove_all(cache_);
  }
  std::string error_after(const DeviceFile& device) const {
    const Status written = write_device_file(device, path_);
    EXPECT_TRUE(written.ok());
    const auto loaded = load_target_device(card());
    return loaded.ok() ? "no error" : loaded.error().message;
  }

  const fs::path cache_ = fs::path(testing::TempDir()) / "hone_target_device";
  const fs::path path_ = cache_ / "hone/device/some_card_2_cuda_13_0.toml";
};

TEST_F(TargetDevice, IsKeptByDeviceAndDriver) {
  EXPECT_EQ(*target_device_path(card()), path_);
  DeviceFile device = *card().measure_roofs({});
  EXPECT_EQ(error_after(device), "no error");
  device.driver = "CUDA 12.4";
  EXPECT_EQ(error_after(device), str(path_.string(),
                                     " is of Some Card 2 with CUDA 12.4, here is Some Card 2 with "
                                     "CUDA 13.0"));
}

TEST_F(TargetDevice, IsNotKnownBeforeItWasMeasured) {
  const auto loaded = load_target_device(card());
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().message, "the roofs of Some Card 2 are not known");
}

TEST_F(TargetDevice, IsOnlyOfTargetsThatCanBeMeasured) {
  TargetDef other = card();
  other.measure_roofs = nullptr;
  EXPECT_EQ(target_device_path(other).error().kind, ErrorKind::Unsupported);
  TargetDef absent = card();
  absent.here = [] { return Support::no("no driver"); };
  EXPECT_EQ(target_device_path(absent).error().message, "target card is not here: no driver");
}

}  // namespace
}  // namespace hone
