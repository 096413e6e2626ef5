#include "hone/stream/stream_config.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

constexpr std::string_view kClasses = "classes = ['yes', 'no', 'silence']\n";
constexpr std::string_view kYes = "[[keyword]]\nname = 'yes'\nthreshold = 0.75\n";

std::string config_error(const std::string& text) {
  const auto config = parse_stream_config(text, "s.toml");
  return config.ok() ? "ok" : config.error().message;
}
std::string with_key(const std::string& key) {
  return config_error(str(kClasses, key, "\n", kYes));
}
std::string with_gate(const std::string& key) {
  return config_error(str(kClasses, kYes, "[gate]\n", key, "\n"));
}

TEST(StreamConfig, ReadsEveryKeyAndKeepsTheOthers) {
  const auto config = parse_stream_config(
      str(kClasses, "hop_ms = 60\nsmoothing_ms = 240\n", kYes,
          "[[keyword]]\nname = 'no'\nthreshold = 1\n[gate]\nlevel_db = -42.5\npreroll_ms = 0\n"),
      "s.toml");
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->classes.size(), 3u);
  ASSERT_EQ(config->keywords.size(), 2u);
  EXPECT_EQ(config->keywords[0].name, "yes");
  EXPECT_EQ(config->keywords[0].threshold, 0.75);
  EXPECT_EQ(config->hop_ms, 60);
  EXPECT_EQ(config->smoothing_ms, 240);
  EXPECT_EQ(config->refractory_ms, StreamConfig().refractory_ms);
  EXPECT_EQ(config->gate_db, -42.5);
  EXPECT_EQ(config->hold_ms, StreamConfig().hold_ms);
  EXPECT_EQ(config->preroll_ms, 0);
}

TEST(StreamConfig, NamesTheKeyThatIsWrongAndWhatItShouldBe) {
  EXPECT_EQ(with_key("hop_ms = 30"),
            "s.toml: line 2: hop_ms: expected a multiple of 20, found a number, 30");
  EXPECT_EQ(with_key("hop_ms = 140"),
            "s.toml: line 2: hop_ms: smoothing_ms is 600, expected a multiple of 140");
  // Whatever smoothing there is.
  EXPECT_EQ(with_key("hop_ms = 60000\nsmoothing_ms = 600"),
            "s.toml: line 2: hop_ms: expected a whole number from 20 to 1000, found a number, "
            "60000");
  EXPECT_EQ(with_key("smoothing_ms = 250"),
            "s.toml: line 2: smoothing_ms: expected a multiple of 200, found a number, 250");
  EXPECT_EQ(with_key("refractory_ms = -10"),
            "s.toml: line 2: refractory_ms: expected a whole number from 0 to 60000, found a "
            "number, -10");
  EXPECT_NE(with_key("hop = 100"), "ok");
  EXPECT_EQ(with_gate("level_db = 3"),
            "s.toml: line 6: gate.level_db: expected a number from -100 to 0, found a number, 3");
  EXPECT_NE(with_gate("hold_ms = 0"), "ok");
  EXPECT_NE(with_gate("preroll_ms = 1010"), "ok");
  EXPECT_NE(with_gate("open = true"), "ok");
}

TEST(StreamConfig, NamesTheKeyThatIsMisspelt) {
  // Not what would follow from its absence: the usual hop does not go into that smoothing.
  EXPECT_TRUE(with_key("hopms = 100\nsmoothing_ms = 300").starts_with("s.toml: line 2: hopms: "));
  EXPECT_EQ(config_error(str(kClasses, "[[keyword]]\nname = 'yes'\ntreshold = 0.5\n")),
            "s.toml: line 2: keyword[0].threshold: missing, expected a number from 0 to 1 (did you "
            "mean it by 'treshold'?)");
  EXPECT_EQ(config_error("clases = ['yes']\n"),
            "s.toml: line 1: clases: no such key (did you mean 'classes'?)");
}

TEST(StreamConfig, NamesTheKeywordThatIsNoClass) {
  EXPECT_EQ(config_error(str(kClasses, "[[keyword]]\nname = 'maybe'\nthreshold = 0.5\n")),
            "s.toml: line 3: keyword[0].name: no class 'maybe', expected one of yes, no, silence");
  EXPECT_EQ(config_error(str(kClasses, kYes, kYes)),
            "s.toml: line 6: keyword[1].name: 'yes' is there twice");
  EXPECT_EQ(
      config_error(str(kClasses, "[[keyword]]\nname = 'yes'\nthreshold = 1.5\n")),
      "s.toml: line 4: keyword[0].threshold: expected a number from 0 to 1, found a number, 1.5");
  EXPECT_NE(config_error(std::string(kClasses)), "ok");
  EXPECT_NE(config_error(std::string(kYes)), "ok");
  EXPECT_EQ(config_error(str("classes = []\n", kYes)),
            "s.toml: line 1: classes: is empty, expected a name for each output of the network");
  EXPECT_EQ(config_error(str("classes = ['yes', 'no', 'yes']\n", kYes)),
            "s.toml: line 1: classes: 'yes' is there twice");
}

}  // namespace
}  // namespace hone
