#include "hone/profile/nvml.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(Nvml, SaysWhyAClockIsHeldBack) {
  EXPECT_TRUE(clock_reasons(0).empty());
  EXPECT_TRUE(clock_reasons(1).empty());  // Nothing runs.
  EXPECT_EQ(clock_reasons(4), std::vector<std::string>{"power limit"});
  EXPECT_EQ(clock_reasons(0x60), std::vector<std::string>{"heat"});  // Of two kinds, told once.
  EXPECT_EQ(clock_reasons(0x02 | 0x80),
            (std::vector<std::string>{"a clock that was set", "the power supply"}));
}

TEST(Nvml, TellsNothingOfAGpuThatIsNotThere) {
  EXPECT_FALSE(read_gpu_clock("ffff:ff:1f.7").has_value());
}

}  // namespace
}  // namespace hone
