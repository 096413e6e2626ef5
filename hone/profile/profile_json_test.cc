#include "hone/profile/profile_json.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace hone {
namespace {

Profile example() {
  Profile profile;
  profile.model = "net.onnx";
  profile.target = "cpu";
  profile.latency = {
      {.name = "median", .value = 1.5, .unit = "ms", .n = 3, .low = 1.4, .high = 1.6}};
  profile.samples_ms = {1.4, 1.5, 1.6};
  profile.counters = {unavailable("cycles", "", "no such counter")};
  profile.steps.emplace_back();
  profile.steps[0].name = "conv";
  profile.steps[0].kind = {.family = StepFamily::Product,
                           .work = "gemm_f32",
                           .variant = "neon",
                           .precision = Arithmetic::Fp32,
                           .on_host = true,
                           .tile_columns = 16};
  profile.steps[0].us = 1500;
  profile.steps[0].us_blocks = {1490, 1510};
  profile.steps[0].roof_us = 700;
  profile.steps[0].sources = {0, 1};
  profile.sources = {{"conv", "Conv"}, {"relu", "Relu"}};
  profile.layers = {{"conv + 1", {0, 1}, {0}, 1500, 1, ""}};
  profile.timeline = {{0, 0, 0, 1500}};
  profile.engines = {.cycles = 100, .busy = {.vector = 25}, .memories = {{"DRAM", 4096, 0}}};
  profile.engines->stalls[sim::Stall::Dependency] = 12;
  return profile;
}

std::string write_temporary(const std::string& text) {
  const auto path = std::filesystem::temp_directory_path() / "hone_profile_json_test.json";
  std::ofstream(path) << text;
  return path.string();
}

TEST(ProfileJson, ReadsBackWhatItWrites) {
  const nlohmann::ordered_json json = profile_to_json(example());
  const Result<Profile> back = profile_from_json(json);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(profile_to_json(*back).dump(), json.dump());
  EXPECT_EQ(back->steps[0].roof_us, 700);
  EXPECT_EQ(back->steps[0].kind.family, StepFamily::Product);
  EXPECT_EQ(back->steps[0].kind.precision, Arithmetic::Fp32);
  EXPECT_EQ(back->steps[0].kind.tile_columns, 16);
  EXPECT_TRUE(back->steps[0].kind.on_host);
  EXPECT_EQ(json["steps"][0]["kernel"], "gemm_f32 neon");
  EXPECT_FALSE(back->steps[0].busy.has_value());
  EXPECT_EQ(back->counters[0].note, "no such counter");
  ASSERT_TRUE(back->engines.has_value());
  EXPECT_EQ(back->engines->busy.vector, 25);
  EXPECT_EQ(back->engines->stalls[sim::Stall::Dependency], 12);
  EXPECT_EQ(back->engines->memories[0].read_bytes, 4096);
  EXPECT_FALSE(back->steps[0].engines.has_value());
}

TEST(ProfileJson, NamesTheKeyOfAWrongType) {
  nlohmann::ordered_json json = profile_to_json(example());
  json["steps"][0]["us"] = "fast";
  const Result<Profile> back = profile_from_json(json);
  ASSERT_FALSE(back.ok());
  EXPECT_EQ(back.error().message, "results.steps[0].us is string, expected a number");
}

TEST(ProfileJson, NamesAFamilyThatItDoesNotKnow) {
  nlohmann::ordered_json json = profile_to_json(example());
  json["steps"][0]["family"] = "magic";
  const Result<Profile> back = profile_from_json(json);
  ASSERT_FALSE(back.ok());
  EXPECT_EQ(back.error().message,
            "results.steps[0].family is \"magic\", expected a family of steps");
}

TEST(ProfileJson, RefusesWhatIsNoProfile) {
  const auto message = [](const std::string& text) {
    const Result<Profile> back = read_profile(write_temporary(text));
    return back.ok() ? std::string("read") : back.error().message;
  };
  EXPECT_NE(message("{\"schema_version\": \"1.0\", \"resu").find("cut off"), std::string::npos);
  EXPECT_NE(message("[1, 2]").find("not a result file"), std::string::npos);
  EXPECT_NE(message(R"({"schema_version": "2.1", "results": {}})").find("newer"),
            std::string::npos);
  EXPECT_NE(message(R"({"schema_version": "1.0", "results": {"kind": "bench"}})")
                .find("holds no profile"),
            std::string::npos);
}

TEST(ProfileJson, RefusesLayersThatPointNowhere) {
  nlohmann::ordered_json json = profile_to_json(example());
  json["layers"][0]["steps"][0] = 7;
  EXPECT_FALSE(profile_from_json(json).ok());
}

}  // namespace
}  // namespace hone
