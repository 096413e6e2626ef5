#include <gtest/gtest.h>

#include "hone/profile/import/import_testing.h"

namespace hone {
namespace {

TEST(ImportTrtexecProfile, TellsLayersAsSteps) {
  const Profile profile = import_text("trtexec_profile", kTrtexecProfileSample);
  EXPECT_EQ(profile.tool, "trtexec");
  EXPECT_EQ(profile.target, "tensorrt");
  ASSERT_EQ(profile.steps.size(), 2u);
  EXPECT_EQ(profile.steps[1].name, "stem + relu");
  EXPECT_DOUBLE_EQ(profile.steps[1].us, 90);
  EXPECT_DOUBLE_EQ(profile.steps[1].share, 0.9);
  EXPECT_DOUBLE_EQ(*find_metric(profile.steps[1].counters, "median")->value, 88);
  EXPECT_EQ(find_metric(profile.steps[1].counters, "median")->n, 200);
  EXPECT_EQ(profile.step_runs, 200);
  EXPECT_EQ(profile.step_times, "mean of all runs");
}

TEST(ImportTrtexecProfile, TakesMergedLayersApart) {
  const Profile profile = import_text("trtexec_profile", kTrtexecProfileSample);
  ASSERT_EQ(profile.sources.size(), 3u);
  EXPECT_EQ(profile.sources[0].name, "Reformatting CopyNode for Input Tensor 0 to stem");
  EXPECT_EQ(profile.sources[1].name, "stem");
  EXPECT_EQ(profile.sources[2].name, "relu");
  EXPECT_EQ(profile.layers[1].name, "stem + relu");
  EXPECT_EQ(profile.layers[1].sources, (std::vector<size_t>{1, 2}));
}

TEST(ImportTrtexecProfile, TellsAMeanAndPutsTheLayersInARow) {
  const Profile profile = import_text("trtexec_profile", kTrtexecProfileSample);
  ASSERT_EQ(profile.latency.size(), 1u);
  EXPECT_EQ(profile.latency[0].name, "mean");
  EXPECT_DOUBLE_EQ(*profile.latency[0].value, 0.1);
  EXPECT_EQ(profile.latency[0].n, 200);
  EXPECT_DOUBLE_EQ(median_ms(profile), 0.1);
  ASSERT_EQ(profile.timeline.size(), 2u);
  EXPECT_DOUBLE_EQ(profile.timeline[1].start_us, 10);
  EXPECT_DOUBLE_EQ(profile.timeline[1].us, 90);
}

TEST(ImportTrtexecProfile, DividesTheSumWhereThereIsNoMean) {
  const Profile profile = import_text(
      "trtexec_profile", R"([{"count": 4}, {"name": "a", "timeMs": 2, "percentage": 100}])");
  EXPECT_DOUBLE_EQ(profile.steps[0].us, 500);
  EXPECT_TRUE(profile.steps[0].counters.empty());
}

TEST(ImportTrtexecProfile, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(import_error("trtexec_profile", with(kTrtexecProfileSample, "0.09,", "\"soon\",")),
            "line 4: layer 'stem + relu': averageMs is 'soon', expected a number from 0 to 1e+09");
  EXPECT_EQ(import_error("trtexec_profile", with(kTrtexecProfileSample, "\"name\"", "\"nam\"")),
            "line 3: no 'name', expected that of a layer");
  EXPECT_EQ(import_error("trtexec_profile", with(kTrtexecProfileSample, "0.09,", "1e300,")),
            "line 4: layer 'stem + relu': averageMs is '1e+300', expected a number from 0 to "
            "1e+09");
  EXPECT_EQ(import_error("trtexec_profile", R"([{"name": "a", "timeMs": 2}])"),
            "line 1: layer 'a': timeMs before a 'count' of runs");
  EXPECT_EQ(import_error("trtexec_profile", R"([{"count": 4}])"),
            "no layer, expected objects with 'name'");
}

TEST(ImportTrtexecTimes, TellsCopiesAndComputingAsSteps) {
  const Profile profile = import_text("trtexec_times", kTrtexecTimesSample);
  EXPECT_EQ(profile.tool, "trtexec");
  EXPECT_EQ(profile.samples_ms, (std::vector<double>{2.75, 2.85, 3.75}));
  EXPECT_DOUBLE_EQ(median_ms(profile), 2.85);
  ASSERT_EQ(profile.steps.size(), 3u);
  EXPECT_EQ(profile.steps[0].name, "h2d");
  EXPECT_EQ(profile.steps[1].op, "compute");
  EXPECT_DOUBLE_EQ(profile.steps[0].us, 500);
  EXPECT_DOUBLE_EQ(profile.steps[1].us, 2050);  // Of the two runs nearest to the median.
  EXPECT_DOUBLE_EQ(profile.steps[2].us, 250);
  EXPECT_NEAR(*find_metric(profile.counters, "enqueue")->value, 0.2, 1e-9);
  EXPECT_EQ(find_metric(profile.counters, "enqueue")->n, 3);
}

std::string runs_of(const std::vector<int>& milliseconds) {
  std::vector<std::string> runs;
  for (const int ms : milliseconds) {
    runs.push_back(str(R"({"latencyMs": )", ms, R"(, "enqMs": 0, "h2dMs": 0, "computeMs": )", ms,
                       R"(, "d2hMs": 0})"));
  }
  return str("[", join(runs), "]");
}

TEST(ImportTrtexecTimes, TellsOfARunThatTookMuchLonger) {
  const auto told = [](const std::vector<int>& milliseconds) {
    return import_text("trtexec_times", runs_of(milliseconds)).unstable.at(0);
  };
  EXPECT_EQ(told({10, 10, 10, 31, 10, 10, 10, 10}), "1 of 8 runs took 3.1 times the median");
  EXPECT_EQ(told({10, 10, 10, 31, 10, 21, 10, 10}), "2 of 8 runs took up to 3.1 times the median");
  EXPECT_EQ(told({10, 10, 10, 15, 10, 10, 10, 10}), "only 8 runs");
}

TEST(ImportTrtexecTimes, PlacesThePartsOfTheMedianRun) {
  const Profile profile = import_text("trtexec_times", kTrtexecTimesSample);
  ASSERT_EQ(profile.timeline.size(), 3u);
  EXPECT_DOUBLE_EQ(profile.timeline[0].start_us, 0);
  EXPECT_DOUBLE_EQ(profile.timeline[1].start_us, 500);
  EXPECT_DOUBLE_EQ(profile.timeline[1].us, 2100);
  EXPECT_DOUBLE_EQ(profile.timeline[2].start_us, 3000);
}

TEST(ImportTrtexecTimes, DoesWithoutStartsAndTakesTheEnqueueTimeAsTold) {
  const Profile profile =
      import_text("trtexec_times",
                  R"([{"latencyMs": 3, "enqMs": 0.5, "h2dMs": 1, "computeMs": 2, "d2hMs": 0}])");
  EXPECT_DOUBLE_EQ(profile.timeline[1].start_us, 1000);
  EXPECT_DOUBLE_EQ(*find_metric(profile.counters, "enqueue")->value, 0.5);
}

TEST(ImportTrtexecTimes, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(import_error("trtexec_times", with(kTrtexecTimesSample, "\"d2hMs\"", "\"d2\"")),
            "line 2: no 'd2hMs', expected a number");
  EXPECT_EQ(import_error("trtexec_times", with(kTrtexecTimesSample, "110.3", "109")),
            "line 3: endEnqMs 109 is before startEnqMs 110");
  EXPECT_EQ(import_error("trtexec_times", "{}"), "line 1: object, expected a list");
  EXPECT_EQ(import_error("trtexec_times", "[1]"),
            "line 1: an element is number, expected an object");
  EXPECT_EQ(import_error("trtexec_times", "[]"), "no run, expected objects with 'latencyMs'");
}

}  // namespace
}  // namespace hone
