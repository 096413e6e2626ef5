#include "hone/base/short_name.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(ShortName, LeavesShortNamesAlone) {
  EXPECT_EQ(short_name("features.2.conv.0 + 2"), "features.2.conv.0 + 2");
  EXPECT_EQ(short_name(""), "");
}

TEST(ShortName, OfAListIsItsFirst) {
  EXPECT_EQ(short_name("net/conv/Relu6;net/conv/BiasAdd;net/conv/Conv2D"), "net/conv/Relu6;...");
  EXPECT_EQ(short_name("net/Relu;net/Conv + 12"), "net/Relu;... + 12");
}

TEST(ShortName, LosesItsMiddle) {
  const std::string name = "backbone/stage_one/block_two/branch_three/conv_four/weights";
  EXPECT_EQ(short_name(name, 23), "backbone/s...ur/weights");
  EXPECT_EQ(short_name(name + " + 3", 23), "backbone.../weights + 3");
  EXPECT_EQ(short_name(name, 23).size(), 23u);
}

TEST(ShortName, InSentencesStandsInQuotes) {
  EXPECT_EQ(with_short_names("'a/b;a/c' is f32; the NPU's 'd' is not"),
            "'a/b;...' is f32; the NPU's 'd' is not");
  EXPECT_EQ(with_short_names("no quotes at all"), "no quotes at all");
}

TEST(ShortName, CutsBetweenCharacters) {
  const std::string name(60, 'a');
  for (size_t at = 20; at < 40; ++at) {
    std::string accented = name;
    accented.insert(at, "\xC3\xA9");
    const std::string text = short_name(accented);
    const size_t lead = text.find('\xC3');
    const size_t trail = text.find('\xA9');
    EXPECT_EQ(lead == std::string::npos, trail == std::string::npos) << at;
  }
}

}  // namespace
}  // namespace hone
