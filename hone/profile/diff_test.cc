#include "hone/profile/diff.h"

#include <gtest/gtest.h>

#include "hone/profile/core_wait.h"

namespace hone {
namespace {

// A profile of groups of layers: {{"conv", "relu"}, 40} is one step of 40 us for two layers.
struct Group {
  std::vector<std::string> layers;
  double us;
};

Profile profile_of(const std::vector<Group>& groups) {
  Profile profile;
  double total = 0;
  for (const Group& group : groups) {
    LayerGroup layer{.name = group.layers[0], .sources = {}, .steps = {}, .ended = ""};
    for (const std::string& name : group.layers) {
      layer.sources.push_back(profile.sources.size());
      profile.sources.push_back({name, ""});
    }
    if (group.us > 0) {
      layer.steps = {profile.steps.size()};
      profile.steps.emplace_back().us = group.us;
    }
    layer.us = group.us;
    total += group.us;
    profile.layers.push_back(std::move(layer));
  }
  profile.latency = {{.name = "median", .value = total * 1e-3, .unit = "ms"}};
  return profile;
}

const LayerChange* find(const ProfileDiff& diff, std::string_view name) {
  for (const LayerChange& layer : diff.layers) {
    if (layer.name == name) return &layer;
  }
  return nullptr;
}

TEST(Diff, MatchesLayersByName) {
  const ProfileDiff diff = diff_profiles(profile_of({{{"conv"}, 60}, {{"relu"}, 40}}),
                                         profile_of({{{"relu"}, 41}, {{"conv"}, 30}}));
  ASSERT_EQ(diff.layers.size(), 2u);
  EXPECT_EQ(diff.change, Change::Faster);
  EXPECT_EQ(find(diff, "conv")->change, Change::Faster);
  EXPECT_EQ(find(diff, "conv")->delta_us(), -30);
  EXPECT_EQ(find(diff, "relu")->change, Change::Same);
}

TEST(Diff, SaysWhenTheModelsAreNotTheSame) {
  Profile a = profile_of({{{"conv"}, 60}, {{"relu"}, 40}});
  Profile b = profile_of({{{"conv"}, 60}, {{"gelu"}, 40}, {{"add"}, 1}});
  a.model = b.model = "net.onnx";
  EXPECT_EQ(diff_profiles(a, a).models, "");
  EXPECT_EQ(diff_profiles(a, b).models,
            "of different models: net.onnx with 2 layers and net.onnx with 3, 1 in common");
  b.sources.push_back({"weights", "Constant"});
  EXPECT_EQ(diff_profiles(a, b).models,
            "of different models: net.onnx with 2 layers and net.onnx with 3, 1 in common");
  b.tool = "trtexec";
  EXPECT_EQ(diff_profiles(a, b).models, "");
  b = profile_of({{{"gelu"}, 40}});
  b.tool = "trtexec";
  EXPECT_NE(diff_profiles(a, b).models, "");
  Profile renamed = a;
  renamed.model = "other.onnx";
  EXPECT_NE(diff_profiles(a, renamed).models, "");
}

TEST(Diff, IsUnclearWithoutALatency) {
  const Profile a = profile_of({{{"conv"}, 60}});
  Profile none = a;
  none.latency = {unavailable("median", "ms", "does not fit")};
  EXPECT_EQ(diff_profiles(a, none).change, Change::Unclear);
  EXPECT_EQ(diff_profiles(a, none).why, "the second profile has no latency");
}

// One tool fused conv and relu, the other relu and add: all three are compared as one.
TEST(Diff, ComparesWhatWasMergedDifferentlyAsOne) {
  const ProfileDiff diff =
      diff_profiles(profile_of({{{"conv", "relu"}, 50}, {{"add"}, 10}, {{"pool"}, 7}}),
                    profile_of({{{"conv"}, 45}, {{"relu", "add"}, 20}, {{"pool"}, 7}}));
  ASSERT_EQ(diff.layers.size(), 2u);
  EXPECT_EQ(diff.layers[0].name, "conv");
  EXPECT_EQ(diff.layers[0].us_a, 60);
  EXPECT_EQ(diff.layers[0].us_b, 65);
}

// A layer of a .tflite file is three nodes of the ONNX file that is written from it.
TEST(Diff, MatchesALayerWithTheNumberedNodesItWasWrittenAs) {
  const ProfileDiff diff = diff_profiles(
      profile_of({{{"conv"}, 50}, {{"pool"}, 7}}),
      profile_of({{{"conv"}, 0}, {{"conv.2", "conv.3"}, 25}, {{"pool"}, 7}, {{"pool.x"}, 1}}));
  ASSERT_EQ(diff.layers.size(), 3u);
  EXPECT_EQ(diff.layers[0].name, "conv");
  EXPECT_EQ(diff.layers[0].us_a, 50);
  EXPECT_EQ(diff.layers[0].us_b, 25);
  EXPECT_EQ(diff.layers[0].change, Change::Faster);
  EXPECT_TRUE(find(diff, "pool.x")->only_in_b);
}

TEST(Diff, KeepsNumberedLayersOfBothFilesApart) {
  const Profile profile = profile_of({{{"conv"}, 50}, {{"conv.2"}, 30}});
  EXPECT_EQ(diff_profiles(profile, profile).layers.size(), 2u);
}

TEST(Diff, TellsLayersOfOneProfileOnly) {
  const ProfileDiff diff = diff_profiles(profile_of({{{"conv"}, 50}, {{"reshape"}, 0}}),
                                         profile_of({{{"conv"}, 50}, {{"copy"}, 5}}));
  ASSERT_EQ(diff.layers.size(), 2u);
  EXPECT_TRUE(find(diff, "copy")->only_in_b);
  EXPECT_EQ(find(diff, "reshape"), nullptr);  // It took no time and is gone: no difference.
}

TEST(Diff, SpeaksOfPartsOfAMeasurementOnlyWhereThereAreAny) {
  const Profile a = profile_of({{{"conv"}, 50}}), b = profile_of({{{"conv"}, 60}});
  EXPECT_EQ(diff_profiles(a, b).why, "the latency moved by 20.0 %, more than the limit of 3.0 %");
}

TEST(Diff, TakesTheMeanWhereNoMedianWasTold) {
  Profile a = profile_of({{{"conv"}, 50}});
  a.latency[0].name = "mean";
  EXPECT_EQ(diff_profiles(a, profile_of({{{"conv"}, 50}})).change, Change::Same);
  EXPECT_EQ(diff_profiles(a, profile_of({{{"conv"}, 60}})).change, Change::Slower);
}

// A run of `ms`, measured while the yardstick took `yardstick_us` and threads waited for a core
// during a part of the time.
Profile measured(double ms, double yardstick_us, double waited) {
  Profile profile = profile_of({{{"conv"}, 1e3 * ms}});
  for (int i = 0; i < 80; ++i) profile.samples_ms.push_back(ms * (1 + 0.001 * (i % 3)));
  profile.system = {{.name = "measured_for", .value = 2.0, .unit = "s"},
                    {.name = "run_queue_wait", .value = 2.0 * waited, .unit = "s"},
                    {.name = "yardstick",
                     .value = yardstick_us,
                     .unit = "us",
                     .low = 0.999 * yardstick_us,
                     .high = 1.001 * yardstick_us}};
  return profile;
}

TEST(Diff, FindsFivePercentOnASteadyMachine) {
  EXPECT_EQ(diff_profiles(measured(1, 5, 0), measured(1.05, 5, 0)).change, Change::Slower);
  EXPECT_EQ(diff_profiles(measured(1.05, 5, 0), measured(1, 5, 0)).change, Change::Faster);
}

TEST(Diff, LeavesOpenWhatTheMachineMayHaveDone) {
  const ProfileDiff slower_clock = diff_profiles(measured(1, 5, 0), measured(1.05, 5.2, 0));
  EXPECT_EQ(slower_clock.change, Change::Unclear);
  EXPECT_NE(slower_clock.why.find("a yardstick by 4.2 %"), std::string::npos) << slower_clock.why;
  const ProfileDiff shared_core = diff_profiles(measured(1, 5, 0.3), measured(1.5, 5, 0));
  EXPECT_EQ(shared_core.change, Change::Unclear);
  EXPECT_NE(shared_core.why.find("waited for a core during 30 %"), std::string::npos)
      << shared_core.why;
  EXPECT_EQ(diff_profiles(measured(1, 5, 0), measured(1.5, 5.2, 0)).change, Change::Slower);
}

TEST(Diff, PartsOfWaitingAreOfAllThreads) {
  Profile four = measured(1, 5, 1.33);
  four.threads = 4;
  EXPECT_NEAR(core_wait(four).part, 0.3325, 1e-9);
  const std::string why = diff_profiles(four, measured(1.5, 5, 0)).why;
  EXPECT_NE(why.find("waited for a core during 33 % of their time"), std::string::npos) << why;
  four.threads = 0;  // As other tools leave it: no part is more than the whole.
  EXPECT_EQ(core_wait(four).part, 1);
  // One of many that waits holds up the others.
  Profile many = measured(1, 5, 0.1);
  many.threads = 64;
  EXPECT_TRUE(core_wait(many).busy());
  EXPECT_EQ(text_of(core_wait(many)), "threads waited for a core during 0.2 % of their time");
}

}  // namespace
}  // namespace hone
