#include "hone/base/result.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

Status fails() {
  return bad_input("input 'x' is open").needs({HintKind::Extents, "x"});
}

Status passes_on() {
  HONE_RETURN_IF_ERROR(fails().in("net.onnx"));
  return Done{};
}

TEST(Error, KeepsItsHintOnTheWayUp) {
  const Status status = passes_on();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "net.onnx: input 'x' is open");
  EXPECT_EQ(status.error().hint, (Hint{HintKind::Extents, "x"}));
}

TEST(Hint, StandsInBracketsWhereThereIsOneAndSomebodyWordsIt) {
  const HintWords words = [](const Hint& hint) { return "give " + hint.of; };
  EXPECT_EQ(in_brackets({HintKind::Extents, "x"}, words), " (give x)");
  EXPECT_EQ(in_brackets({}, words), "");
  EXPECT_EQ(in_brackets({HintKind::Extents, "x"}, nullptr), "");
}

}  // namespace
}  // namespace hone
