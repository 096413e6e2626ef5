#include "hone/profile/energy.h"

#include <gtest/gtest.h>

#include <fstream>

namespace hone {
namespace {

namespace fs = std::filesystem;

// A /sys with one processor package and one power rail.
class EnergyMetersTest : public testing::Test {
 protected:
  EnergyMetersTest() : root_(fs::temp_directory_path() / "hone_energy_test") {
    fs::remove_all(root_);
    write("sys/class/powercap/intel-rapl:0/name", "package-0");
    write("sys/class/powercap/intel-rapl:0/energy_uj", "1000000");
    write("sys/class/powercap/intel-rapl:0/max_energy_range_uj", "5000000");
    write("sys/class/hwmon/hwmon0/name", "ina3221");
    write("sys/class/hwmon/hwmon0/power1_input", "2000000");
  }
  ~EnergyMetersTest() override { fs::remove_all(root_); }

  void write(const std::string& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text << "\n";
  }

  fs::path root_;
};

TEST_F(EnergyMetersTest, CountersAreDifferencesAndRailsArePowerTimesTime) {
  EnergyMeters meters(root_);
  ASSERT_TRUE(meters.any());
  meters.start();
  write("sys/class/powercap/intel-rapl:0/energy_uj", "4500000");
  const std::vector<Metric> metrics = meters.stop(2);
  const Metric* package = find_metric(metrics, "energy package-0");
  const Metric* rail = find_metric(metrics, "energy ina3221");
  ASSERT_NE(package, nullptr);
  ASSERT_NE(rail, nullptr);
  EXPECT_DOUBLE_EQ(*package->value, 3.5);
  EXPECT_DOUBLE_EQ(*rail->value, 4);
}

TEST_F(EnergyMetersTest, ACounterThatWrapsAroundGoesOn) {
  EnergyMeters meters(root_);
  meters.start();
  write("sys/class/powercap/intel-rapl:0/energy_uj", "500000");
  EXPECT_DOUBLE_EQ(*find_metric(meters.stop(1), "energy package-0")->value, 4.5);
}

TEST(PredictedEnergy, AddsOperationsBytesAndIdling) {
  DeviceFile device;
  device.memory = {{.name = "L1", .bytes = 1000}};
  device.energy = EnergyFigures{.factor = 2,
                                .source = "made up",
                                .pj_per_op = {{"fp32", 10}},
                                .pj_per_byte = {{"L1", 2}},
                                .idle_watts = 1};
  Profile profile;
  profile.latency = {{.name = "median", .value = 1e-6, .unit = "ms"}};
  profile.steps.emplace_back();
  profile.steps[0].kind.precision = Arithmetic::Fp32;
  profile.steps[0].flops = 100;
  profile.steps[0].read_bytes = 50;
  const auto energy = predicted_energy(device, profile);
  ASSERT_TRUE(energy.has_value());
  // 100 x 10 pJ + 50 x 2 pJ + 1 W x 1 ns = 2100 pJ.
  EXPECT_NEAR(*energy->value, 2100e-9, 1e-12);
  EXPECT_EQ(energy->mode, Mode::Predicted);
  EXPECT_NEAR(*energy->high / *energy->low, 4, 1e-9);
}

}  // namespace
}  // namespace hone
