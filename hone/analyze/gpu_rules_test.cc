// Rules about GPUs on profiles made by hand, for what no trace of tests/profiles shows.

#include <gtest/gtest.h>

#include <algorithm>

#include "hone/analyze/gpu_evidence.h"
#include "hone/profile/import/gpu_kernel.h"

namespace hone {
namespace {

// A run of 1000 us, of which one product in fp32 takes 800 on 100 multiprocessors.
Profile gpu_profile() {
  Profile profile;
  profile.tool = "pytorch";
  profile.target = "cuda";
  profile.latency = {{.name = "median", .value = 1, .unit = "ms"}};
  profile.gpu =
      GpuTimeline{.capability = "9.0", .processors = 100, .run_us = 1000, .busy_us = 1000};
  StepProfile& step = profile.steps.emplace_back();
  step.name = "aten::mm 1";
  step.us = 800;
  step.kind = {.family = StepFamily::Product,
               .variant = std::string(kOnFp32Cores),
               .precision = Arithmetic::Fp32};
  return profile;
}

std::vector<Finding> findings_of(const Profile& profile) {
  const DeviceFile none;
  const CompileOptions options;
  return diagnose({.profile = profile, .device = none, .options = options});
}

const Finding* rule_in(const std::vector<Finding>& findings, const std::string& rule) {
  const auto found = std::ranges::find(findings, rule, &Finding::rule);
  return found == findings.end() ? nullptr : &*found;
}

// A step of the profile that the timeline has from `start` on.
StepProfile& add_work(Profile& profile, double start, double us, StepKind kind, int stream = 0) {
  profile.timeline.push_back({profile.steps.size(), stream, start, us});
  StepProfile& step = profile.steps.emplace_back();
  step.name = "work";
  step.us = us;
  step.kind = std::move(kind);
  return step;
}

StepKind copy_kind(const char* way) {
  return {.family = StepFamily::Movement, .work = std::string(kCopyWork), .variant = way};
}

TEST(GpuRules, CopiesBesideKernelsCostNothing) {
  Profile profile = gpu_profile();
  profile.steps.clear();
  add_work(profile, 0, 700, {.work = "kernel"});
  add_work(profile, 100, 500, copy_kind("HtoD, pinned"), 1);
  profile.gpu->copies = {{.what = "HtoD, pinned", .count = 1, .us = 500, .bytes = 100}};
  EXPECT_EQ(rule_in(findings_of(profile), "gpu_copies"), nullptr);
  profile.timeline[1].start_us = 400;  // Behind the kernel from 700 to 900.
  const std::vector<Finding> findings = findings_of(profile);
  ASSERT_NE(rule_in(findings, "gpu_copies"), nullptr);
  EXPECT_NEAR(*rule_in(findings, "gpu_copies")->gain.value, 0.2, 1e-9);
}

TEST(GpuRules, IdleTimeThatNothingExplainsIsTold) {
  Profile profile = gpu_profile();
  profile.gpu->busy_us = 580;
  profile.gpu->unknown_us = 420;
  const std::vector<Finding> findings = findings_of(profile);
  const Finding* idle = rule_in(findings, "gpu_unexplained_idle");
  ASSERT_NE(idle, nullptr);
  EXPECT_EQ(idle->title, "the GPU does nothing 42.0 % of the run, and the trace does not say why");
  EXPECT_EQ(idle->gain.high, 0.42);
  EXPECT_EQ(idle->gain.low, 0);
  profile.gpu->unknown_us = 50;
  EXPECT_EQ(rule_in(findings_of(profile), "gpu_unexplained_idle"), nullptr);
}

// Whose tensor cores add up in fp32 at half the rate, so that TF32 is no faster than fp32.
TEST(GpuRules, CardsForGamesGainLessOfTensorCores) {
  Profile profile = gpu_profile();
  profile.gpu->capability = "8.9";
  const double server = *rule_in(findings_of(profile), "gpu_fp32_products")->gain.value;
  profile.gpu->gpu = "NVIDIA GeForce RTX 4090";
  const std::vector<Finding> findings = findings_of(profile);
  const Finding* products = rule_in(findings, "gpu_fp32_products");
  EXPECT_NEAR(server, 0.8 * 3 / 4, 1e-9);
  EXPECT_NEAR(*products->gain.value, 0.8 / 2, 1e-9);
  EXPECT_EQ(products->fix.find("TF32"), std::string::npos);
  EXPECT_NE(products->fix.find("bf16"), std::string::npos);
}

TEST(GpuRules, AttentionInFp32IsSixTimesAsLong) {
  Profile profile = gpu_profile();
  profile.steps[0].kind.variant = kOnTensorCores;
  const std::vector<Finding> findings = findings_of(profile);
  const Finding* products = rule_in(findings, "gpu_fp32_products");
  ASSERT_NE(products, nullptr);
  EXPECT_NEAR(*products->gain.value, 0.8 * 5 / 6, 1e-9);
  EXPECT_NE(products->title.find("three parts"), std::string::npos);
}

TEST(GpuRules, NoGainReachesIntoWhatStays) {
  Profile profile = gpu_profile();
  profile.steps.clear();
  add_work(profile, 0, 100, {.work = "kernel"});
  add_work(profile, 50, 100, {.work = "kernel"}, 1);
  add_work(profile, 150, 800, copy_kind("HtoD, pageable"));
  profile.gpu->copies = {{.what = "HtoD, pageable", .count = 1, .us = 800, .bytes = 100}};
  const std::vector<Finding> findings = findings_of(profile);
  ASSERT_NE(rule_in(findings, "gpu_copies"), nullptr);
  EXPECT_NEAR(*rule_in(findings, "gpu_copies")->gain.high, 0.85, 1e-9);
}

Profile elementwise_profile(const std::vector<std::string>& extents) {
  Profile profile = gpu_profile();
  profile.steps.clear();
  for (size_t i = 0; i < extents.size(); ++i) {
    const double us = 100 + 10 * static_cast<double>(i);
    const StepKind kind = {.family = StepFamily::Elementwise};
    add_work(profile, 200 * static_cast<double>(i), us, kind).output = extents[i];
  }
  return profile;
}

TEST(GpuRules, ChainsHaveTheSameExtents) {
  const auto chain_gain = [](const std::vector<std::string>& extents) {
    const std::vector<Finding> findings = findings_of(elementwise_profile(extents));
    const Finding* chain = rule_in(findings, "gpu_elementwise_chain");
    return chain == nullptr ? 0 : 1e3 * *chain->gain.value;
  };
  EXPECT_NEAR(chain_gain({"[8]", "[8]", "[8]"}), 100 + 110, 1e-9);
  EXPECT_NEAR(chain_gain({"[8]", "[4]", "[2]"}), 0, 1e-9);
  EXPECT_NEAR(chain_gain({"[8]", "[8]", "[2]"}), 100, 1e-9);
}

TEST(GpuRules, RunsThatTookMuchLongerAreToldOf) {
  Profile profile = gpu_profile();
  profile.steps.clear();
  profile.samples_ms = {1, 1, 1, 5, 1, 1, 1, 1};
  const std::vector<Finding> findings = findings_of(profile);
  const Finding* uneven = rule_in(findings, "gpu_uneven_runs");
  ASSERT_NE(uneven, nullptr);
  EXPECT_EQ(uneven->title, "1 of 8 runs took 5.0 times the median: the mean run takes 1.500 ms");
  profile.samples_ms[3] = 1.9;
  EXPECT_EQ(rule_in(findings_of(profile), "gpu_uneven_runs"), nullptr);
}

TEST(GpuRules, ParametersOfAnOptimizerAreNoChain) {
  const auto chain_of = [](const std::vector<std::string>& operators) {
    Profile profile =
        elementwise_profile(std::vector<std::string>(operators.size(), "[1024,1024]"));
    for (size_t s = 0; s < operators.size(); ++s) profile.steps[s].op = operators[s];
    const std::vector<Finding> findings = findings_of(profile);
    const Finding* chain = rule_in(findings, "gpu_elementwise_chain");
    return chain == nullptr ? "" : chain->title;
  };
  EXPECT_EQ(chain_of({"aten::add_", "aten::add_", "aten::add_", "aten::add_"}), "");
  EXPECT_TRUE(chain_of({"aten::mul_", "aten::add_", "aten::mul_", "aten::add_"})
                  .starts_with("4 element-wise kernels in 2 chains"));
  EXPECT_TRUE(chain_of({"aten::mul", "aten::add", "aten::mul", "aten::add"})
                  .starts_with("4 element-wise kernels in 1 chain "));
}

// Only what fusing two neighbours at a time gives is told where nobody knows whether more fit.
TEST(GpuRules, ChainsOfUnknownExtentsGainLessAndSurelyNot) {
  const std::vector<Finding> findings = findings_of(elementwise_profile({"", "", "", ""}));
  const Finding* chain = rule_in(findings, "gpu_elementwise_chain");
  ASSERT_NE(chain, nullptr);
  EXPECT_NEAR(1e3 * *chain->gain.value, 100 + 120, 1e-9);
  EXPECT_EQ(chain->confidence, "low");
}

// 600 us of exchange, of which 100 lie beside a kernel of 300.
TEST(GpuRules, CommunicationIsToldWithWhatCouldHideIt) {
  Profile profile = gpu_profile();
  profile.steps.clear();
  add_work(profile, 0, 300, {.work = "kernel"});
  StepProfile& exchange = add_work(profile, 200, 600, {.family = StepFamily::Communication}, 1);
  exchange.op = "c10d::allreduce_";
  exchange.counters = {{.name = "blocks", .value = 24}};
  const std::vector<Finding> findings = findings_of(profile);
  ASSERT_EQ(findings.size(), 1u);  // It is no small kernel.
  EXPECT_EQ(findings[0].rule, "gpu_communication");
  EXPECT_NEAR(*findings[0].gain.value, 0.2, 1e-9);  // Of the kernel, what hides nothing yet.
  EXPECT_NEAR(*findings[0].gain.high, 0.5, 1e-9);
  EXPECT_NE(findings[0].title.find("c10d::allreduce_"), std::string::npos);
  profile.timeline[0].us = profile.steps[0].us = 800;  // All beside it.
  EXPECT_EQ(rule_in(findings_of(profile), "gpu_communication"), nullptr);
}

TEST(GpuRules, MemoryThatIsTakenInTheLoopIsNamed) {
  Profile profile = gpu_profile();
  profile.steps.clear();
  profile.gpu->busy_us = 200;
  profile.gpu->allocating_us = 600;
  profile.gpu->allocations = {{.what = "cudaMalloc", .count = 20, .us = 500},
                              {.what = "cudaFree", .count = 20, .us = 200}};
  const std::vector<Finding> findings = findings_of(profile);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].rule, "gpu_allocations");
  EXPECT_NEAR(*findings[0].gain.value, 0.7, 1e-9);
  profile.gpu->busy_us = 1000;  // The host has the time.
  EXPECT_TRUE(findings_of(profile).empty());
}

