// Profiles of whole networks: nothing is lost on the way from the steps to the user's layers.

#include "hone/workbench/profile_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "hone/profile/profile_json.h"
#include "hone/report/profile_text.h"
#include "hone/workbench/workbench.h"

namespace hone {
namespace {

Profile profile_of(const std::string& model_name, const std::string& target, size_t runs,
                   CounterSource counters = CounterSource::None) {
  Model model = *open_model(model_name);
  ProfileRequest request;
  request.target = target;
  request.compile.threads = 1;
  request.inputs = *make_inputs(model.graph, {}, 0);
  request.measure.stop = {.seconds = 60, .max_runs = runs, .interval = 0};
  request.measure.counters = counters;
  Result<Profile> profile = profile_model(model, request);
  EXPECT_TRUE(profile.ok()) << profile.error().message;
  return *std::move(profile);
}

class ProfileModel : public testing::TestWithParam<const char*> {};

TEST_P(ProfileModel, EverySourceLayerIsInExactlyOneGroup) {
  const Model model = *open_model(GetParam());
  const Profile profile = profile_of(GetParam(), "cpu", 5);
  ASSERT_EQ(profile.sources.size(), model.graph.sources.size());
  std::vector<int> seen(profile.sources.size());
  std::vector<int> steps(profile.steps.size());
  for (const LayerGroup& group : profile.layers) {
    for (const size_t source : group.sources) ++seen[source];
    for (const size_t step : group.steps) ++steps[step];
    EXPECT_EQ(group.steps.empty(), !group.ended.empty()) << group.name;
  }
  EXPECT_EQ(seen, std::vector<int>(seen.size(), 1));
  EXPECT_EQ(steps, std::vector<int>(steps.size(), 1));
}

// Whatever else the machine does: a watched run is its steps, one after the other, and what stands
// around them.
TEST_P(ProfileModel, StepsFollowOneAnotherWithinTheRun) {
  Model model = *open_model(GetParam());
  ProfileRequest request;
  request.compile.threads = 1;
  request.inputs = *make_inputs(model.graph, {}, 0);
  const Result<Compiled> compiled = compile_model(model, request);
  ASSERT_TRUE(compiled.ok()) << compiled.error().message;
  const std::unique_ptr<Session> session = compiled->program->open();
  const Result<Samples> samples = sample(*session, request.inputs, {.max_runs = 5}, 1);
  ASSERT_TRUE(samples.ok()) << samples.error().message;
  for (const WatchedRun& run : samples->watched) {
    EXPECT_EQ(run.ends.size(), compiled->program->steps().size());
    EXPECT_TRUE(std::ranges::is_sorted(run.ends));
    EXPECT_LE(run.ends.back(), run.whole);
  }
}

// Of the median run, within 3 %: only a quiet machine can hold that, with HONE_TIMED=1.
TEST_P(ProfileModel, StepsAddUpToTheRun) {
  if (std::getenv("HONE_TIMED") == nullptr) GTEST_SKIP() << "needs HONE_TIMED=1 and quiet";
  double percent = 0;
  for (int attempt = 0; attempt < 3 && std::abs(percent - 100) > 3; ++attempt) {
    percent = *find_metric(profile_of(GetParam(), "cpu", 15).overhead, "sum_of_steps")->value;
  }
  EXPECT_NEAR(percent, 100, 3);
}

INSTANTIATE_TEST_SUITE_P(Networks, ProfileModel,
                         testing::Values("zoo:mobilenet_v2", "zoo:resnet50"),
                         [](const auto& network) { return std::string(network.param + 4); });

TEST(ProfileTargets, EveryTargetIsProfiledTheSameWay) {
  for (const TargetDef* target : all_targets()) {
    if (target->here != nullptr && !target->here().full) continue;
    const Profile profile = profile_of("zoo:ds_cnn_kws", std::string(target->name), 5);
    EXPECT_FALSE(profile.steps.empty()) << target->name;
    EXPECT_EQ(profile.samples_ms.size(), 5u) << target->name;
    // That of GPUs tells what of a run is on the device, too.
    EXPECT_EQ(profile.phases.size(), target->name == "cuda" ? 4u : 3u) << target->name;
    const Result<Profile> back = profile_from_json(profile_to_json(profile));
    ASSERT_TRUE(back.ok()) << target->name << ": " << back.error().message;
    EXPECT_EQ(profile_csv(*back), profile_csv(profile));
  }
}

TEST(ProfileCounters, AreThereOrSayWhyNot) {
  const Profile profile = profile_of("zoo:ds_cnn_kws", "cpu", 5, CounterSource::Hardware);
  ASSERT_FALSE(profile.counters.empty());
  for (const Metric& counter : profile.counters) {
    EXPECT_TRUE(counter.value.has_value() || !counter.note.empty()) << counter.name;
  }
}

TEST(ProfileCounters, SimulatedOnesAreMarkedAndFollowTheBytes) {
  const Profile profile = profile_of("zoo:mobilenet_v2", "cpu", 5, CounterSource::Simulated);
  ASSERT_FALSE(profile.counters.empty());
  EXPECT_EQ(profile.counters[0].name, "l1_misses");
  EXPECT_EQ(profile.counters[0].mode, Mode::Simulated);
  double sum = 0;
  for (const StepProfile& step : profile.steps) sum += *step.counters[0].value;
  EXPECT_EQ(sum, *profile.counters[0].value);
  // 13 MiB of weights do not stay in the first-level cache from one run to the next.
  EXPECT_GT(sum * 64, static_cast<double>(profile.weight_bytes));
}

TEST(ChromeTrace, HasATrackPerThreadAndOneForMemory) {
  const Profile profile = profile_of("zoo:ds_cnn_kws", "cpu", 5);
  const auto events = nlohmann::json::parse(chrome_trace(profile));
  int nodes = 0;
  int memory = 0;
  for (const auto& event : events) {
    nodes += event["ph"] == "X" && event["cat"] == "Node";
    memory += event["ph"] == "C";
    if (event.contains("cat") && event["cat"] == "Node") {
      EXPECT_TRUE(event["args"].contains("op_name"));
    }
  }
  EXPECT_EQ(nodes, static_cast<int>(profile.steps.size()));
  EXPECT_EQ(memory, nodes + 1);
}

}  // namespace
}  // namespace hone
