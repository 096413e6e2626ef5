#include "hone/targets/cuda/stamps.h"

#include <gtest/gtest.h>

namespace hone::cuda {
namespace {

Step step_of(bool library) {
  Launch launch;
  if (library) launch.library = LibraryCall{BlasProduct{}};
  return {.variants = {{"", {launch}}}};
}

TEST(Stamps, TakeMarksFromStepsOfLibraries) {
  const Step own = step_of(false);
  const Step library = step_of(true);
  const std::vector<const Step*> steps = {&own, &library, &library, &own};
  const uint64_t stamps[] = {100, 1100, 4100, 9100, 10100, 10900, 12400};
  ASSERT_EQ(std::size(stamps), stamps_of(steps.size()));
  EXPECT_TRUE(begins_early(5, steps.size()));
  EXPECT_FALSE(begins_early(6, steps.size()));
  const StampedTimes times = times_of(stamps, steps);
  ASSERT_EQ(times.steps.size(), 4u);
  EXPECT_NEAR(times.steps[0], 1000e-9, 1e-15);
  EXPECT_NEAR(times.steps[1], 2200e-9, 1e-15);
  EXPECT_NEAR(times.steps[2], 3500e-9, 1e-15);
  EXPECT_NEAR(times.steps[3], 1000e-9, 1e-15);
  EXPECT_NEAR(times.all, 12300e-9, 1e-15);
}

}  // namespace
}  // namespace hone::cuda
