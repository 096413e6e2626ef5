// Rules about DSPs on profiles made by hand: a layer that has no flaw, and one planted at a time.

#include <gtest/gtest.h>

#include "hone/analyze/dsp_evidence.h"

namespace hone {
namespace {

Metric packet_counter(std::string name, double value) {
  return {.name = std::move(name), .value = value, .mode = Mode::Emulated};
}

// A layer of long products, whose packets are the whole run.
struct PlantedLayer {
  double packets = 1e5;
  double vectors = 2e5;
  double multiplies = 1.8e5;
  double unaligned = 1e3;
  int64_t macs = 23'000'000;
  uint64_t results = 100'000;
  double waits = 0;  // Of 1e5 cycles.
  double spilled = 0;
  double away = 0;
  double ddr = 0;
  double threads = 1;  // That could compute it together,
  double parts = 1;    // and what it is cut into.
};

Profile planted_profile(const PlantedLayer& layer) {
  Profile profile;
  profile.target = "hexagon";
  profile.mode = Mode::Predicted;
  profile.threads = 0;
  profile.latency = {{.name = "median", .value = 0.1, .unit = "ms", .mode = Mode::Predicted}};
  profile.counters = {packet_counter("packets", layer.packets)};
  StepProfile& step = profile.steps.emplace_back();
  step.name = "layer";
  step.op = "conv";
  step.us = 100;
  step.macs = layer.macs;
  step.read_bytes = layer.results;
  step.written_bytes = layer.results;
  step.counters = {packet_counter("packets", layer.packets),
                   packet_counter("vector_instructions", layer.vectors),
                   packet_counter("vector_multiplies", layer.multiplies),
                   packet_counter("unaligned_accesses", layer.unaligned),
                   packet_counter("cycles", 1e5),
                   packet_counter("waits", layer.waits),
                   packet_counter("spilled_bytes", layer.spilled),
                   packet_counter("away_bytes", layer.away),
                   packet_counter("ddr_bytes", layer.ddr),
                   packet_counter("threads", layer.threads),
                   packet_counter("parts", layer.parts)};
  return profile;
}

std::vector<Finding> dsp_findings(const Profile& profile) {
  const DeviceFile none;
  const CompileOptions options;
  std::vector<Finding> findings = diagnose({profile, none, options});
  std::erase_if(findings, [](const Finding& one) { return !one.rule.starts_with("dsp_"); });
  return findings;
}

// The one rule that finds it, with what it would save and what was counted.
void expect_found(const PlantedLayer& layer, std::string_view rule, std::string_view title,
                  double gain_ms) {
  const std::vector<Finding> findings = dsp_findings(planted_profile(layer));
  ASSERT_EQ(findings.size(), 1u) << rule;
  EXPECT_EQ(findings[0].rule, rule);
  EXPECT_NE(findings[0].title.find(title), std::string::npos) << findings[0].title;
  EXPECT_NEAR(*findings[0].gain.value, gain_ms, 1e-3);
  EXPECT_EQ(findings[0].gain.mode, Mode::Predicted);
  EXPECT_EQ(findings[0].evidence.back().mode, Mode::Emulated);
  EXPECT_FALSE(findings[0].fix.empty());
}

TEST(DspRules, ALayerThatFillsItsPacketsHasNoFlaw) {
  EXPECT_TRUE(dsp_findings(planted_profile({})).empty());
}

TEST(DspRules, ScalarLoopsAreFound) {
  expect_found({.vectors = 100, .multiplies = 0, .unaligned = 0, .macs = 0}, "dsp_scalar_loops",
               "by scalar code: conv", 0.1 * (1 - 8 * 100'000 / 128.0 / 1e5));
}

TEST(DspRules, EmptySlotsAreFound) {
  expect_found({.multiplies = 4e4}, "dsp_idle_multipliers", "80 % of the slots",
               0.1 * (1 - 0.2 / 0.8));
}

TEST(DspRules, ScalingIsFound) {
  expect_found({.results = 480'000}, "dsp_requantization", "30.0 % of the run", 0.015);
}

TEST(DspRules, UnalignedVectorsAreFound) {
  expect_found({.unaligned = 4e4}, "dsp_unaligned", "40 % of their packets", 0.02);
}

TEST(DspRules, SpillsOfVtcmAreFound) {
  expect_found({.waits = 3e4, .spilled = 1e6, .ddr = 2e6}, "dsp_vtcm_spills",
               "1 layer wait 30.0 % of the run for tensors", 0.03);
  EXPECT_TRUE(dsp_findings(planted_profile({.waits = 5e3, .spilled = 1e6})).empty()) << "little";
}

TEST(DspRules, TablesInMainMemoryAreFound) {
  expect_found({.multiplies = 0, .macs = 0, .waits = 4e4, .away = 256}, "dsp_tables_in_ddr",
               "40.0 % of the run for tables", 0.04);
}

TEST(DspRules, WeightsThatComeSlowlyAreFound) {
  expect_found({.waits = 6e4, .ddr = 1e6}, "dsp_fetch_bound", "60.0 % of the run for weights",
               0.06);
  // A small operand that has no room is not what is waited for.
  expect_found({.waits = 6e4, .spilled = 1e3, .ddr = 1e6}, "dsp_fetch_bound",
               "60.0 % of the run for weights", 0.06);
}

// Of 1e5 cycles, 1e5 packets shared out evenly among four threads take a quarter, or four times as many all of them.
TEST(DspRules, ThreadsThatStandIdleAreFound) {
  expect_found({.threads = 4}, "dsp_thread_imbalance", "75.0 % of the run: 1 layer on one of them",
               0.075);
  PlantedLayer layer{.packets = 2e5,
                     .vectors = 4e5,
                     .multiplies = 3.6e5,
                     .macs = 46'000'000,
                     .threads = 4,
                     .parts = 4};
  expect_found(layer, "dsp_thread_imbalance", "0 layers on one of them, 1 layer in uneven", 0.05);
  layer.threads = 2;
  EXPECT_TRUE(dsp_findings(planted_profile(layer)).empty()) << "two threads have as much each";
  layer.waits = 9e4;
  EXPECT_TRUE(std::ranges::none_of(dsp_findings(planted_profile(layer)), [](const Finding& one) {
    return one.rule == "dsp_thread_imbalance";
  })) << "main memory is waited for, not threads";
}

TEST(DspRules, AreAskedWherePacketsWereCounted) {
  Profile profile = planted_profile({.multiplies = 4e4});
  ASSERT_EQ(dsp_findings(profile).size(), 1u);
  profile.counters.clear();
  EXPECT_TRUE(dsp_findings(profile).empty());
  for (const RuleDef* rule : all_rules()) {
    EXPECT_EQ(rule->on == RuleFor::Dsp, rule->id.starts_with("dsp_")) << rule->id;
  }
}

}  // namespace
}  // namespace hone
