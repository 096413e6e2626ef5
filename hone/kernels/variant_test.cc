#include "hone/kernels/variant.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(BestVariant, IsTheFirstWhoseFeaturesAreThere) {
  static constexpr KernelVariant<int> kVariants[] = {
      {"impossible", ~CpuFeatures{0}, 1},
      {"plain", kNoFeature, 2},
      {"ref", kNoFeature, 3},
  };
  EXPECT_EQ(best_variant(std::span<const KernelVariant<int>>(kVariants)).name, "plain");
}

}  // namespace
}  // namespace hone
