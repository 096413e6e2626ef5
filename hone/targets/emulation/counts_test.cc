#include "hone/targets/emulation/counts.h"

#include <gtest/gtest.h>

namespace hone::emulation {
namespace {

TEST(Execution, IsReadFromThePluginsFile) {
  const auto execution = parse_execution(
      "edge 0 100 104 100 104 9\nedge -1 0 0 100 104 1\nmisses 1 3 4\nstack 312\n", 2);
  ASSERT_TRUE(execution.ok()) << execution.error().message;
  ASSERT_EQ(execution->edges.size(), 2u);
  EXPECT_EQ(execution->edges[0].to_end, 0x104u);
  EXPECT_EQ(execution->edges[0].count, 9u);
  EXPECT_EQ(execution->misses[1].data, 4u);
  EXPECT_EQ(execution->stack_bytes, 312u);
}

TEST(Execution, RefusesWhatIsNotThePlugins) {
  for (const char* text :
       {"edge 0 100\n", "edge 7 100 104 100 104 9\n", "misses 2 1 1\n", "stack\n", "else\n"}) {
    const auto execution = parse_execution(text, 2);
    ASSERT_FALSE(execution.ok()) << text;
    EXPECT_EQ(execution.error().kind, ErrorKind::BadInput);
  }
}

}  // namespace
}  // namespace hone::emulation
