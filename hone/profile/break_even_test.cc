#include "hone/profile/break_even.h"

#include <gtest/gtest.h>

#include <vector>

namespace hone {
namespace {

Metric takes(double value, double factor = 1) {
  return {.name = "t",
          .value = value,
          .mode = Mode::Predicted,
          .low = value / factor,
          .high = value * factor};
}

// A CPU that takes 2 for each, and a card that takes 10 for the way and 1 for each.
std::vector<BatchPair> card_and_cpu(int64_t most, double factor = 1) {
  std::vector<BatchPair> pairs;
  for (int64_t batch = 1; batch <= most; batch *= 2) {
    const auto n = static_cast<double>(batch);
    pairs.push_back({batch, takes(10 + n, factor), takes(2 * n)});
  }
  return pairs;
}

TEST(BreakEven, IsWhereTheLinesMeet) {
  const Metric from = break_even_batch("faster_from", card_and_cpu(16));
  EXPECT_EQ(*from.value, 10);
  EXPECT_EQ(from.mode, Mode::Predicted);
  EXPECT_TRUE(is_settled(card_and_cpu(16)));
}

TEST(BreakEven, IsOneWhereTheCandidateIsAlwaysBetter) {
  const std::vector<BatchPair> pairs = {{1, takes(1), takes(2)}, {2, takes(2), takes(4)}};
  EXPECT_EQ(*break_even_batch("faster_from", pairs).value, 1);
}

TEST(BreakEven, IsNotThereWhereTheLastBatchIsWorse) {
  const Metric from = break_even_batch("faster_from", card_and_cpu(8));
  EXPECT_FALSE(from.value.has_value());
  EXPECT_EQ(from.note, "not up to a batch of 8");
  // Nor does it count that a smaller one was better.
  const std::vector<BatchPair> pairs = {{1, takes(1), takes(2)}, {2, takes(5), takes(4)}};
  const Metric small = break_even_batch("faster_from", pairs);
  EXPECT_FALSE(small.value.has_value());
  EXPECT_EQ(small.note, "only a batch of 1");
}

TEST(BreakEven, SaysUpToWhichBatchSmallOnesAreBetter) {
  std::vector<BatchPair> pairs = {{1, takes(1), takes(3)}, {4, takes(2), takes(4)}};
  pairs.push_back({8, takes(8), takes(6)});
  EXPECT_EQ(break_even_batch("cheaper_from", pairs).note, "only up to a batch of 6");
}

TEST(BreakEven, EndsWhereLargerBatchesTellNothingNew) {
  std::vector<BatchPair> pairs = {{1, takes(9), takes(2)}, {2, takes(12), takes(4)}};
  EXPECT_FALSE(is_settled(pairs));
  for (const double n : {4, 8, 16}) {
    pairs.push_back({static_cast<int64_t>(n), takes(3 * n), takes(2 * n)});
  }
  EXPECT_TRUE(is_settled(pairs));
  EXPECT_EQ(break_even_batch("faster_from", pairs).note,
            "not up to a batch of 16, and larger ones come no nearer");
  // As long as starting is all there is to it, larger ones may.
  pairs.clear();
  for (const int64_t batch : {1, 2, 4, 8}) pairs.push_back({batch, takes(3), takes(2)});
  EXPECT_FALSE(is_settled(pairs));
}

TEST(BreakEven, HasTheIntervalOfBoth) {
  const Metric from = break_even_batch("faster_from", card_and_cpu(64, 1.5));
  EXPECT_EQ(*from.value, 10);
  EXPECT_EQ(*from.low, 5);    // (10 + n) / 1.5 = 2 n
  EXPECT_EQ(*from.high, 30);  // (10 + n) * 1.5 = 2 n
  const Metric open = break_even_batch("faster_from", card_and_cpu(16, 1.5));
  EXPECT_EQ(*open.value, 10);
  EXPECT_FALSE(open.high.has_value());
  EXPECT_EQ(open.note, "its interval ends beyond a batch of 16");
  EXPECT_FALSE(is_settled(card_and_cpu(16, 1.5)));
}

}  // namespace
}  // namespace hone
