// Rules on profiles made by hand, for what no compiled network shows.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "hone/analyze/pricing.h"
#include "hone/analyze/rule_def.h"
#include "hone/targets/devices.h"

namespace hone {
namespace {

Metric metric(std::string name, double value, std::string unit) {
  return {
      .name = std::move(name), .value = value, .unit = std::move(unit), .mode = Mode::Simulated};
}

// One step of a run that counts cycles, as simulated NPUs do.
Profile engine_profile() {
  Profile profile;
  profile.target = "npu";
  profile.mode = Mode::Simulated;
  profile.threads = 0;
  profile.latency = {metric("median", 0.1, "ms")};
  profile.engines = {.cycles = 1e5};
  profile.tracks = {"matrix", "vector"};
  profile.steps.emplace_back();
  profile.steps[0].name = "step";
  profile.steps[0].us = 100;
  profile.steps[0].engines = {.cycles = 1e5, .busy = {.vector = 1e5}};
  return profile;
}

std::vector<std::string> rules_of(const std::vector<Finding>& findings) {
  std::vector<std::string> rules;
  for (const Finding& finding : findings) rules.push_back(finding.rule);
  return rules;
}

TEST(NpuRules, RulesAboutThisMachineAreNotAskedAboutAnother) {
  Profile profile = engine_profile();
  profile.unstable = {"the clock moved"};
  profile.phases = {{.name = "first_run", .value = 50, .unit = "ms"}};
  profile.overhead = {{.name = "outside_steps", .value = 30, .unit = "%"}};
  profile.steps[0].op = "transpose";
  profile.steps[0].kind.reference = true;
  const DeviceFile none;
  const CompileOptions options;
  EXPECT_EQ(rules_of(diagnose({profile, none, options})), std::vector<std::string>{});
  // So that the line above can fail.
  profile.mode = Mode::Measured;
  profile.engines.reset();
  EXPECT_EQ(rules_of(diagnose({profile, none, options})),
            (std::vector<std::string>{"reference_steps", "transposes_left", "outside_steps",
                                      "slow_first_run", "unsteady"}));
}

TEST(NpuRules, EvidenceSaysWhereItIsFrom) {
  Profile profile = engine_profile();
  profile.steps[0].op = "batch_norm";
  const DeviceFile none;
  const CompileOptions options;
  const std::vector<Finding> findings = diagnose({profile, none, options});
  ASSERT_EQ(rules_of(findings), std::vector<std::string>{"batch_norm_left"});
  EXPECT_EQ(findings[0].evidence.at(0).mode, Mode::Simulated);
  EXPECT_EQ(findings[0].evidence.at(1).mode, Mode::Exact);
}

TEST(NpuRules, EveryProfileOfAnNpuKnowsItsDevice) {
  for (const RuleDef* rule : all_rules()) {
    if (rule->on != RuleFor::Npu) continue;
    EXPECT_TRUE(rule->id.starts_with("npu_")) << rule->id;
    Profile profile = engine_profile();
    profile.target = "gone.toml";
    const DeviceFile none;
    const CompileOptions options;
    std::vector<Finding> findings;
    rule->check({profile, none, options}, findings);
    EXPECT_TRUE(findings.empty()) << rule->id;
  }
}

TEST(NpuRules, AnOperatorOfTheDeviceAloneIsNamed) {
  Result<Graph> graph = parse_graph(R"(graph(%x: f32[4]) -> (%y) {
  %y: f32[4] = custom(%x) domain="acme" op_type="SwishBeta"
})");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  Device device = **find_device("npu");
  device.npu()->operators = {{"acme.SwishBeta", "x*sigmoid(2*x)", 0.5}};
  const auto path = std::filesystem::temp_directory_path() / "hone_npu_rules_test.toml";
  std::ofstream(path) << device_text(device);
  Profile profile = engine_profile();
  profile.target = path.string();
  profile.steps[0].op = "custom";
  const DeviceFile none;
  const CompileOptions options;
  const std::vector<Finding> findings =
      diagnose({profile, none, options, &*graph, {graph->node(0)}});
  std::filesystem::remove(path);
  ASSERT_EQ(rules_of(findings), std::vector<std::string>{"npu_proprietary"});
  EXPECT_NE(findings[0].title.find("acme.SwishBeta"), std::string::npos);
  EXPECT_NE(findings[0].fix.find("x*sigmoid(2*x)"), std::string::npos);
}

}  // namespace
}  // namespace hone
