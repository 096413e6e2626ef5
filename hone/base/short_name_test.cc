#include "hone/base/short_name.h"

#include <gtest/gtest.h>

#include <set>

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

TEST(ShortName, NamesThatDifferStayApart) {
  const std::string head = "backbone/stage_one/block_two/",
                    tail = "/branch_three/conv_four/weights";
  const std::vector<std::string> names = {head + "a" + tail, head + "b" + tail, head + "a" + tail,
                                          "stem"};
  EXPECT_EQ(short_name(names[0], 40), short_name(names[1], 40));
  const std::vector<std::string> shown = short_names(names, 40);
  EXPECT_EQ(shown[0], "backbone...ck_two/a/branch_three/...");
  EXPECT_EQ(shown[1], "backbone...ck_two/b/branch_three/...");
  EXPECT_EQ(shown[2], shown[0]);
  EXPECT_EQ(shown[3], "stem");
  // Lists whose first names are alike, and names that part in more than fits.
  const std::vector<std::string> lists = short_names({"net/Relu;net/one", "net/Relu;net/two"}, 40);
  EXPECT_NE(lists[0], lists[1]);
  const std::string x(100, 'x');
  const std::vector<std::string> many =
      short_names({x + "a" + x + "a" + x, x + "a" + x + "b" + x, x + "b" + x + "b" + x}, 40);
  EXPECT_EQ(std::set<std::string>(many.begin(), many.end()).size(), 3u);
  for (const std::string& name : many) EXPECT_LE(name.size(), 40u);
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
