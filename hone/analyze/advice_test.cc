// Advice fits the model it is given for: rules on profiles made by hand.

#include <gtest/gtest.h>

#include <algorithm>

#include "hone/analyze/rule_def.h"

namespace hone {
namespace {

StepProfile step(const char* name, const char* precision, int64_t macs) {
  StepProfile step;
  step.name = name;
  step.op = "conv";
  step.kind.precision = *arithmetic_named(precision);
  step.us = 50;
  step.macs = macs;
  step.flops = 2 * macs;
  step.roof_us = 40;
  return step;
}

Profile profile_of(std::vector<StepProfile> steps) {
  Profile profile;
  profile.target = "cpu";
  profile.latency = {{.name = "median", .value = 0.1, .unit = "ms"}};
  profile.steps = std::move(steps);
  return profile;
}

const Finding* find(const std::vector<Finding>& findings, std::string_view rule) {
  const auto found = std::ranges::find(findings, rule, &Finding::rule);
  return found == findings.end() ? nullptr : &*found;
}

DeviceFile with_int8() {
  DeviceFile device;
  device.compute = {{.precision = "fp32", .instruction = "fmla", .ops = {1e9, 1e9}},
                    {.precision = "int8", .instruction = "smmla", .ops = {1e12, 1e12}}};
  device.memory = {{.name = "DRAM",
                    .bytes = 1u << 30,
                    .read = {1e12, 1e12},
                    .write = {1e12, 1e12},
                    .copy = {1e12, 1e12}}};
  device.kernels = {{.kind = "product", .precision = "fp32", .of_roof = 1},
                    {.kind = "product", .precision = "int8", .of_roof = 0.5}};
  return device;
}

TEST(Advice, AQuantizedModelIsNotToBeQuantizedAgain) {
  const CompileOptions options;
  const DeviceFile device = with_int8();
  const Profile floats = profile_of({step("a", "fp32", 20000)});
  const auto all = diagnose({floats, device, options});
  ASSERT_NE(find(all, "int8_would_pay"), nullptr);
  EXPECT_TRUE(find(all, "int8_would_pay")->fix.starts_with("quantize the model"));
  const Profile mixed = profile_of({step("a", "fp32", 20000), step("b", "int8", 20000)});
  const auto some = diagnose({mixed, device, options});
  ASSERT_NE(find(some, "int8_would_pay"), nullptr);
  EXPECT_EQ(find(some, "int8_would_pay")->fix,
            "quantize the layers that are float still and validate the accuracy");
}

TEST(Advice, ShallowProductsAreOneFinding) {
  const auto shallow = [](const char* name, int64_t depth) {
    StepProfile product = step(name, "fp32", 1000 * depth);
    product.kind.family = StepFamily::Product;
    product.written_bytes = 4000;
    product.roof_us = 8;
    return product;
  };
  Profile profile = profile_of({shallow("a", 8), shallow("b", 16), step("deep", "fp32", 20000)});
  profile.tool = "hone";
  const DeviceFile none;
  const CompileOptions options;
  const auto findings = diagnose({profile, none, options});
  EXPECT_EQ(std::ranges::count(findings, "shallow_products", &Finding::rule), 1);
  const Finding* finding = find(findings, "shallow_products");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->title, "'a', 'b' sum over 8 to 16 products only and reach 16 % of the roof");
  EXPECT_EQ(finding->steps, (std::vector<size_t>{0, 1}));
  EXPECT_NEAR(*finding->gain.value, 2 * (0.05 - 0.01), 1e-9);
}

// Two threads, one of which is at work for half of the time.
Profile uneven_profile(double waited_for_cores) {
  Profile profile = profile_of({step("a", "fp32", 20000)});
  profile.steps[0].us = 100;
  profile.steps[0].busy = 0.75;
  profile.threads = 2;
  profile.system = {{.name = "measured_for", .value = 2, .unit = "s"},
                    {.name = "run_queue_wait", .value = waited_for_cores, .unit = "s"}};
  return profile;
}

TEST(Advice, ThreadsThatWaitForOthersWithoutACoreAreNotUneven) {
  const CompileOptions options;
  const auto gain = [&](const Profile& profile) {
    const DeviceFile none;
    const auto findings = diagnose({profile, none, options});
    const Finding* finding = find(findings, "thread_imbalance");
    return finding == nullptr ? 0.0 : *finding->gain.value;
  };
  EXPECT_NEAR(gain(uneven_profile(0)), 0.1 * (0.95 - 0.75), 1e-9);
  EXPECT_NEAR(gain(uneven_profile(0.2)), 0.1 * (0.95 - 0.75 - 0.5 * 0.1), 1e-9);
  EXPECT_EQ(gain(uneven_profile(1)), 0);
}

TEST(Advice, ShapesAreAskedForOnlyWhereInputsAreOpen) {
  const auto fix = [](const char* extents) {
    auto graph = parse_graph(
        str("graph(%x: f32[", extents, "]) -> (%y) {\n", "  %y: i64[1,?] = non_zero(%x)\n}"));
    EXPECT_TRUE(graph.ok()) << (graph.ok() ? "" : graph.error().message);
    Profile profile = profile_of({step("y", "fp32", 0)});
    profile.steps[0].roof_us = 1;
    const DeviceFile none;
    const CompileOptions options;
    Evidence evidence{profile, none, options, &*graph, {graph->nodes()[0]}};
    const auto findings = diagnose(evidence);
    const Finding* finding = find(findings, "unknown_extents");
    return finding == nullptr ? "nothing found" : finding->fix;
  };
  EXPECT_TRUE(fix("?").starts_with("bind the inputs' extents, or")) << fix("?");
  EXPECT_TRUE(fix("4").starts_with("they follow from values")) << fix("4");
}

// What the caller can change and what only the model's author can are not one finding.
TEST(Advice, TransposesOfInputsAreNotThoseInside) {
  const auto graph = parse_graph(R"(graph(%x: f32[1,3,4,4]) -> (%z) {
  %last: f32[1,4,4,3] = transpose(%x) perm=[0,2,3,1]
  %y: f32[1,4,4,3] = relu(%last)
  %z: f32[1,3,4,4] = transpose(%y) perm=[0,3,1,2]
})");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  Profile profile =
      profile_of({step("last", "fp32", 0), step("y", "fp32", 0), step("z", "fp32", 0)});
  profile.steps[0].op = profile.steps[2].op = "transpose";
  profile.steps[1].op = "relu";
  profile.steps[0].us = 30;
  const DeviceFile none;
  const CompileOptions options;
  const auto nodes = graph->nodes();
  Evidence evidence{profile, none, options, &*graph, {nodes[0], nodes[1], nodes[2]}};
  const auto findings = diagnose(evidence);
  const Finding* outside = find(findings, "input_layout");
  ASSERT_NE(outside, nullptr);
  EXPECT_EQ(outside->steps, std::vector<size_t>{0});
  EXPECT_NEAR(*outside->gain.value, 0.03, 1e-9);
  EXPECT_NE(outside->fix.find("input 'x'"), std::string::npos) << outside->fix;
  const Finding* inside = find(findings, "transposes_left");
  ASSERT_NE(inside, nullptr);
  EXPECT_EQ(inside->steps, std::vector<size_t>{2});
  EXPECT_NEAR(*inside->gain.value, 0.05, 1e-9);
}

