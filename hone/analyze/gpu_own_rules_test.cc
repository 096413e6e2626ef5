// Rules about Hone's own runs on a GPU, and what they take for its roofs, on profiles made by hand.

#include <gtest/gtest.h>

#include "hone/analyze/gpu_evidence.h"
#include "hone/analyze/gpu_roofs.h"
#include "hone/profile/gpu_run.h"

namespace hone {
namespace {

// A run of 1000 us on an H200 as its driver tells of it; nothing else is known.
Profile own_run() {
  Profile profile;
  profile.target = "cuda";
  profile.latency = {{.name = "median", .value = 1, .unit = "ms"}};
  profile.gpu = GpuTimeline{.capability = "9.0",
                            .processors = 132,
                            .clock_mhz = 1980,
                            .memory_rate = 4.9e12,
                            .l2_bytes = 60'000'000,
                            .run_us = 1000,
                            .busy_us = 1000};
  return profile;
}

StepProfile step_of(StepFamily family, Arithmetic precision, double us) {
  StepProfile step;
  step.us = us;
  step.kind = {.family = family, .precision = precision};
  return step;
}

void count(StepProfile& step, std::string name, double value) {
  step.counters.push_back({.name = std::move(name), .value = value});
}

// Profiles of step s of the graph's node s.
std::vector<Finding> own_findings(const Profile& profile, const Graph* graph = nullptr) {
  const DeviceFile none;
  const CompileOptions options;
  Evidence evidence{.profile = profile, .device = none, .options = options, .graph = graph};
  if (graph != nullptr) {
    for (const Node* node : graph->nodes()) evidence.nodes.push_back(node);
  }
  return diagnose(evidence);
}

const Finding* told_by(const std::vector<Finding>& findings, const std::string& rule) {
  for (const Finding& finding : findings) {
    if (finding.rule == rule) return &finding;
  }
  return nullptr;
}

double gain_us(const std::vector<Finding>& findings, const std::string& rule) {
  const Finding* found = told_by(findings, rule);
  return found == nullptr ? 0 : 1e3 * *found->gain.value;
}

TEST(GpuRoofs, ComeOfClockSizeAndMemory) {
  const GpuRoofs roofs = *gpu_roofs(*own_run().gpu);
  EXPECT_NEAR(roofs.fp32_macs, 1980.0 * 132 * 128, 1);  // 33.5 million a microsecond: 67 TFLOP/s.
  EXPECT_NEAR(roofs.half_ratio(), 15, 1e-9);
  EXPECT_NEAR(roofs.macs(Arithmetic::Bf16), 15 * roofs.macs(Arithmetic::Fp32), 1);
  EXPECT_NEAR(roofs.macs(Arithmetic::Tf32), 7.5 * roofs.macs(Arithmetic::Fp32), 1);
  EXPECT_NEAR(roofs.memory_bytes, 4.9e6, 1);
  GpuTimeline unknown;
  unknown.capability = "6.1";
  EXPECT_FALSE(gpu_roofs(unknown).has_value());
}

TEST(GpuRoofs, KnowWhatTheCacheHolds) {
  Profile profile = own_run();
  const GpuRoofs roofs = *gpu_roofs(*profile.gpu);
  StepProfile step = step_of(StepFamily::Elementwise, Arithmetic::Fp32, 100);
  step.read_bytes = step.written_bytes = 1'000'000;
  step.weight_bytes = 1'000'000;
  EXPECT_FALSE(gpu_traffic(roofs, profile, step).memory);
  EXPECT_NEAR(gpu_traffic(roofs, profile, step).us, 3e6 / roofs.cache_bytes, 1e-9);
  profile.weight_bytes = 100'000'000;  // Of all layers: this one's are gone when their turn comes.
  EXPECT_NEAR(gpu_traffic(roofs, profile, step).us, 2e6 / roofs.cache_bytes + 1e6 / 4.9e6, 1e-9);
  step.read_bytes = 100'000'000;
  EXPECT_TRUE(gpu_traffic(roofs, profile, step).memory);
}

TEST(OwnGpuRules, StepsThatTakeWhatTheirBytesTakeGainHalf) {
  Profile profile = own_run();
  StepProfile step = step_of(StepFamily::Rows, Arithmetic::Fp32, 200);
  step.read_bytes = step.written_bytes = 400'000'000;  // 163 us at the memory's rate.
  profile.steps = {step};
  const std::vector<Finding> findings = own_findings(profile);
  EXPECT_NEAR(gain_us(findings, "gpu_memory_bound"), 100, 1e-6);
  EXPECT_EQ(told_by(findings, "gpu_memory_bound")->hint.of, "fp16");
  EXPECT_NE(told_by(findings, "gpu_memory_bound")->title.find("memory"), std::string::npos);
  profile.steps[0].us = 400;  // Something else holds it back.
  EXPECT_EQ(told_by(own_findings(profile), "gpu_memory_bound"), nullptr);
  profile.steps[0].us = 200;
  profile.steps[0].kind.precision = Arithmetic::Fp16;
  EXPECT_EQ(told_by(own_findings(profile), "gpu_memory_bound"), nullptr);
}

// As NVML told of a card that a limit of 300 W held back.
TEST(OwnGpuRules, AClockThatIsHeldBackIsNamedWithItsReason) {
  Profile profile = own_run();
  profile.gpu->running_mhz = 1320;
  EXPECT_TRUE(own_findings(profile).empty());  // Nothing kept it from running faster.
  profile.gpu->slowed_by = {"power limit"};
  profile.gpu->copies = {{.what = "HtoD, pinned", .count = 1, .us = 10, .bytes = 100}};
  const std::vector<Finding> findings = own_findings(profile);
  EXPECT_NEAR(gain_us(findings, "gpu_throttled"), 990 * (1 - 1320.0 / 1980), 1e-6);
  EXPECT_NE(findings[0].title.find("67 % of its clock, held back by power limit"),
            std::string::npos)
      << findings[0].title;
  EXPECT_NE(findings[0].fix.find("power"), std::string::npos);
  profile.gpu->slowed_by = {"heat"};
  EXPECT_NE(own_findings(profile)[0].fix.find("cool"), std::string::npos);
  profile.gpu->running_mhz = 1935;  // A few steps below.
  EXPECT_EQ(told_by(own_findings(profile), "gpu_throttled"), nullptr);
}

// The same of a profile of another tool.
TEST(OwnGpuRules, SectorsThatAreFetchedForLittleAreCounted) {
  Profile profile = own_run();
  profile.tool = "nsight compute";
  StepProfile step = step_of(StepFamily::Elementwise, Arithmetic::Fp32, 400);
  count(step, "Memory Throughput", 80);
  count(step, "Compute (SM) Throughput", 10);
  count(step, "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", 12.5);
  profile.steps = {step};
  EXPECT_NEAR(gain_us(own_findings(profile), "gpu_uncoalesced"), 400 * (1 - 0.125), 1e-6);
  profile.steps[0].counters[1].value = 90;  // It computes all the time.
  EXPECT_EQ(told_by(own_findings(profile), "gpu_uncoalesced"), nullptr);
  profile.steps[0].counters[1].value = 10;
  profile.steps[0].counters[2].value = 100;
  EXPECT_EQ(told_by(own_findings(profile), "gpu_uncoalesced"), nullptr);
  count(profile.steps[0], "memory_l2_theoretical_sectors_global", 1000);
  count(profile.steps[0], "memory_l2_theoretical_sectors_global_ideal", 250);
  EXPECT_NEAR(gain_us(own_findings(profile), "gpu_uncoalesced"), 400 * 0.75, 1e-6);
  // Sectors that were counted tell more than the mean of loads.
  profile.steps[0].counters[2].value = 12.5;
  EXPECT_NEAR(gain_us(own_findings(profile), "gpu_uncoalesced"), 400 * 0.75, 1e-6);
}

Graph graph_of(const char* text) {
  Result<Graph> graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  return *std::move(graph);
}

TEST(OwnGpuRules, ChannelsThatFillNoAccessAreNamed) {
  const auto product = [](const char* channels) {
    std::string text =
        "graph(%x: f16[64,N], %w: f16[N,64]) -> (%y) {\n  %y: f16[64,64] = matmul(%x, %w)\n}\n";
    for (size_t at = 0; (at = text.find('N', at)) != std::string::npos;) {
      text.replace(at, 1, channels);
    }
    return graph_of(text.c_str());
  };
  Profile profile = own_run();
  profile.steps = {step_of(StepFamily::Product, Arithmetic::Fp16, 500)};
  const Graph odd = product("63");
  const std::vector<Finding> findings = own_findings(profile, &odd);
  ASSERT_NE(told_by(findings, "gpu_odd_channels"), nullptr);
  EXPECT_GT(gain_us(findings, "gpu_odd_channels"), 100);
  EXPECT_LT(gain_us(findings, "gpu_odd_channels"), 400);
  EXPECT_NE(told_by(findings, "gpu_odd_channels")->fix.find("64 channels"), std::string::npos);
  for (const char* whole : {"64", "3"}) {  // Of images there are three.
    const Graph graph = product(whole);
    EXPECT_EQ(told_by(own_findings(profile, &graph), "gpu_odd_channels"), nullptr) << whole;
  }
}

TEST(OwnGpuRules, WorkSideBySideIsSeenAsOne) {
  const Graph graph = graph_of(
      "graph(%x: f32[100], %z: f32[100]) -> (%c, %b) {\n  %a: f32[100] = relu(%x)\n"
      "  %b: f32[100] = relu(%z)\n  %c: f32[100] = relu(%a)\n}\n");
  Profile profile = own_run();
  profile.steps.assign(3, step_of(StepFamily::Elementwise, Arithmetic::Fp32, 100));
  for (StepProfile& step : profile.steps) {
    step.op = "relu";
    count(step, "Waves Per SM", 0.25);
  }
  // The third waits for the first.
  const std::vector<Finding> findings = own_findings(profile, &graph);
  ASSERT_NE(told_by(findings, "gpu_split_work"), nullptr);
  EXPECT_EQ(told_by(findings, "gpu_split_work")->steps, (std::vector<size_t>{0, 1}));
  EXPECT_NEAR(gain_us(findings, "gpu_split_work"), 100, 1e-6);
  for (StepProfile& step : profile.steps) step.counters[0].value = 1.5;
  EXPECT_EQ(told_by(own_findings(profile, &graph), "gpu_split_work"), nullptr);
}

TEST(OwnGpuRules, APassBehindAProductIsSeen) {
  const Graph graph = graph_of(
      "graph(%x: f16[64,64], %w: f16[64,64], %f: f16[64,64]) -> (%y) {\n"
      "  %p: f16[64,64] = matmul(%x, %w)\n  %y: f16[64,64] = mul(%p, %f)\n}\n");
  Profile profile = own_run();
  profile.steps = {step_of(StepFamily::Product, Arithmetic::Fp16, 500),
                   step_of(StepFamily::Elementwise, Arithmetic::Fp16, 60)};
  EXPECT_NEAR(gain_us(own_findings(profile, &graph), "gpu_lone_pass"), 60, 1e-6);
  profile.steps[0].kind.family = StepFamily::Rows;
  EXPECT_EQ(told_by(own_findings(profile, &graph), "gpu_lone_pass"), nullptr);
}

TEST(OwnGpuRules, TransposesOfInputsAndInsideAreToldApart) {
  const Graph graph = graph_of(
      "graph(%x: f32[2,4]) -> (%c) {\n  %h: f16[2,4] = cast(%x) to=f16\n"
      "  %a: f16[4,2] = transpose(%h) perm=[1,0]\n  %b: f16[4,2] = relu(%a)\n"
      "  %c: f16[2,4] = transpose(%b) perm=[1,0]\n}\n");
  Profile profile = own_run();
  profile.steps.assign(4, step_of(StepFamily::Movement, Arithmetic::Fp16, 100));
  for (size_t s = 0; s < 4; ++s) profile.steps[s].op = graph.node(s)->op;
  profile.steps[3].us = 200;
  const std::vector<Finding> findings = own_findings(profile, &graph);
  ASSERT_GE(findings.size(), 2u);
  EXPECT_EQ(findings[0].rule, "gpu_layout_changes");
  EXPECT_EQ(findings[0].steps, std::vector<size_t>{3});
  EXPECT_EQ(findings[1].steps, std::vector<size_t>{1});
  EXPECT_NE(findings[1].fix.find("inputs channels last"), std::string::npos);
}

// Behind the host's step the GPU is started once more: half of what two starts take.
TEST(OwnGpuRules, AHostInBetweenStartsTheGpuAgain) {
  const Graph graph = graph_of(
      "graph(%x: f32[8]) -> (%c) {\n  %a: f32[8] = relu(%x)\n  %b: f32[8] = cum_sum(%a, i64[]{0})\n"
      "  %c: f32[8] = relu(%b)\n}\n");
  Profile profile = own_run();
  profile.steps.assign(3, step_of(StepFamily::Elementwise, Arithmetic::Fp32, 100));
  profile.steps[1].kind.on_host = true;
  profile.gpu->busy_us = 260;  // 60 more than its steps.
  profile.gpu->launching_us = 20;
  EXPECT_NEAR(gain_us(own_findings(profile, &graph), "gpu_fallback"), 100 + (60 + 20) / 2.0 - 2.5,
              1e-6);
  profile.steps[1].kind.on_host = false;
  profile.steps[2].kind.on_host = true;
  EXPECT_NEAR(gain_us(own_findings(profile, &graph), "gpu_fallback"), 100 - 2.5, 1e-6);
}

TEST(OwnGpuRules, InputsAndOutputsArePricedApart) {
  Profile profile = own_run();
  profile.gpu->copies = {{.what = "HtoD, pinned", .count = 1, .us = 100, .bytes = 5000},
                         {.what = "DtoH, pinned", .count = 1, .us = 200, .bytes = 9000}};
  profile.gpu->host_work = {{std::string(kBindingInputs), 1, 60, 0},
                            {std::string(kGivingOutputs), 1, 150, 0}};
  const std::vector<Finding> findings = own_findings(profile);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].rule, "gpu_copies");
  EXPECT_NEAR(*findings[0].gain.value, 0.350, 1e-9);  // Outputs, all of it.
  EXPECT_NEAR(*findings[1].gain.value, 0.080, 1e-9);  // Inputs in half as many bytes.
  EXPECT_NE(findings[0].title.find("outputs"), std::string::npos);
}

