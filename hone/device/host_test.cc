#include "hone/device/host.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace hone {
namespace {

const HostReport& this_host() {
  static const HostReport report = inspect_host();
  return report;
}

TEST(Host, EveryPartSaysWhatItIsForAndAMissingOneWhy) {
  for (const HostPart& part : this_host().parts) {
    EXPECT_FALSE(part.group.empty()) << part.name;
    EXPECT_FALSE(part.purpose.empty()) << part.name;
    if (!part.found) {
      EXPECT_FALSE(part.detail.empty()) << part.name;
    }
  }
}

TEST(Host, FindsTheCompilerThatBuiltThis) {
  const auto& parts = this_host().parts;
  const auto gcc = std::ranges::find(parts, "g++", &HostPart::name);
  ASSERT_NE(gcc, parts.end());
  EXPECT_TRUE(gcc->found) << gcc->detail;
  EXPECT_TRUE(gcc->path.starts_with('/')) << gcc->path;
  EXPECT_NE(gcc->detail.find("g++"), std::string::npos) << gcc->detail;
}

TEST(Host, AsksForNothingThatHoneCannotUse) {
  for (const char* unused : {"OpenCL", "verilator", "yosys", "nextpnr-ice40", "nvcc"}) {
    EXPECT_EQ(std::ranges::count(this_host().parts, unused, &HostPart::name), 0) << unused;
  }
}

// What `hone profile` asks for where it builds firmware.
TEST(Host, FirmwareNeedsALibraryBesideItsCompiler) {
  const auto& parts = this_host().parts;
  const auto gcc = std::ranges::find(parts, "arm-none-eabi-gcc", &HostPart::name);
  ASSERT_NE(gcc, parts.end());
  EXPECT_EQ(gcc->package, "gcc-arm-none-eabi libnewlib-arm-none-eabi");
}

TEST(Host, NamesTheSystem) {
  EXPECT_FALSE(this_host().system.empty());
  EXPECT_TRUE(this_host().kernel.starts_with("Linux"));
}

TEST(Host, OneCommandInstallsWhatIsMissing) {
  HostReport report;
  EXPECT_EQ(install_command(report), "");
  report.parts = {{.name = "a", .found = true, .package = "not-needed"},
                  {.name = "b", .package = "qemu-user"},
                  {.name = "c", .package = "clang-19"},
                  {.name = "d", .package = "qemu-user"},
                  {.name = "no package brings this", .package = ""}};
  EXPECT_TRUE(install_command(report).ends_with("apt-get install clang-19 qemu-user"));
}

}  // namespace
}  // namespace hone
