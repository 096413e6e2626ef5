#include "hone/profile/model_comparison.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace hone {
namespace {

using Names = std::vector<std::string>;

DeviceFigures figures(std::optional<double> accuracy, double ms, double mj, double bytes) {
  DeviceFigures made{.device = "phone"};
  made.latency = {
      {.name = "median", .value = ms, .unit = "ms", .mode = Mode::Predicted, .low = ms / 2}};
  made.latency[0].high = 2 * ms;
  made.energy = {.name = "energy", .value = mj, .unit = "mJ", .mode = Mode::Predicted};
  made.energy_of = "device";
  made.weights = {.name = "weights", .value = bytes, .unit = "B", .mode = Mode::Exact};
  made.activations = {.name = "activations", .value = 0, .unit = "B", .mode = Mode::Exact};
  made.accuracy = {.name = "accuracy", .value = accuracy, .unit = "%", .mode = Mode::Given};
  return made;
}

struct Named {
  std::string name;
  DeviceFigures figures;
};

ModelComparison compared(const std::vector<Named>& models, std::optional<double> limit = {}) {
  ModelComparison comparison{.max_latency_ms = limit};
  for (const Named& each : models) {
    comparison.models.push_back({.model = each.name, .devices = {each.figures}});
  }
  rank_models(comparison);
  return comparison;
}

DeviceFigures misfit() {
  return {.device = "phone", .failed = "does not fit: 9 MiB of 1 MiB"};
}

// "a b: c<a, d<a b": who is on it, and by whom the others are dominated.
std::string front(const ModelComparison& comparison, size_t which) {
  std::string on, below;
  for (const FrontPlace& place : comparison.devices[0].fronts.at(which).places) {
    if (place.on_front) on += place.name;
    if (place.dominated_by.empty()) continue;
    below += " " + place.name + "<";
    for (const std::string& name : place.dominated_by) below += name;
  }
  return on + below;
}

TEST(ModelFronts, SayWhoIsDominatedByWhom) {
  const ModelComparison comparison = compared({{"a", figures(70, 1, 9, 5)},
                                               {"b", figures(80, 2, 2, 4)},
                                               {"c", figures(75, 3, 3, 3)},
                                               {"d", figures(60, 3, 9, 9)}});
  EXPECT_EQ(front(comparison, 0), "ab c<b d<ab");
  EXPECT_EQ(front(comparison, 1), "b a<b c<b d<b");
  EXPECT_EQ(front(comparison, 2), "bc a<bc d<bc");
}

TEST(ModelFronts, EqualsAreBothOnThem) {
  EXPECT_EQ(front(compared({{"a", figures(70, 1, 1, 1)}, {"b", figures(70, 1, 1, 1)}}), 0), "ab");
  EXPECT_EQ(front(compared({{"a", figures(70, 1, 1, 1)}, {"b", figures(70, 2, 1, 1)}}), 0),
            "a b<a");
}

DeviceFigures measured(double accuracy, double ms) {
  DeviceFigures made = figures(accuracy, ms, 1, 1);
  made.latency[0].mode = Mode::Measured;
  made.latency[0].low = 0.98 * ms;
  made.latency[0].high = 1.02 * ms;
  return made;
}

TEST(ModelFronts, MeasuredTimesThatOverlapTellNothingApart) {
  EXPECT_EQ(front(compared({{"a", measured(70, 1)}, {"b", measured(70, 1.05)}}), 0), "ab");
  EXPECT_EQ(front(compared({{"a", measured(70, 1)}, {"b", measured(70, 1.2)}}), 0), "a b<a");
  EXPECT_EQ(front(compared({{"a", measured(71, 1)}, {"b", measured(70, 1.05)}}), 0), "a b<a");
}

TEST(ModelFronts, WhatIsNotKnownHasNoPlace) {
  DeviceFigures dark = figures(90, 5, 1, 1);
  dark.energy = unavailable("energy", "mJ", "no meter");
  const ModelComparison comparison = compared(
      {{"a", figures(70, 1, 5, 1)}, {"b", figures({}, 0.5, 1, 1)}, {"c", dark}, {"d", misfit()}});
  EXPECT_EQ(front(comparison, 0), "ac");
  EXPECT_EQ(front(comparison, 1), "a");
  dark.accuracy.value = 70;
  EXPECT_EQ(compared({{"a", dark}, {"b", dark}}).devices[0].fronts[1].left_out,
            "no energy is known");
}

TEST(ModelFronts, RankNoEnergiesOfDifferentThings) {
  DeviceFigures chip = figures(80, 2, 0.1, 1);
  chip.energy_of = "chip";
  const ModelComparison comparison = compared({{"a", figures(70, 1, 9, 1)}, {"b", chip}});
  EXPECT_EQ(comparison.devices[0].fronts[1].left_out,
            "energies are not of the same: of the chip, of the device");
  EXPECT_TRUE(comparison.devices[0].fronts[1].places.empty());
}

TEST(ModelFronts, RankNoAccuraciesOfDifferentKinds) {
  DeviceFigures judged = figures(0.7, 1, 1, 1);
  judged.accuracy = {.name = "top1", .value = 0.7};
  const auto why = [](const std::vector<Named>& models) {
    const ModelRanking ranking = compared(models).devices[0];
    EXPECT_EQ(ranking.fronts.empty(), !ranking.accuracy_left_out.empty());
    return ranking.accuracy_left_out;
  };
  EXPECT_EQ(why({{"a", judged}, {"b", judged}}), "");
  EXPECT_EQ(why({{"a", judged}, {"b", figures(70, 1, 1, 1)}}),
            "accuracies are not of the same kind: given for b, judged here for the others");
  EXPECT_EQ(why({{"a", figures({}, 1, 1, 1)}, {"b", misfit()}}),
            "no accuracy is known: nothing tells the models apart but what they cost");
  EXPECT_EQ(why({{"a", misfit()}, {"b", misfit()}}), "no model runs there");
  DeviceFigures alike = judged;
  alike.accuracy.name = "agreement";
  EXPECT_EQ(why({{"a", judged}, {"b", alike}}),
            "accuracies are not of the same kind: agreement, top1");
  alike.accuracy_of_itself = true;
  EXPECT_TRUE(why({{"a", alike}, {"b", alike}}).starts_with("agreement is of each model with"));
}

TEST(ModelFronts, TakeTheLesserWhereThatIsBetter) {
  ModelComparison comparison = compared(
      {{"a", figures(7, 1, 1, 1)}, {"b", figures(5, 2, 1, 1)}, {"c", figures(9, 3, 1, 1)}});
  EXPECT_EQ(front(comparison, 0), "ac b<a");
  for (DeviceComparison& model : comparison.models) model.more_accuracy_is_better = false;
  rank_models(comparison);
  EXPECT_EQ(front(comparison, 0), "ab c<ab");
}

LatencyChoice choice(const std::vector<Named>& models, double limit) {
  return *compared(models, limit).devices[0].choice;
}

// Intervals go from half to twice the median.
TEST(LatencyChoices, AreSureOfWholeIntervalsOnly) {
  const std::vector<Named> models = {{"a", figures(70, 1, 1, 1)},
                                     {"b", figures(80, 2, 1, 1)},
                                     {"c", figures(90, 4, 1, 1)},
                                     {"d", misfit()}};
  const LatencyChoice some = choice(models, 4);
  EXPECT_EQ(some.within, (Names{"a", "b"}));
  EXPECT_EQ(some.probably, Names{"c"});
  EXPECT_EQ(some.take, "b");
  EXPECT_EQ(some.take_probably, "c");
  const LatencyChoice all = choice(models, 8);
  EXPECT_EQ(all.take, "c");
  EXPECT_EQ(all.take_probably, "");
  const LatencyChoice likely = choice(models, 1);
  EXPECT_EQ(likely.take, "");
  EXPECT_EQ(likely.take_probably, "a");
  const LatencyChoice none = choice(models, 0.9);
  EXPECT_TRUE(none.within.empty() && none.probably.empty());
  EXPECT_EQ(none.take + none.take_probably, "");
}

TEST(LatencyChoices, AreNeverSureBeyondWhatWasFitted) {
  DeviceFigures beyond = figures(90, 1, 1, 1);
  beyond.covered = false;
  const LatencyChoice found = choice({{"a", beyond}, {"b", figures(70, 1, 1, 1)}}, 5);
  EXPECT_EQ(found.take, "b");
  EXPECT_EQ(found.take_probably, "a");
}

TEST(LatencyChoices, OfEqualsTakeTheFasterAndWithoutAccuracyNone) {
  const LatencyChoice same = choice({{"a", figures(70, 2, 1, 1)}, {"b", figures(70, 1, 1, 1)}}, 9);
  EXPECT_EQ(same.take, "b");
  const LatencyChoice unknown =
      choice({{"a", figures({}, 2, 1, 1)}, {"b", figures({}, 1, 1, 1)}}, 9);
  EXPECT_EQ(unknown.within, (Names{"a", "b"}));
  EXPECT_EQ(unknown.take, "");
}

TEST(ModelsJson, ReadsBackWhatWasWritten) {
  ModelComparison comparison =
      compared({{"a", figures(70, 1, 9, 5)}, {"b", figures(80, 2, 2, 4)}, {"c", misfit()}}, 3);
  for (DeviceComparison& model : comparison.models) {
    for (DeviceFigures& device : model.devices) {
      if (device.failed.empty()) derive_figures(model.terms, device);
    }
  }
  const auto json = models_to_json(comparison);
  EXPECT_EQ(json["kind"], "model_comparison");
  EXPECT_FALSE(json["models"][2]["devices"][0].contains("latency"));
  EXPECT_EQ(json["models"][0]["devices"][0]["metrics"][6]["mode"], "given");
  const Result<ModelComparison> back = models_from_json(json);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(models_to_json(*back), json);

  auto cut = json;
  cut["devices"][0]["fronts"][0]["places"].erase(0);
  EXPECT_EQ(models_from_json(cut).error().message,
            "results.devices: 'phone' has 2 places on its front of latency, expected 3");
  cut["models"] = 3;
  EXPECT_EQ(models_from_json(cut).error().message,
            "results.models: expected a list of one or more");
}

}  // namespace
}  // namespace hone
