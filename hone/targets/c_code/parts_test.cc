#include "hone/targets/c_code/parts.h"

#include <gtest/gtest.h>

#include "hone/targets/c_code/plan.h"

namespace hone::c_code {
namespace {

// Rows of the result are each made once, from those under their windows and no others.
void expect_whole(const WindowAxis& axis, const StepParts& parts) {
  const Step step{.rows = axis};
  int64_t next = 0;
  for (size_t i = 0; i < parts.count; ++i) {
    const PartRows part = rows_of_part(step, parts, i);
    EXPECT_EQ(part.made.first, next);
    EXPECT_GT(part.made.end, part.made.first);
    EXPECT_TRUE(part.made.end == axis.out || part.made.end % parts.unit == 0);
    EXPECT_EQ(part.read.first - part.pad, axis.source(part.made.first, 0));
    EXPECT_EQ(part.read.end, std::min(axis.in, axis.source(part.made.end - 1, 0) + axis.reach()));
    next = part.made.end;
  }
  EXPECT_EQ(next, axis.out);
}

TEST(StepParts, MakeEveryRowOnce) {
  const WindowAxis padded{.in = 9, .kernel = 3, .pad_begin = 1, .pad_end = 1, .out = 9};
  expect_whole(padded, {.count = 4});
  expect_whole(padded, {.count = 4, .unit = 2});
  expect_whole({.in = 11, .kernel = 5, .stride = 2, .pad_begin = 2, .pad_end = 2, .out = 6},
               {.count = 4});
  expect_whole({.in = 7, .out = 7}, {.count = 7});
}

TEST(StepParts, HaveEveryChannelOnce) {
  const Step step{.panels = ChannelPanels{.channels = 1000, .in_panel = 128}};
  const StepParts parts{.count = 3, .by_panels = true};
  EXPECT_EQ(channels_of_part(step, parts, 0).first, 0);
  for (size_t i = 0; i + 1 < parts.count; ++i) {
    const PartRange own = channels_of_part(step, parts, i);
    EXPECT_EQ(own.end % 128, 0);
    EXPECT_EQ(own.end, channels_of_part(step, parts, i + 1).first);
  }
  EXPECT_EQ(channels_of_part(step, parts, 2).end, 1000);
}

}  // namespace
}  // namespace hone::c_code
