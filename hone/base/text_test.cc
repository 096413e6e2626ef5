#include "hone/base/text.h"

#include <gtest/gtest.h>

#include <limits>

namespace hone {
namespace {

TEST(Table, AlignsNumbersOnTheRightAndTextOnTheLeft) {
  Table table({"layer", "kernel", "params"});
  table.add({"conv_1", "3x3", "1.20 k"});
  table.add({"a", "11x11", "34"});
  EXPECT_EQ(table.to_string(),
            "layer   kernel  params\n"
            "------  ------  ------\n"
            "conv_1  3x3     1.20 k\n"
            "a       11x11       34\n");
}

TEST(Table, ColumnWithABlankIsStillNumeric) {
  Table table({"n", "note"});
  table.add({"-", ""});
  table.add({"-12.5", "x"});
  EXPECT_EQ(table.to_string(), "    n  note\n-----  ----\n    -\n-12.5  x\n");
}

TEST(Table, CountsCodePointsAndEscapesControlCharacters) {
  Table table({"name", "x"});
  table.add({"\xc3\xa9t\xc3\xa9", "a"});
  table.add({"\x1b[2J", "b"});
  EXPECT_EQ(table.to_string(), "name     x\n-------  -\n\xc3\xa9t\xc3\xa9      a\n\\x1b[2J  b\n");
}

TEST(Table, WithoutRowsIsItsHeader) {
  EXPECT_EQ(Table({"a", "b"}).to_string(), "a  b\n-  -\n");
  EXPECT_TRUE(Table({"a"}).empty());
}

TEST(Text, CountsHaveThreeSignificantDigits) {
  EXPECT_EQ(human_count(0), "0");
  EXPECT_EQ(human_count(999), "999");
  EXPECT_EQ(human_count(1000), "1.00 k");
  EXPECT_EQ(human_count(3539456), "3.54 M");
  EXPECT_EQ(human_count(999'999), "1.00 M");
  EXPECT_EQ(human_count(25'557'032), "25.6 M");
  EXPECT_EQ(human_count(-4'100'000'000), "-4.10 G");
  EXPECT_EQ(human_count(std::numeric_limits<int64_t>::min()), "-9.22 E");
}

TEST(Text, BytesUseBinaryPrefixes) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1024), "1.00 KiB");
  EXPECT_EQ(human_bytes(13'946'060), "13.3 MiB");
  EXPECT_EQ(human_bytes(std::numeric_limits<uint64_t>::max()), "16.0 EiB");
}

TEST(Text, DurationsPickTheirUnit) {
  EXPECT_EQ(human_duration(0), "0.00 ns");
  EXPECT_EQ(human_duration(850e-9), "850 ns");
  EXPECT_EQ(human_duration(0.0123), "12.3 ms");
  EXPECT_EQ(human_duration(4.2), "4.20 s");
  EXPECT_EQ(human_duration(59.99), "1 min 00 s");
  EXPECT_EQ(human_duration(125), "2 min 05 s");
  EXPECT_EQ(human_duration(12000), "3 h 20 min");
}

TEST(Text, EditDistanceCountsASwapAsOne) {
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("covn2d", "conv2d"), 1u);
  EXPECT_EQ(edit_distance("same", "same"), 0u);
}

TEST(Text, SuggestsTheNearestWordOnly) {
  const std::vector<std::string> ops = {"conv2d", "concat", "softmax"};
  EXPECT_EQ(did_you_mean("Covn2d", ops), " (did you mean 'conv2d'?)");
  EXPECT_EQ(did_you_mean("transpose", ops), "");
  EXPECT_EQ(did_you_mean("", ops), "");
  EXPECT_EQ(did_you_mean("gpu", {"cpu"}), "");
  EXPECT_EQ(did_you_mean("cup", {"cpu"}), " (did you mean 'cpu'?)");
  EXPECT_EQ(did_you_mean("cp", {"cpu"}), " (did you mean 'cpu'?)");
}

}  // namespace
}  // namespace hone
