// Two profiles of one program are never told apart, and a step that got slower is found. Both hold
// for machines as they come, so they are held to it only when asked: HONE_TIMED=1, the first under
// any load, the second on a quiet machine. HONE_TIMED_SECONDS is how long each profile is, 0.3 unless
// given.

#include "hone/profile/diff.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "hone/profile/profile_program.h"
#include "hone/workbench/workbench.h"
#include "tests/slowed_program.h"

namespace hone {
namespace {

class Diff : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("HONE_TIMED") == nullptr) GTEST_SKIP() << "only with HONE_TIMED=1";
    Model model = *open_model("zoo:ds_cnn_kws");
    inputs_ = *make_inputs(model.graph, {}, 0);
    CompileOptions options;
    options.threads = 1;
    program_ = *(*find_target("cpu"))->open()->compile(std::move(model.graph), options);
  }

  Profile measure(const Program& program) {
    ProfileOptions options;
    const char* seconds = std::getenv("HONE_TIMED_SECONDS");
    options.stop.seconds = seconds == nullptr ? 0.3 : std::atof(seconds);
    options.counters = CounterSource::None;
    Result<Profile> profile = profile_program(program, inputs_, options);
    EXPECT_TRUE(profile.ok()) << profile.error().message;
    return *std::move(profile);
  }

  std::vector<Item> inputs_;
  std::unique_ptr<Program> program_;
};

TEST_F(Diff, AHundredComparisonsOfTheSameProgramFindNothing) {
  Profile before = measure(*program_);
  std::map<std::string_view, int> verdicts;
  for (int i = 0; i < 100; ++i) {
    Profile after = measure(*program_);
    const ProfileDiff diff = diff_profiles(before, after);
    ++verdicts[name_of(diff.change)];
    EXPECT_NE(diff.change, Change::Slower) << diff.why;
    before = std::move(after);
  }
  for (const auto& [verdict, count] : verdicts) std::cout << verdict << " " << count << "\n";
}

// 5 % of the run, all in one step.
TEST_F(Diff, FivePercentInOneKernelAreFound) {
  constexpr size_t kStep = 3;
  const SlowedProgram base(*program_, kStep, 0);  // Watched, as the slowed one is.
  int found = 0;
  for (int attempt = 0; attempt < 5; ++attempt) {
    const Profile before = measure(base);
    const double seconds = 0.05 * median_ms(before) * 1e-3;
    const Profile after = measure(SlowedProgram(*program_, kStep, seconds));
    const ProfileDiff diff = diff_profiles(before, after);
    std::cout << name_of(diff.change) << ": " << diff.why << "\n";
    if (diff.change != Change::Slower) continue;
    ++found;
    const LayerChange& most = diff.layers[0];
    EXPECT_EQ(most.change, Change::Slower);
    bool holds_the_step = false;
    for (const LayerGroup& group : before.layers) {
      for (const size_t step : group.steps) {
        holds_the_step = holds_the_step || (group.name == most.name && step == kStep);
      }
    }
    EXPECT_TRUE(holds_the_step) << most.name;
  }
  EXPECT_GE(found, 4);
}

TEST(DiffLayers, NamesWhatIsGoneAndWhatIsNew) {
  const auto profile_of = [](std::vector<std::string> names) {
    Profile profile;
    for (const std::string& name : names) {
      StepProfile step;
      step.name = name;
      step.us = 10;
      step.sources = {profile.sources.size()};
      profile.layers.push_back(
          {name, {profile.sources.size()}, {profile.steps.size()}, 10, 0.5, ""});
      profile.steps.push_back(std::move(step));
      profile.sources.push_back({name, "Op"});
    }
    profile.latency = {{.name = "median", .value = 1}};
    return profile;
  };
  const ProfileDiff diff = diff_profiles(profile_of({"a", "b"}), profile_of({"b", "c"}));
  std::map<std::string, std::string> verdicts;
  for (const LayerChange& layer : diff.layers) {
    verdicts[layer.name] = layer.only_in_a ? "gone" : layer.only_in_b ? "new" : "both";
  }
  EXPECT_EQ(verdicts,
            (std::map<std::string, std::string>{{"a", "gone"}, {"b", "both"}, {"c", "new"}}));
}

}  // namespace
}  // namespace hone