// What int8 brings hangs on how good its kernels are on this machine, not on its roof alone.
TEST(Advice, PricesPrecisionsByWhatKernelsReach) {
  const CompileOptions options;
  DeviceFile device = with_int8();
  device.compute[1].ops = {4e9, 4e9};
  StepProfile product = step("a", "fp32", 20000);
  product.kind.family = StepFamily::Product;
  const Profile profile = profile_of({product});
  const auto gain_at = [&](double of_roof) {
    device.kernels[1].of_roof = of_roof;
    const auto findings = diagnose({profile, device, options});
    const Finding* finding = find(findings, "int8_would_pay");
    return finding == nullptr ? 0 : *finding->gain.value;
  };
  EXPECT_NEAR(gain_at(1), 0.0375, 1e-6);  // Of 50 us a quarter is left.
  EXPECT_NEAR(gain_at(0.5), 0.025, 1e-6);
  EXPECT_EQ(gain_at(0.2), 0);  // Slower than floats.
  device.kernels.pop_back();
  EXPECT_EQ(find(diagnose({profile, device, options}), "int8_would_pay"), nullptr);
}

DeviceFile with_caches() {
  DeviceFile device = with_int8();
  const auto level = [](const char* name, uint64_t bytes, double rate) {
    const Rate both{rate, rate};
    return MemoryLevel{.name = name, .bytes = bytes, .read = both, .write = both, .copy = both};
  };
  device.memory = {level("L1", 1 << 10, 8e9), level("L2", 1 << 12, 4e9), level("L3", 1 << 20, 1e9)};
  return device;
}

// A step that takes a hundred times what memory does waits for something else.
TEST(Advice, PiecesHelpStepsThatMemoryHoldsBack) {
  const CompileOptions options;
  const DeviceFile device = with_caches();
  const auto gain_of = [&](double us) {
    StepProfile pool = step("a", "fp32", 0);
    pool.read_bytes = 80000;
    pool.written_bytes = 20000;
    pool.bound = "L3";
    pool.roof_us = 100;
    pool.us = us;
    const Profile profile = profile_of({pool});
    const auto findings = diagnose({profile, device, options});
    const Finding* finding = find(findings, "large_activation");
    return finding == nullptr ? 0 : *finding->gain.value;
  };
  EXPECT_NEAR(gain_of(110), 0.06, 1e-6);
  EXPECT_NEAR(gain_of(200), 0.15, 1e-6);
  EXPECT_EQ(gain_of(10000), 0);
}

