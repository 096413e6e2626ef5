#include "hone/profile/system_view.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace hone {
namespace {

TEST(SystemView, ACounterThatGoesBackwardsIsNotShown) {
  const auto migrations = [](double before, double after) {
    SystemSnapshot first, last;
    first.migrations = before;
    last.migrations = after;
    const std::vector<Metric> metrics = system_metrics(first, last, 1);
    return std::ranges::find(metrics, "migrations", &Metric::name)->value;
  };
  EXPECT_EQ(migrations(3, 5), 2);
  EXPECT_EQ(migrations(5, 4), std::nullopt);
}

}  // namespace
}  // namespace hone
