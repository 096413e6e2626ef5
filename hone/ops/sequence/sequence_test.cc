#include "hone/ops/testing.h"

namespace hone {
namespace {

std::vector<Tensor> two() {
  return {vector_of<float>({1}), vector_of<float>({2, 3})};
}

std::vector<size_t> lengths(const Result<std::vector<Item>>& items) {
  std::vector<size_t> result;
  if (!items.ok()) return {999};
  for (const Tensor& element : (*items)[0].sequence) {
    result.push_back(static_cast<size_t>(element.elements()));
  }
  return result;
}

Result<std::vector<Item>> insert_at(int64_t position) {
  return run_text(
      "graph(%s: sequence f32[...], %x: f32[3], %p: i64[]) -> %r {\n"
      "%r = sequence_insert(%s, %x, %p) }",
      {two(), vector_of<float>({7, 8, 9}), Tensor::scalar(position)});
}

Result<std::vector<Item>> erase_at(int64_t position) {
  return run_text("graph(%s: sequence f32[...], %p: i64[]) -> %r { %r = sequence_erase(%s, %p) }",
                  {two(), Tensor::scalar(position)});
}

using Sizes = std::vector<size_t>;

TEST(Sequence, PositionsCountFromBothEnds) {
  EXPECT_EQ(lengths(insert_at(0)), (Sizes{3, 1, 2}));
  EXPECT_EQ(lengths(insert_at(2)), (Sizes{1, 2, 3}));
  EXPECT_EQ(lengths(insert_at(-1)), (Sizes{1, 3, 2}));
  EXPECT_EQ(lengths(erase_at(-2)), (Sizes{2}));
  for (const int64_t outside : {int64_t{3}, int64_t{-3}, INT64_MIN, INT64_MAX}) {
    expect_bad_input(insert_at(outside));
  }
  for (const int64_t outside : {2, -3}) expect_bad_input(erase_at(outside));
}

TEST(Sequence, AnEmptyOneGrowsAndIsNotErasedFrom) {
  EXPECT_EQ(lengths(run_text("graph(%x: i64[2]) -> %r { %e = sequence_empty() dtype=i64\n"
                             "%r = sequence_insert(%e, %x) }",
                             {vector_of<int64_t>({1, 2})})),
            (Sizes{2}));
  expect_bad_input(run_text("graph() -> %r { %e = sequence_empty() %r = sequence_erase(%e) }"));
  expect_bad_input(
      run_text("graph() -> %r { %e = sequence_empty() %r = concat_from_sequence(%e) axis=0 }"));
}

TEST(Sequence, RefusesATensorForASequence) {
  expect_bad_input(
      run_text("graph(%x: f32[2]) -> %r { %r = sequence_length(%x) }", {vector_of<float>({1, 2})}));
}

TEST(ConcatFromSequence, JoinsAlongOldAndNewAxes) {
  const auto run = [](std::string_view attrs) -> Result<Tensor> {
    HONE_TRY(std::vector<Item> items,
             run_text(str("graph(%a: f32[1,2], %b: f32[1,2]) -> %r {\n"
                          "%s = sequence_construct(%a, %b) %r = concat_from_sequence(%s) ",
                          attrs, "}"),
                      {Tensor::of<float>({1, 2}, {1, 2}), Tensor::of<float>({1, 2}, {3, 4})}));
    return items[0].tensor;
  };
  expect_tensor<float>(run("axis=1"), {1, 4}, {1, 2, 3, 4});
  expect_tensor<float>(run("axis=-1 new_axis=1"), {1, 2, 2}, {1, 3, 2, 4});
  expect_bad_input(run("axis=2"));
  expect_bad_input(run("axis=0 new_axis=2"));
}

TEST(ConcatFromSequence, RefusesElementsThatDoNotJoin) {
  expect_bad_input(
      run_text("graph(%s: sequence f32[...]) -> %r { %r = concat_from_sequence(%s) axis=0"
               " new_axis=1 }",
               {two()}));
  expect_bad_input(
      run_text("graph(%s: sequence f32[...]) -> %r { %r = concat_from_sequence(%s) axis=2"
               " new_axis=1 }",
               {std::vector<Tensor>{Tensor::of<float>({1, 1}, {1}), vector_of<float>({1})}}));
}

Result<std::vector<Item>> split(Tensor x, Item sizes, std::string_view attrs) {
  if (sizes.absent()) {
    return run_text(str("graph(%x: f32[...]) -> %r { %r = split_to_sequence(%x) ", attrs, "}"),
                    {x});
  }
  return run_text(
      str("graph(%x: f32[...], %s: i64[...]) -> %r { %r = split_to_sequence(%x, %s) ", attrs, "}"),
      {x, std::move(sizes)});
}

TEST(SplitToSequence, CutsByOneByASizeOrByAList) {
  const Tensor x = Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6});
  const auto squeezed = split(x, {}, "axis=1 keepdims=0");
  ASSERT_TRUE(squeezed.ok());
  expect_tensor<float>((*squeezed)[0].sequence[1], {3}, {2, 4, 6});
  EXPECT_EQ(lengths(split(x, {}, "keepdims=1")), (Sizes{2, 2, 2}));
  EXPECT_EQ(lengths(split(x, Tensor::scalar<int64_t>(2), "keepdims=0")), (Sizes{4, 2}));
  EXPECT_EQ(lengths(split(x, vector_of<int64_t>({0, 2, 1}), "")), (Sizes{0, 4, 2}));
  for (const Ints& wrong : {Ints{1, 1}, Ints{4}, Ints{-1, 4}, Ints{INT64_MAX, INT64_MAX}}) {
    expect_bad_input(split(x, Tensor::of_ints(wrong), ""));
  }
  expect_bad_input(split(x, Tensor::scalar<int64_t>(0), ""));
  expect_bad_input(split(Tensor::scalar(1.0f), {}, ""));
}

}  // namespace
}  // namespace hone