Finding with_gain(const char* rule, double low, double value, double high) {
  Finding finding;
  finding.rule = rule;
  finding.steps = {0};
  finding.gain = {.name = "gain", .value = value, .unit = "ms", .low = low, .high = high};
  return finding;
}

TEST(Advice, WhatIsSureComesFirst) {
  std::vector<Finding> findings = {with_gain("unsure", -12, 9.1, 34),
                                   with_gain("sure", 6.1, 8.5, 10.9)};
  rank_findings(findings);
  EXPECT_EQ(findings[0].rule, "sure");
}

TEST(Advice, LeavingStepsOutSavesNoMoreThanTheyTake) {
  const Profile profile = profile_of({step("a", "fp32", 0)});
  Finding finding = with_gain("transposes_left", -1, 0.2, 0.3);
  cap_at_steps(profile, finding);
  EXPECT_EQ(finding.gain.value, 0.2);
  finding.removes = true;
  cap_at_steps(profile, finding);
  EXPECT_EQ(finding.gain.value, 0.05);
  EXPECT_EQ(finding.gain.low, -1);
  EXPECT_EQ(finding.gain.high, 0.05);
}

// Nothing about their form makes them slow.
TEST(Advice, PlainKernelsAreNamedAsSuch) {
  StepProfile depthwise = step("a", "int8", 100);
  depthwise.kind.family = StepFamily::Depthwise;
  depthwise.kind.work = "depthwise_i8";
  depthwise.roof_us = 1;
  const DeviceFile none;
  const CompileOptions options;
  const auto of_variant = [&](const char* variant) {
    depthwise.kind.variant = variant;
    const Profile profile = profile_of({depthwise, step("b", "int8", 900)});
    return diagnose({profile, none, options});
  };
  EXPECT_NE(find(of_variant("neon"), "depthwise_share"), nullptr);
  const auto findings = of_variant("ref");
  EXPECT_EQ(find(findings, "depthwise_share"), nullptr);
  ASSERT_NE(find(findings, "reference_steps"), nullptr);
  EXPECT_EQ(find(findings, "reference_steps")->title,
            "1 step of depthwise_i8 runs by its plain kernel and takes 50.0 % of the run");
}

// What is done for each output takes as long however much was multiplied for it.
TEST(Advice, ShallowProductsGainLess) {
  const CompileOptions options;
  DeviceFile device = with_int8();
  device.compute[1].ops = {4e9, 4e9};
  device.kernels[1].parts = ProductParts{.multiply_of_roof = 1, .ns_per_output = 10};
  StepProfile product = step("a", "fp32", 20000);
  product.kind.family = StepFamily::Product;
  const auto gain_with = [&](uint64_t outputs) {
    product.written_bytes = 4 * outputs;
    const Profile profile = profile_of({product});
    const auto findings = diagnose({profile, device, options});
    const Finding* finding = find(findings, "int8_would_pay");
    return finding == nullptr ? 0 : *finding->gain.value;
  };
  EXPECT_NEAR(gain_with(0), 0.0375, 1e-6);
  EXPECT_GT(gain_with(0), gain_with(100));
  EXPECT_GT(gain_with(100), gain_with(1000));
}

TEST(Advice, PromisesNoMoreThanThereIs) {
  const CompileOptions options;
  const DeviceFile device = with_int8();
  const Profile profile = profile_of({step("a", "fp32", 20000), step("b", "fp32", 20000)});
  const auto findings = diagnose({profile, device, options});
  const Finding* finding = find(findings, "int8_would_pay");
  ASSERT_NE(finding, nullptr);
  EXPECT_GT(*finding->gain.value, 0.09);  // Of 0.1 ms.
  EXPECT_LE(*finding->gain.high, 0.1);
}

// A precision that has no kernels here is not advised.
TEST(Advice, WeightsBecomeOfTypesThatAreComputedHere) {
  const CompileOptions options;
  DeviceFile device = with_int8();
  StepProfile dense = step("a", "fp32", 20000);
  dense.op = "gemm";
  dense.kind.family = StepFamily::Product;
  dense.weight_bytes = 80000;
  device.memory[0].read = {1e9, 1e9};
  const Profile profile = profile_of({dense});
  const auto without = diagnose({profile, device, options});
  ASSERT_NE(find(without, "weight_bound"), nullptr);
  EXPECT_EQ(find(without, "weight_bound")->hint, Hint{});
  device.compute.push_back({.precision = "fp16", .instruction = "fmla", .ops = {2e9, 2e9}});
  device.kernels.push_back({.kind = "product", .precision = "fp16", .of_roof = 1});
  const auto with = diagnose({profile, device, options});
  ASSERT_NE(find(with, "weight_bound"), nullptr);
  EXPECT_EQ(find(with, "weight_bound")->hint, (Hint{HintKind::Precision, "fp16"}));
}

}  // namespace
}  // namespace hone
