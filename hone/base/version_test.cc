#include "hone/base/version.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace hone {
namespace {

TEST(Version, HasThreeNumbers) {
  EXPECT_EQ(std::ranges::count(version(), '.'), 2) << version();
  EXPECT_EQ(version().find_first_not_of("0123456789."), std::string_view::npos) << version();
}

}  // namespace
}  // namespace hone
