#include "hone/stream/listener.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "hone/stream/stream_text.h"

namespace hone {
namespace {

constexpr uint32_t kOne = 32768;

StreamConfig two_words() {
  return {.classes = {"yes", "no", "silence"},
          .keywords = {{"yes", 0.5}, {"no", 0.5}},
          .hop_ms = 100,
          .smoothing_ms = 300};
}

// Probabilities in 1/256, as int8 networks have them.
StreamInterface probabilities() {
  return {.rows = 49,
          .input_scale = 0.5,
          .input_zero = 0,
          .outputs = 3,
          .output_scale = 1.0 / 256,
          .output_zero = -128};
}

StreamRecipe recipe_of(const StreamConfig& config,
                       const StreamInterface& network = probabilities()) {
  const auto recipe = make_recipe(config, network);
  EXPECT_TRUE(recipe.ok());
  return *recipe;
}

// A network that always says the same, as parts of 256.
ByteNetwork says(std::vector<int> parts) {
  return [parts](std::span<const int8_t>) -> Result<std::vector<int8_t>> {
    std::vector<int8_t> outputs;
    for (const int part : parts) outputs.push_back(static_cast<int8_t>(part - 128));
    return outputs;
  };
}

std::vector<int16_t> sound(size_t pushes, int loudness) {
  std::mt19937 random(3);
  std::uniform_int_distribution<int> uniform(-loudness, loudness);
  std::vector<int16_t> samples(pushes * 160);
  for (int16_t& sample : samples) sample = static_cast<int16_t>(uniform(random));
  return samples;
}

std::vector<int16_t> joined(std::initializer_list<std::vector<int16_t>> parts) {
  std::vector<int16_t> samples;
  for (const auto& part : parts) samples.insert(samples.end(), part.begin(), part.end());
  return samples;
}

Heard heard_of(const StreamRecipe& recipe, const ByteNetwork& network,
               const std::vector<int16_t>& samples) {
  const auto heard = listen(recipe, network, samples);
  EXPECT_TRUE(heard.ok());
  return *heard;
}

TEST(Listener, DoesNothingInSilence) {
  const Heard heard = heard_of(recipe_of(two_words()), says({255, 0, 0}), sound(500, 20));
  EXPECT_EQ(heard.work.pushes, 500u + 100u);
  EXPECT_EQ(heard.work.open_pushes + heard.work.frames + heard.work.runs, 0u);
  EXPECT_TRUE(heard.detections.empty());
}

// Two of three runs that reach the threshold are not enough for it.
TEST(Listener, TellsHowNearAKeywordCame) {
  StreamConfig config = two_words();
  config.keywords = {{"yes", 0.99}, {"no", 0.5}};
  const StreamRecipe recipe = recipe_of(config);
  const Heard heard = heard_of(recipe, says({240, 16, 0}), sound(60, 3000));
  EXPECT_TRUE(heard.detections.empty());
  ASSERT_EQ(heard.highest.size(), 2u);
  EXPECT_EQ(heard.highest[0].score, kOne * 240 / 256);
  EXPECT_EQ(heard.highest[1].score, kOne * 16 / 256);
  const std::string text = heard_text(heard, recipe);
  EXPECT_TRUE(text.starts_with("0 detections; of 160 pushes")) << text;
  const std::string near = near_miss_text(heard, recipe);
  EXPECT_TRUE(near.starts_with("highest scores, of the thresholds: yes 0.938 of 0.990 at 0."))
      << near;
  EXPECT_NE(near.find(", no 0.063 of 0.500 at "), std::string::npos) << near;
}

TEST(Listener, TellsThatTheGateDidNotOpen) {
  const StreamRecipe recipe = recipe_of(two_words());
  const Heard heard = heard_of(recipe, says({255, 0, 0}), sound(500, 20));
  EXPECT_EQ(near_miss_text(heard, recipe),
            "the gate did not open: nothing was as loud as level_db of [gate] asks for\n");
}

// A terminal shows what a keyword is called and does not obey it.
TEST(Listener, NamesKeywordsAsTheyCanBeShown) {
  StreamRecipe recipe = recipe_of(two_words());
  recipe.keywords[0].name = "\x1b[2Jyes\n";
  const Heard heard{
      .detections = {{.sample = 16000, .keyword = 0, .score = 32767}}, .work = {}, .highest = {}};
  const std::string text = heard_text(heard, recipe);
  EXPECT_NE(text.find("\\x1b[2Jyes\\n\n"), std::string::npos) << text;
}

// A microphone's offset is no sound.
TEST(Listener, DoesNotHearAnOffset) {
  const std::vector<int16_t> offset(160 * 100, 5000);
  EXPECT_EQ(heard_of(recipe_of(two_words()), says({255, 0, 0}), offset).work.open_pushes, 0u);
}

TEST(Listener, OpensForSoundAndClosesAfterTheHold) {
  StreamConfig config = two_words();
  config.hold_ms = 200;
  const Heard heard = heard_of(recipe_of(config), says({0, 0, 255}),
                               joined({sound(50, 10), sound(30, 3000), sound(100, 10)}));
  EXPECT_EQ(heard.work.open_pushes, 30u + 19u);
  // Six frames of 30 ms, one every 20, are there when the gate opens: of 130 ms with the push that opened it.
  // They make a run, and the 24 of the 480 ms after that a run for every five.
  EXPECT_EQ(heard.work.frames, 6u + 24u);
  EXPECT_EQ(heard.work.runs, 1u + 4u);
}

TEST(Listener, AveragesOverRunsAndCountsThoseBeforeAsNothing) {
  StreamConfig config = two_words();
  config.keywords = {{"yes", 0.6}};
  config.refractory_ms = 0;
  const Heard heard = heard_of(recipe_of(config), says({240, 0, 0}), sound(60, 3000));
  ASSERT_GE(heard.detections.size(), 2u);
  // After two of three runs 240 / 256 * 2 / 3 is enough.
  EXPECT_EQ(heard.detections[0].score, kOne * 240 / 256 * 2 / 3);
  EXPECT_EQ(heard.detections[1].score, kOne * 240 / 256);
  EXPECT_EQ(heard.detections[1].sample, heard.detections[0].sample + 1600);
}

TEST(Listener, IsDeafForTheRefractoryTime) {
  StreamConfig config = two_words();
  config.refractory_ms = 500;
  const Heard heard = heard_of(recipe_of(config), says({200, 30, 0}), sound(200, 3000));
  ASSERT_GE(heard.detections.size(), 3u);
  for (size_t i = 1; i < heard.detections.size(); ++i) {
    EXPECT_EQ(heard.detections[i].sample - heard.detections[i - 1].sample, 8000u);
  }
}

TEST(Listener, TakesTheLikelierOfTwoKeywordsAndNoneBelowItsThreshold) {
  StreamConfig config = two_words();
  config.keywords = {{"yes", 0.2}, {"no", 0.1}};
  EXPECT_EQ(heard_of(recipe_of(config), says({100, 150, 0}), sound(60, 3000)).detections[0].keyword,
            1u);
  config.keywords = {{"yes", 0.2}, {"no", 0.9}};
  const Heard heard = heard_of(recipe_of(config), says({100, 150, 0}), sound(60, 3000));
  ASSERT_FALSE(heard.detections.empty());
  EXPECT_EQ(heard.detections[0].keyword, 0u);
}

TEST(Listener, MakesProbabilitiesOfWhatASoftmaxReads) {
  StreamConfig config = two_words();
  config.smoothing_ms = 100;
  StreamInterface network = probabilities();
  network.softmax = true;
  network.output_scale = 0.1;
  // exp(0), exp(-1), exp(-2).
  const Heard heard = heard_of(recipe_of(config, network), says({120, 110, 100}), sound(60, 3000));
  ASSERT_FALSE(heard.detections.empty());
  EXPECT_NEAR(heard.detections[0].score / 32768.0, 0.66524, 1e-4);
}

// What the network sees does not depend on when the gate opened, once a second of sound has passed.
TEST(Listener, SeesTheSoundItselfASecondAfterTheGateOpened) {
  std::vector<std::vector<int8_t>> inputs;
  const ByteNetwork network = [&](std::span<const int8_t> input) -> Result<std::vector<int8_t>> {
    inputs.emplace_back(input.begin(), input.end());
    return std::vector<int8_t>{-128, -128, 127};
  };
  const StreamRecipe recipe = recipe_of(two_words());
  const std::vector<int16_t> noise = sound(200, 3000);
  heard_of(recipe, network, joined({sound(37, 0), noise}));
  // There is a run with the first push of noise and with every tenth after it.
  const size_t end = 160 * 191;
  std::vector<int16_t> rows;
  std::vector<int16_t> row(10);
  for (size_t i = 0; i < 49; ++i) {
    recipe.mfcc.frame(std::span(noise).subspan(end - 480 - 320 * (48 - i), 480), row);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  const auto seen = std::span(noise).subspan(end - 160 * 99, 160 * 99);
  std::vector<int8_t> expected(490);
  recipe.mfcc.to_bytes(rows, recipe.mfcc.level(*std::ranges::max_element(seen)), recipe.bytes,
                       expected);
  ASSERT_GE(inputs.size(), 20u);
  EXPECT_EQ(inputs[19], expected);
}

TEST(StreamRecipe, RefusesClassesThatAreNotTheNetworks) {
  StreamConfig config = two_words();
  config.classes.pop_back();
  EXPECT_EQ(make_recipe(config, probabilities()).error().message,
            "2 classes for a network of 3 outputs, expected a name for each");
}

}  // namespace
}  // namespace hone