TEST(OwnGpuRules, ABatchSharesWhatTheHostDoesAndFillsTheGpu) {
  Profile profile = own_run();
  profile.gpu->launching_us = 160;
  StepProfile small = step_of(StepFamily::Product, Arithmetic::Fp16, 400);
  count(small, "Waves Per SM", 0.05);
  StepProfile half = step_of(StepFamily::Product, Arithmetic::Fp16, 100);
  count(half, "Waves Per SM", 0.5);
  profile.steps = {small, half};
  EXPECT_NEAR(gain_us(own_findings(profile), "gpu_small_kernels"),
              400 * 7 / 8.0 + 100 * 0.5 + 160 * 7 / 8.0, 1e-6);
  // So does the start of a copy, but not its bytes.
  profile.gpu->copies = {{.what = "HtoD, pinned", .count = 1, .us = 8, .bytes = 90'000}};
  EXPECT_NEAR(gain_us(own_findings(profile), "gpu_small_kernels"),
              400 * 7 / 8.0 + 100 * 0.5 + 160 * 7 / 8.0 + 8 - 2, 1e-6);
  profile.gpu->copies.clear();
  // Cores that are busy already are not shared.
  profile.steps[0].macs = static_cast<int64_t>(200 * gpu_roofs(*profile.gpu)->half_macs);
  EXPECT_NEAR(gain_us(own_findings(profile), "gpu_small_kernels"),
              400 * 0.5 + 100 * 0.5 + 160 * 7 / 8.0, 1e-6);
}

// 536 blocks where 528 have room, four on each multiprocessor: a few have five to do.
TEST(OwnGpuRules, ATailTakesWhatIsLeftToOneMultiprocessor) {
  Profile profile = own_run();
  StepProfile step = step_of(StepFamily::Product, Arithmetic::Fp16, 600);
  count(step, "blocks", 536);
  count(step, "Waves Per SM", 536.0 / 528);
  profile.steps = {step};
  EXPECT_NEAR(gain_us(own_findings(profile), "gpu_tail_wave"), 600 * (1 - 536.0 / 132 / 5), 1e-6);
  profile.tool = "nsight compute";  // Which tells waves.
  EXPECT_NEAR(gain_us(own_findings(profile), "gpu_tail_wave"), 600 * (1 - 536.0 / 528 / 2), 1e-6);
  profile.tool = "hone";
  profile.steps[0].counters = {{.name = "blocks", .value = 528},
                               {.name = "Waves Per SM", .value = 1}};
  EXPECT_EQ(told_by(own_findings(profile), "gpu_tail_wave"), nullptr);
  // There is room for two: none of them waits.
  profile.steps[0].counters = {{.name = "blocks", .value = 136},
                               {.name = "Waves Per SM", .value = 0.26}};
  EXPECT_EQ(told_by(own_findings(profile), "gpu_tail_wave"), nullptr);
}

TEST(OwnGpuRules, WhatLimitsTheWarpsIsNamed) {
  Profile profile = own_run();
  StepProfile step = step_of(StepFamily::Rows, Arithmetic::Fp16, 600);
  count(step, "Waves Per SM", 4);
  count(step, "Theoretical Occupancy", 25);
  count(step, "Block Limit Registers", 8);
  count(step, "Block Limit Shared Mem", 2);
  profile.steps = {step};
  const std::vector<Finding> findings = own_findings(profile);
  ASSERT_NE(told_by(findings, "gpu_low_occupancy"), nullptr);
  EXPECT_NEAR(gain_us(findings, "gpu_low_occupancy"), 600 * (1 - 25.0 / 60), 1e-6);
  EXPECT_NE(findings[0].title.find("held back by shared memory"), std::string::npos);
  profile.steps[0].counters[1].value = 75;
  EXPECT_EQ(told_by(own_findings(profile), "gpu_low_occupancy"), nullptr);
}

TEST(OwnGpuRules, Int8GainsWhatItsKernelsGive) {
  Profile profile = own_run();
  StepProfile step = step_of(StepFamily::Product, Arithmetic::Fp16, 500);
  step.weight_bytes = 1000;
  profile.steps = {step};
  const std::vector<Finding> findings = own_findings(profile);
  EXPECT_NEAR(gain_us(findings, "gpu_int8_would_pay"), 500 * (1 - 1 / 1.25), 1e-6);
  EXPECT_TRUE(told_by(findings, "gpu_int8_would_pay")->option);
  profile.steps[0].kind.precision = Arithmetic::Fp32;  // First to 16 bits, then to 8.
  EXPECT_NEAR(gain_us(own_findings(profile), "gpu_int8_would_pay"), 500 * (1 - 1 / 15.0 / 1.25),
              1e-6);
  // What libraries reach in 16 bits, kernels in int8 do not.
  profile.steps[0].kind.precision = Arithmetic::Fp16;
  const double macs_per_us =
      profile.gpu->clock_mhz * static_cast<double>(profile.gpu->processors) * 128 * 15;
  profile.steps[0].macs = static_cast<int64_t>(500 * 0.6 * macs_per_us);
  EXPECT_EQ(told_by(own_findings(profile), "gpu_int8_would_pay"), nullptr);
  profile.steps[0].kind.precision = Arithmetic::Int8;
  profile.steps[0].macs = 0;
  EXPECT_EQ(told_by(own_findings(profile), "gpu_int8_would_pay"), nullptr);
}

}  // namespace
}  // namespace hone