TEST(GpuRules, CopiesAndCastsOfOperatorsAreTold) {
  Profile profile = gpu_profile();
  profile.steps[0].kind = {.family = StepFamily::Movement,
                           .work = "elementwise_kernel direct_copy_kernel_cuda"};
  const std::vector<Finding> copies = findings_of(profile);
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(copies[0].rule, "gpu_layout_changes");
  EXPECT_NEAR(*copies[0].gain.value, 0.8, 1e-9);
  EXPECT_NE(copies[0].fix.find("contiguous()"), std::string::npos);
  profile.steps[0].kind.family = StepFamily::Conversion;
  const std::vector<Finding> casts = findings_of(profile);
  ASSERT_EQ(casts.size(), 1u);
  EXPECT_EQ(casts[0].rule, "gpu_conversions");
  EXPECT_NEAR(*casts[0].gain.value, 0.8, 1e-9);
}

TEST(GpuRules, ProductsInFp64AndTf32CouldBeNarrower) {
  Profile profile = gpu_profile();
  profile.steps[0].kind.variant = "";
  profile.steps[0].kind.precision = Arithmetic::Fp64;
  EXPECT_NEAR(*findings_of(profile).at(0).gain.value, 0.8 / 2, 1e-9);
  EXPECT_NE(findings_of(profile)[0].title.find("fp64"), std::string::npos);
  profile.gpu->capability = "8.6";
  EXPECT_NEAR(*findings_of(profile).at(0).gain.value, 0.8 * 31 / 32, 1e-9);
  profile.gpu->capability = "9.0";
  profile.steps[0].kind.variant = kOnTensorCores;
  profile.steps[0].kind.precision = Arithmetic::Tf32;
  EXPECT_NEAR(*findings_of(profile).at(0).gain.value, 0.8 / 2, 1e-9);
  EXPECT_NE(findings_of(profile)[0].title.find("TF32"), std::string::npos);
}

