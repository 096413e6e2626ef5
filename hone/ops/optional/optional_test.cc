#include "hone/ops/testing.h"

namespace hone {
namespace {

TEST(Optional, HoldsAValueOrNothing) {
  const auto full = run_text(
      "graph(%x: f32[1]) -> (%h, %y) { %o = optional(%x)\n"
      "%h = optional_has_element(%o) %y = optional_get_element(%o) }",
      {vector_of<float>({5})});
  ASSERT_TRUE(full.ok()) << full.error().message;
  EXPECT_TRUE((*full)[0].tensor.data<bool>()[0]);
  expect_tensor<float>((*full)[1].tensor, {1}, {5});
  const auto empty = run_text(
      "graph() -> %h { %o = optional() type=\"sequence of f32\" %h = optional_has_element(%o) }");
  ASSERT_TRUE(empty.ok()) << empty.error().message;
  EXPECT_FALSE((*empty)[0].tensor.data<bool>()[0]);
}

TEST(Optional, ANodeWithoutInputHasNoElement) {
  const auto none = run_text("graph() -> %h { %h = optional_has_element() }");
  ASSERT_TRUE(none.ok()) << none.error().message;
  EXPECT_FALSE((*none)[0].tensor.data<bool>()[0]);
}

TEST(Optional, NothingHasNoElementToGet) {
  expect_bad_input(
      run_text("graph(%o: optional f32[...]) -> %y { %y = optional_get_element(%o) }", {Item()}));
}

TEST(Optional, RefusesToBeOfNoTypeOrOfOneThatIsNone) {
  expect_bad_input(run_text("graph() -> %o { %o = optional() }"));
  expect_bad_input(run_text("graph() -> %o { %o = optional() type=\"f99\" }"));
}

}  // namespace
}  // namespace hone
