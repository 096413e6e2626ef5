#include "hone/validate/baseline.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "hone/base/str.h"
#include "hone/validate/validation_json.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class BaselineTest : public ::testing::Test {
 protected:
  BaselineTest() : path_(fs::temp_directory_path() / str("hone_baseline_", getpid(), ".json")) {}
  ~BaselineTest() override { fs::remove(path_); }

  Result<Baseline> read(const nlohmann::ordered_json& results) {
    const nlohmann::ordered_json document = {{"schema_version", "1.0"}, {"results", results}};
    std::ofstream(path_) << document.dump();
    return read_baseline(path_);
  }
  std::string error(const nlohmann::ordered_json& results) {
    const auto baseline = read(results);
    if (baseline.ok()) return "ok";
    EXPECT_TRUE(baseline.error().message.starts_with(path_.string() + ": "));
    return baseline.error().message.substr(path_.string().size() + 2);
  }

  fs::path path_;
};

TEST_F(BaselineTest, AnEarlierValidationIsReadBack) {
  Validation validation;
  validation.target = "cpu";
  validation.device = "Board, 1 thread";
  validation.metric = Metric{.name = "top1", .value = 0.5, .n = 10};
  validation.samples_ms = {1, 1.5, 1};
  const auto baseline = read(validation_to_json(validation));
  ASSERT_TRUE(baseline.ok()) << baseline.error().message;
  EXPECT_EQ(baseline->device, "Board, 1 thread");
  EXPECT_EQ(baseline->samples_ms, (std::vector<double>{1, 1.5, 1}));
  EXPECT_EQ(baseline->metric->name, "top1");
  EXPECT_EQ(baseline->metric->value, 0.5);
  EXPECT_EQ(baseline->metric->n, 10);
}

TEST_F(BaselineTest, AProfileHasTimesAlone) {
  const auto baseline = read({{"kind", "profile"}, {"target", "cpu"}, {"samples_ms", {2, 3}}});
  ASSERT_TRUE(baseline.ok()) << baseline.error().message;
  EXPECT_EQ(baseline->samples_ms, (std::vector<double>{2, 3}));
  EXPECT_FALSE(baseline->metric);
}

TEST_F(BaselineTest, WhatHoldsNothingToCompareWithIsRefused) {
  EXPECT_EQ(error({{"kind", "diff"}}), "holds neither a profile nor a validation");
  EXPECT_EQ(error({{"kind", "validation"}}),
            "holds neither times of runs nor a metric to compare with");
  EXPECT_EQ(error({{"kind", "profile"}, {"samples_ms", {1, 0}}}),
            "results.samples_ms holds 0, expected a time");
  EXPECT_EQ(error({{"kind", "profile"}, {"samples_ms", "fast"}}), "results.samples_ms is no list");
  EXPECT_FALSE(read_baseline("/nowhere.json").ok());
}

// What a gate says must be readable by machines, an SQNR without error included.
TEST(ValidationJson, HoldsEveryPart) {
  Validation validation;
  LayerErrors errors;
  errors.layers = {{.name = "conv", .op = "conv", .step = 0.5}};
  errors.layers[0].local.add({1}, {1});
  errors.layers[0].propagated.add({2}, {1});
  validation.layers = errors;
  validation.arithmetic = ArithmeticChange{.name = "per-tensor", .samples = 3, .answers = {1}};
  validation.gate = {{.what = "size", .verdict = Verdict::Fail}};
  const nlohmann::ordered_json json = validation_to_json(validation);
  EXPECT_TRUE(json["layers"]["layers"][0]["local"]["sqnr_db"].is_null());
  EXPECT_EQ(json["layers"]["layers"][0]["local"]["equal"], true);
  EXPECT_EQ(json["layers"]["layers"][0]["propagated"]["max_lsb"], 2);
  EXPECT_EQ(json["arithmetic_change"]["answers_changed"][0], 1);
  EXPECT_EQ(json["gate"][0]["verdict"], "fail");
  EXPECT_EQ(json["verdict"], "fail");
}

}  // namespace
}  // namespace hone