TEST(GpuRules, AdviceFitsTheGpuAndTheOperator) {
  Profile profile = gpu_profile();
  const auto fix = [&] { return findings_of(profile).at(0).fix; };
  EXPECT_NE(fix().find("set_float32_matmul_precision"), std::string::npos);
  EXPECT_EQ(fix().find("cudnn"), std::string::npos);
  profile.steps[0].op = "aten::cudnn_convolution";
  EXPECT_EQ(fix().find("set_float32_matmul_precision"), std::string::npos);
  EXPECT_NE(fix().find("cudnn.allow_tf32"), std::string::npos);
  EXPECT_NE(fix().find("bf16"), std::string::npos);
  profile.gpu->capability = "7.5";
  EXPECT_EQ(fix().find("bf16"), std::string::npos);
}

TEST(GpuRules, WaitsThatNothingIsReadAfterAreToRemove) {
  Profile profile = gpu_profile();
  profile.steps.clear();
  profile.gpu->busy_us = 100;
  profile.gpu->waits = {{.what = "cudaDeviceSynchronize", .count = 3, .us = 400}};
  EXPECT_TRUE(findings_of(profile).at(0).fix.starts_with("remove synchronize()"));
  EXPECT_EQ(findings_of(profile)[0].fix.find("item()"), std::string::npos);
  profile.gpu->waits[0].what = "aten::item";
  EXPECT_TRUE(findings_of(profile).at(0).fix.starts_with("keep values on the GPU"));
}

