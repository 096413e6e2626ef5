#include "hone/profile/old_profile.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "hone/kernels/gemm/gemm.h"
#include "hone/profile/profile_json.h"

namespace hone {
namespace {

// A step as schema 1.0 has it.
StepKind kind_of(const std::string& kernel, const std::string& precision = "fp32",
                 bool on_host = false) {
  nlohmann::ordered_json step = {{"name", "a"},
                                 {"op", "conv"},
                                 {"kernel", kernel},
                                 {"precision", precision},
                                 {"reference", kernel == "reference"},
                                 {"on_host", on_host},
                                 {"us", 10}};
  const Result<Profile> profile =
      profile_from_json({{"kind", "profile"}, {"steps", nlohmann::ordered_json::array({step})}});
  EXPECT_TRUE(profile.ok()) << (profile.ok() ? "" : profile.error().message);
  return profile.ok() ? profile->steps[0].kind : StepKind{};
}

TEST(OldProfile, KernelNamesBecomeFamilies) {
  const auto family = [](const std::string& kernel) { return kind_of(kernel).family; };
  EXPECT_EQ(family("gemm_u8 neon_dot"), StepFamily::Product);
  EXPECT_EQ(family("winograd_f32 4x4 neon"), StepFamily::Winograd);
  EXPECT_EQ(family("depthwise_i8 hwy"), StepFamily::Depthwise);
  EXPECT_EQ(family("hybrid_depthwise hwy"), StepFamily::Depthwise);
  EXPECT_EQ(family("hybrid_i8 hwy"), StepFamily::Hybrid);
  EXPECT_EQ(family("lstm gemm_f32 neon"), StepFamily::Recurrent);
  EXPECT_EQ(family("softmax hwy"), StepFamily::Rows);
  EXPECT_EQ(family("matrix engine"), StepFamily::Product);
  EXPECT_EQ(family("vector engine"), StepFamily::Other);
  EXPECT_EQ(family("depthwise FusedConv CPUExecutionProvider"), StepFamily::Depthwise);
  EXPECT_EQ(family("reference"), StepFamily::Other);
  EXPECT_TRUE(kind_of("reference").reference);
  EXPECT_TRUE(kind_of("host", "int8", true).on_host);
}

TEST(OldProfile, NamesStayAsTheyWere) {
  for (const char* kernel : {"gemm_f32 neon", "winograd_f32 4x4 neon", "reference", "",
                             "grid (128, 2, 1), block (256, 1, 1)"}) {
    EXPECT_EQ(kernel_name(kind_of(kernel)), kernel);
  }
  EXPECT_EQ(kind_of("gemm_f32 neon").work, "gemm_f32");
}

TEST(OldProfile, TilesAreThoseOfTheKernelNamed) {
  const auto& variant = gemm_f32_variants().front();
  EXPECT_EQ(kind_of("gemm_f32 " + std::string(variant.name)).tile_columns,
            static_cast<int64_t>(variant.run.step));
  EXPECT_EQ(kind_of("gemm_f32 of another machine").tile_columns, 0);
}

TEST(OldProfile, ElementTypesBecomePrecisions) {
  const auto precision = [](const char* old) { return kind_of("copy", old).precision; };
  EXPECT_EQ(precision("int8"), Arithmetic::Int8);
  EXPECT_EQ(precision("i64"), Arithmetic::Int64);
  EXPECT_EQ(precision("u32"), Arithmetic::Int32);
  EXPECT_EQ(precision("f8e4m3fn"), Arithmetic::Fp8);
  EXPECT_EQ(precision("string"), Arithmetic::Text);
  EXPECT_EQ(precision("u4"), Arithmetic::Int4);
  EXPECT_EQ(precision(""), Arithmetic::Unknown);
}

nlohmann::ordered_json counter(const char* name, double value, const char* unit) {
  return {{"name", name}, {"value", value}, {"unit", unit}, {"mode", "simulated"}};
}

TEST(OldProfile, CountersOfEnginesBecomeTheirFields) {
  const nlohmann::ordered_json counters = {counter("cycles", 200, ""),
                                           counter("matrix_busy", 60, "%"),
                                           counter("dma_busy", 50, "%"),
                                           counter("mac_utilisation", 30, "%"),
                                           counter("commands", 7, ""),
                                           counter("stall_weights_late", 40, "cycles"),
                                           counter("DRAM_read", 100, "B"),
                                           counter("DRAM_written", 20, "B"),
                                           counter("on_chip_flash_read", 5, "B"),
                                           counter("energy", 1.5, "uJ"),
                                           counter("of_another", 3, "")};
  const Result<Profile> profile = profile_from_json(
      {{"counters", counters},
       {"steps", nlohmann::ordered_json::array({{{"name", "a"}, {"counters", counters}}})}});
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  for (const auto& engines : {profile->engines, profile->steps[0].engines}) {
    ASSERT_TRUE(engines.has_value());
    EXPECT_DOUBLE_EQ(engines->cycles, 200);
    EXPECT_DOUBLE_EQ(engines->busy.matrix, 120);
    EXPECT_DOUBLE_EQ(engines->busy.dma, 100);
    EXPECT_DOUBLE_EQ(engines->macs / engines->possible_macs, 0.3);
    EXPECT_DOUBLE_EQ(engines->commands, 7);
    EXPECT_DOUBLE_EQ(engines->stalls[sim::Stall::WeightsLate], 40);
    ASSERT_EQ(engines->memories.size(), 2u);
    EXPECT_EQ(engines->memories[0].name, "DRAM");
    EXPECT_DOUBLE_EQ(engines->memories[0].written_bytes, 20);
    EXPECT_EQ(engines->memories[1].name, "on_chip_flash");
    EXPECT_DOUBLE_EQ(engines->energy_uj, 1.5);
  }
  ASSERT_EQ(profile->counters.size(), 1u);
  EXPECT_EQ(profile->counters[0].name, "of_another");
}

TEST(OldProfile, CountersOfACpuStayCounters) {
  const nlohmann::ordered_json counters = nlohmann::ordered_json::array({counter("cycles", 9, "")});
  const Result<Profile> profile = profile_from_json(
      {{"counters", counters},
       {"steps", nlohmann::ordered_json::array({{{"name", "a"}, {"counters", counters}}})}});
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_FALSE(profile->engines.has_value());
  EXPECT_EQ(profile->steps[0].counters.size(), 1u);
}

TEST(OldProfile, ThePresentFormIsLeftAlone) {
  Profile profile;
  profile.steps.emplace_back();
  EXPECT_FALSE(renewed_profile(profile_to_json(profile)).has_value());
  EXPECT_FALSE(renewed_profile(nlohmann::ordered_json::array()).has_value());
}

}  // namespace
}  // namespace hone
