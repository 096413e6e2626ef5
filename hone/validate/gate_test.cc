#include "hone/validate/gate.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hone {
namespace {

Metric top1(double value) {
  return {.name = "top1", .value = value, .n = 1000};
}

Verdict accuracy(double reference, double value, const char* limit, bool more_is_better = true) {
  return accuracy_row(top1(value), top1(reference), more_is_better, *parse_drop(limit)).verdict;
}

TEST(AccuracyRow, KnowsRelativeAndAbsoluteDrops) {
  EXPECT_EQ(accuracy(0.9, 0.8911, "1%"), Verdict::Pass);  // 0.0089 of 0.9: 0.99 %.
  EXPECT_EQ(accuracy(0.9, 0.8909, "1%"), Verdict::Fail);
  EXPECT_EQ(accuracy(0.9, 0.8909, "1pt"), Verdict::Pass);
  EXPECT_EQ(accuracy(0.9, 0.89, "0.01"), Verdict::Pass);  // 0.9 - 0.89 > 0.01 in binary.
  EXPECT_EQ(accuracy(0.9, 0.88, "0.01"), Verdict::Fail);
  EXPECT_EQ(accuracy(0.9, 0.95, "0%"), Verdict::Pass);
}

TEST(AccuracyRow, ForErrorsARiseIsADrop) {
  EXPECT_EQ(accuracy(0.10, 0.11, "5%", false), Verdict::Fail);
  EXPECT_EQ(accuracy(0.10, 0.09, "5%", false), Verdict::Pass);
  EXPECT_EQ(accuracy(0, 0.1, "5%", false), Verdict::Fail);
}

TEST(AccuracyRow, DoesNotLetNumbersThroughThatAreNone) {
  EXPECT_EQ(accuracy(0.9, NAN, "50%"), Verdict::Fail);
  EXPECT_EQ(accuracy(INFINITY, INFINITY, "1%"), Verdict::Pass);
  EXPECT_EQ(accuracy(INFINITY, 40, "1%"), Verdict::Fail);
}

TEST(AccuracyRow, SaysFromWhatToWhat) {
  const GateRow row = accuracy_row(top1(0.895), top1(0.905), true, *parse_drop("2%"));
  EXPECT_EQ(row.asked, "drop of top1 at most 2%");
  EXPECT_EQ(row.reached, "1.10 % (0.9050 -> 0.8950)");
  EXPECT_EQ(row.from, "measured, n 1000");
}

TEST(ChanceNote, IsOfMetricsThatHoldWithOtherAnswers) {
  const auto note = [](double agreement, double value, double reference) {
    return chance_note({.name = "agreement", .value = agreement}, top1(value), top1(reference));
  };
  EXPECT_EQ(note(0.3, 0.15, 0.1),
            "30.0 % of the samples have the reference's answer, where 95.0 % could: top1 may hold "
            "by chance");
  EXPECT_EQ(note(0.98, 0.9, 0.9), "");
  EXPECT_EQ(note(0.2, 0.9, 0.1), "") << "no more could";
}

TEST(GrainNote, IsOfSamplesThatEachWeighMoreThanTheLimit) {
  const auto note = [](int64_t n, const DropLimit& limit) {
    Metric metric = top1(0.9);
    metric.n = n;
    return grain_note(metric, top1(0.9), limit);
  };
  EXPECT_EQ(note(60, {0.01, false, "1pt"}),
            "one of 60 samples is 1.67 pt of top1: so few do not tell whether the limit holds for "
            "others");
  EXPECT_EQ(note(240, {0.01, false, "1pt"}), "");
  EXPECT_NE(note(105, {0.01, true, "1%"}), "") << "of 0.9, it lets less than one change";
}

TEST(LatencyRow, IsInconclusiveWhenTheLimitIsInsideTheNoise) {
  const Latency latency{.ms = 5, .low = 4.9, .high = 5.2, .noise = 0.02, .n = 100};
  EXPECT_EQ(latency_row(latency, 6e-3, Mode::Measured).verdict, Verdict::Pass);
  EXPECT_EQ(latency_row(latency, 4e-3, Mode::Measured).verdict, Verdict::Fail);
  const GateRow row = latency_row(latency, 5e-3, Mode::Measured);
  EXPECT_EQ(row.verdict, Verdict::Inconclusive);
  EXPECT_EQ(row.reached, "5.00 ms (4.90 ms to 5.20 ms)");
}

TEST(ModelledLatencyRow, KnowsTheModelsInterval) {
  Metric latency{.name = "latency", .value = 5, .unit = "ms", .mode = Mode::Simulated};
  EXPECT_EQ(modelled_latency_row(latency, 5e-3).verdict, Verdict::Pass);
  EXPECT_EQ(modelled_latency_row(latency, 4.99e-3).verdict, Verdict::Fail);
  EXPECT_EQ(modelled_latency_row(latency, 6e-3).reached, "5.00 ms");
  EXPECT_EQ(modelled_latency_row(latency, 6e-3).from, "simulated");
  latency.low = 4;
  latency.high = 6.5;
  const GateRow row = modelled_latency_row(latency, 6e-3);
  EXPECT_EQ(row.verdict, Verdict::Inconclusive);
  EXPECT_EQ(row.reached, "5.00 ms (4.00 ms to 6.50 ms)");
  EXPECT_EQ(modelled_latency_row(unavailable("latency", "ms", "why"), 1).verdict,
            Verdict::Inconclusive);
}

TEST(Gate, CannotPassWhatTheModelWasNotFittedTo) {
  const Metric latency{.name = "latency", .value = 5, .unit = "ms", .mode = Mode::Predicted};
  const GateRow row = modelled_latency_row(latency, 6e-3, {"outside of the fit: 1", "and 2"});
  EXPECT_EQ(row.verdict, Verdict::Inconclusive);
  EXPECT_EQ(row.why, "outside of the fit: 1; and 2");
  EXPECT_EQ(modelled_latency_row(latency, 4e-3, {"outside"}).verdict, Verdict::Fail);
}

TEST(SlowdownRow, SaysWhatItWasComparedWith) {
  const Slowdown slowdown{.verdict = Verdict::Fail,
                          .part = 0.08,
                          .low = 0.07,
                          .high = 0.09,
                          .noise = 0.01,
                          .base_ms = 1,
                          .candidate_ms = 1.08,
                          .why = "because"};
  const GateRow row =
      slowdown_row(slowdown, {.part = 0.05, .ms = 0.005}, "in turn with base.onnx", Mode::Measured);
  EXPECT_EQ(row.asked, "at most 5.00 % if over 5.00 us");
  EXPECT_EQ(row.reached, "8.00 % (1.00 ms -> 1.08 ms)");
  EXPECT_EQ(row.from, "measured, in turn with base.onnx");
  EXPECT_EQ(row.verdict, Verdict::Fail);
}

// The machine became faster between the blocks: within each the candidate is 2 % slower.
TEST(SlowdownRow, DoesNotContradictItself) {
  Rounds rounds;
  for (int i = 0; i < 120; ++i) {
    const double speed = i < 61 ? 2 : 1;
    rounds.base.push_back(i == 60 ? 1 : speed);
    rounds.again.push_back(rounds.base.back());
    rounds.candidate.push_back(1.02 * speed);
  }
  const SlowdownLimits limits{.part = 0.05, .ms = 0};
  const GateRow row = slowdown_row(judge_slowdown(rounds, limits), limits, "", Mode::Measured);
  EXPECT_EQ(row.reached, "2.00 %, median of ratios (medians 1.50 ms -> 2.04 ms)");
}

TEST(BytesRow, CountsOrSaysWhyNot) {
  EXPECT_EQ(bytes_row("size", 1000, 1000, "the file", "").verdict, Verdict::Pass);
  EXPECT_EQ(bytes_row("size", 1001, 1000, "the file", "").verdict, Verdict::Fail);
  const GateRow row = bytes_row("size", {}, 1000, "the file", "there is no file");
  EXPECT_EQ(row.verdict, Verdict::Inconclusive);
  EXPECT_EQ(row.why, "there is no file");
}

TEST(EnergyRow, OfAPredictionGoesByItsInterval) {
  Metric energy{
      .name = "energy", .value = 2, .unit = "mJ", .mode = Mode::Predicted, .low = 1, .high = 4};
  EXPECT_EQ(energy_row(energy, 5e-3).verdict, Verdict::Pass);
  EXPECT_EQ(energy_row(energy, 3e-3).verdict, Verdict::Inconclusive);
  EXPECT_EQ(energy_row(energy, 0.5e-3).verdict, Verdict::Fail);
  EXPECT_EQ(energy_row(unavailable("energy", "mJ", "no meter"), 1).verdict, Verdict::Inconclusive);
}

TEST(MetricNumber, IsNeverAllZeros) {
  EXPECT_EQ(metric_number(0.901), "0.9010");
  EXPECT_EQ(metric_number(0), "0.0000");
  EXPECT_EQ(metric_number(-6.314e-5), "-6.31e-05");
  EXPECT_EQ(metric_number(INFINITY), "inf");
}

TEST(VerdictOf, CountsExpectedOutputs) {
  Validation validation;
  EXPECT_EQ(verdict_of(validation), Verdict::Pass);
  validation.expected = ExpectedOutputs{.samples = 1, .equal = 0, .max_error = 1, .within = false};
  EXPECT_EQ(verdict_of(validation), Verdict::Fail);
}

TEST(VerdictOf, IsTheWorst) {
  const auto rows = [](std::initializer_list<Verdict> verdicts) {
    std::vector<GateRow> list;
    for (const Verdict verdict : verdicts) list.push_back({.what = "x", .verdict = verdict});
    return list;
  };
  EXPECT_EQ(verdict_of(rows({})), Verdict::Pass);
  EXPECT_EQ(verdict_of(rows({Verdict::Pass, Verdict::Inconclusive})), Verdict::Inconclusive);
  EXPECT_EQ(verdict_of(rows({Verdict::Fail, Verdict::Inconclusive})), Verdict::Fail);
}

}  // namespace
}  // namespace hone