TEST(GpuRules, LoadersThatHaveProcessesNeedMoreOfThem) {
  Profile profile = gpu_profile();
  profile.steps.clear();
  profile.gpu->busy_us = 400;
  profile.gpu->loading_us = 600;
  profile.gpu->host_work = {{.what = "aten::div", .count = 1, .us = 600}};
  EXPECT_NE(findings_of(profile).at(0).fix.find("2 or more loader processes"), std::string::npos);
  profile.gpu->preparing_us = 900;  // Part of it while the GPU was busy.
  EXPECT_NE(findings_of(profile).at(0).fix.find("3 or more loader processes"), std::string::npos);
  profile.gpu->host_work[0].what = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__";
  EXPECT_NE(findings_of(profile).at(0).fix.find("2.5 times as many"), std::string::npos);
}

TEST(GpuRules, SettingsOfHoneAreNotForProgramsOfOthers) {
  Profile profile = gpu_profile();
  profile.steps[0].kind = {.family = StepFamily::Rows};
  profile.steps[0].counters = {{.name = "DRAM Throughput", .value = 90, .unit = "%"}};
  const std::vector<Finding> findings = findings_of(profile);
  ASSERT_NE(rule_in(findings, "gpu_memory_bound"), nullptr);
  EXPECT_TRUE(rule_in(findings, "gpu_memory_bound")->hint.of.empty());
}

TEST(GpuRules, AreAskedAboutGpusAlone) {
  for (const RuleDef* rule : all_rules()) {
    EXPECT_EQ(rule->on == RuleFor::Gpu, rule->id.starts_with("gpu_")) << rule->id;
  }
  Profile profile = gpu_profile();
  ASSERT_EQ(findings_of(profile).size(), 1u);
  profile.gpu.reset();
  EXPECT_TRUE(findings_of(profile).empty());
}

TEST(GpuRules, ProductsGainWhatTheCoresOfTheGpuGive) {
  Profile profile = gpu_profile();
  EXPECT_NEAR(*findings_of(profile)[0].gain.value, 0.8 * (1 - 1.0 / 15), 1e-9);
  EXPECT_NEAR(*findings_of(profile)[0].gain.high, 0.8, 1e-9);  // All that they take.
  EXPECT_NE(findings_of(profile)[0].fix.find("TF32"), std::string::npos);
  profile.gpu->capability = "7.5";
  EXPECT_NEAR(*findings_of(profile)[0].gain.value, 0.8 * (1 - 1.0 / 8), 1e-9);
  EXPECT_EQ(findings_of(profile)[0].fix.find("TF32"), std::string::npos);
  profile.gpu->capability = "6.1";  // Has none.
  EXPECT_TRUE(findings_of(profile).empty());
}

TEST(GpuRules, ProductsThatCoresDoNotHoldBackGainHalf) {
  Profile profile = gpu_profile();
  profile.steps[0].macs = 1000;
  EXPECT_NEAR(*findings_of(profile)[0].gain.value, 0.8 / 2, 1e-9);
}

TEST(GpuRules, ProductsInHalfPrecisionAreNotToldToBeSo) {
  Profile profile = gpu_profile();
  profile.steps[0].kind.precision = Arithmetic::Fp16;
  EXPECT_TRUE(findings_of(profile).empty());
}

