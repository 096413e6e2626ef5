#include "hone/base/printable.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "hone/base/file_names.h"
#include "hone/base/json_text.h"

namespace hone {
namespace {

TEST(Printable, LeavesTextAlone) {
  EXPECT_EQ(printable("conv_1/kernel ä 層 🙂"), "conv_1/kernel ä 層 🙂");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(printable("a\x1b[31mb\nc\r\td\x7f"), "a\\x1b[31mb\\nc\\r\\td\\x7f");
  EXPECT_EQ(printable("a\xc2\x9b"
                      "2J"),
            "a\\x9b2J");                                  // CSI as one character.
  EXPECT_EQ(printable("a\xe2\x80\xaexe"), "a\\u202exe");  // Right to left.
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(Printable, ShowsBytesThatAreNoUtf8) {
  EXPECT_EQ(printable("a\xff"
                      "b"),
            "a\\xffb");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // Longer than needed.
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // Half of a pair.
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");           // Cut off.
}

TEST(Printable, CutsTheMiddleOut) {
  const std::string text = printable(std::string(100'000, 'a') + "end");
  EXPECT_EQ(text.size(), 1000u);
  EXPECT_TRUE(text.ends_with("end"));
  EXPECT_NE(text.find("..."), std::string::npos);
}

TEST(JsonText, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(json_text({{"name", "a\xff"}}), "{\"name\":\"a\uFFFD\"}");
  EXPECT_EQ(json_text({{"name", "ä\x7f"}}, -1, true), "{\"name\":\"\\u00e4\\u007f\"}");
}

TEST(FileNames, AreSafeAndUnique) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(file_names({"y", "a/b", "a_b", "A_b"}, "output"),
            (Names{"y", "a_b", "a_b_2", "A_b_3"}));
  EXPECT_EQ(file_names({"", "..", ".hidden"}, "output"),
            (Names{"output_0", "output_1..", "output_2.hidden"}));
  EXPECT_EQ(file_names({"x", "x", "x_1"}, "output"), (Names{"x", "x_1", "x_1_2"}));
  const Names names = file_names({std::string(100'000, 'n'), std::string(100'000, 'n')}, "output");
  EXPECT_LT(names[0].size(), 200u);
  EXPECT_NE(names[0], names[1]);
}

}  // namespace
}  // namespace hone