// No name of a kernel tells of Hone's own steps, and what to do is said in Hone's words.
TEST(GpuRules, KnowProductsOfHonesOwnRunsByTheirKind) {
  Profile profile = gpu_profile();
  profile.tool = "hone";
  profile.steps[0].kind.variant = "128x128x16";
  const Finding finding = findings_of(profile).at(0);
  EXPECT_EQ(finding.rule, "gpu_fp32_products");
  EXPECT_EQ(finding.hint.of, "fp16");
  EXPECT_EQ(finding.fix.find("torch"), std::string::npos);
  profile.steps[0].kind.precision = Arithmetic::Fp16;
  EXPECT_TRUE(findings_of(profile).empty());
}

TEST(GpuRules, ShortProductsStayAsLongAsTheyAre) {
  Profile profile = gpu_profile();
  profile.steps.resize(200, profile.steps[0]);
  for (StepProfile& step : profile.steps) step.us = 4;
  EXPECT_NEAR(*findings_of(profile).at(0).gain.value, 200 * (4 - 3.5) * 1e-3, 1e-9);
}

TEST(GpuRules, TellWhatTheHostDoesAndWhatGoesThereAndBack) {
  const Result<Graph> graph = parse_graph(
      "graph(%x: f32[250]) -> (%y) {\n  %a: f32[250] = relu(%x)\n  %b: f32[250] = cum_sum(%a, "
      "i64[]{0})\n  %y: f32[250] = relu(%b)\n}\n");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  Profile profile = gpu_profile();
  profile.tool = "hone";
  profile.steps[0].us = 200;
  profile.steps[0].op = "cum_sum";
  profile.steps[0].kind = {.on_host = true};
  // Half of the bytes are the model's own.
  profile.gpu->copies = {{.what = "HtoD, pinned", .count = 2, .us = 60, .bytes = 2000},
                         {.what = "DtoH, pinned", .count = 2, .us = 40, .bytes = 2000}};
  const DeviceFile none;
  const CompileOptions options;
  const std::vector<Finding> findings = diagnose({.profile = profile,
                                                  .device = none,
                                                  .options = options,
                                                  .graph = &*graph,
                                                  .nodes = {graph->node(1)}});
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].rule, "gpu_fallback");
  EXPECT_NE(findings[0].title.find("cum_sum"), std::string::npos);
  EXPECT_NEAR(*findings[0].gain.value, 1e-3 * (200 + 50 - 2.5), 1e-9);
}

// A host that need not wait still has its own work to do, and the GPU its own.
TEST(GpuRules, WaitsGainWhatHostAndGpuLeave) {
  Profile profile = gpu_profile();
  profile.steps.clear();
  profile.gpu->waits = {{.what = "aten::item", .count = 3, .us = 400}};
  EXPECT_TRUE(findings_of(profile).empty());  // The GPU is busy all the time.
  profile.gpu->busy_us = 700;
  ASSERT_EQ(findings_of(profile).size(), 1u);
  EXPECT_EQ(findings_of(profile)[0].rule, "gpu_synchronising");
  EXPECT_NEAR(*findings_of(profile)[0].gain.value, 0.3, 1e-9);
  profile.gpu->busy_us = 100;
  EXPECT_NEAR(*findings_of(profile)[0].gain.value, 0.4, 1e-9);
}

// What the profiler takes is known of one, and then taken off.
TEST(GpuRules, LaunchesAreDearerUnderTheProfiler) {
  Profile profile = gpu_profile();
  profile.steps.clear();
  profile.gpu->busy_us = 200;
  profile.gpu->kernels = profile.gpu->capturable = 100;
  profile.gpu->capturable_us = profile.gpu->launching_us = 800;
  profile.gpu->capturable_recorded = 200;
  const Finding known = findings_of(profile).at(0);
  EXPECT_EQ(known.rule, "gpu_launch_bound");
  EXPECT_NEAR(*known.gain.value, 1e-3 * (800 - 200 * kProfilerUs - 50), 1e-9);
  EXPECT_NEAR(*known.gain.high, 0.75, 1e-9);
  profile.tool = "nsight systems";
  EXPECT_NEAR(*findings_of(profile).at(0).gain.value, 0.75, 1e-9);
}

TEST(GpuRules, WorkOfTheHostIsNamed) {
  Profile profile = gpu_profile();
  profile.steps.clear();
  profile.gpu->host_us = 250;
  profile.gpu->host_work = {{.what = "aten::sort", .count = 1, .us = 250}};
  ASSERT_EQ(findings_of(profile).size(), 1u);
  EXPECT_EQ(findings_of(profile)[0].rule, "gpu_host_work");
  EXPECT_NE(findings_of(profile)[0].fix.find("aten::sort 250 us"), std::string::npos);
}

}  // namespace
}  // namespace hone
