#include "hone/targets/analytic/analytic_target.h"

#include <gtest/gtest.h>

#include "hone/targets/common/modelled_metrics.h"

namespace hone {
namespace {

constexpr std::string_view kNetwork = R"(graph(%x: f32[1,4,4,2]) -> (%y) {
  const %d: f32[2,1,1,1] = {2 3}
  const %w: f32[2,1,1,2] = {1 1 1 -1}
  const %p: f32[2,2] = {1 2 3 4}
  %a: f32[1,4,4,2] = conv(%x, %d, _) group=2 layout="nhwc"
  %b: f32[1,4,4,2] = conv(%a, %w, _) layout="nhwc"
  %c: f32[1,4,4,2] = matmul(%b, %p)
  %y: f32[1,4,4,2] = sin(%c)
})";

Device example() {
  Device device{.name = "board", .summary = "A board.", .kind = "cpu"};
  device.spec = AnalyticSpec{
      .peak_ops = {{"fp32", 1e9}, {"fp16", 2e9}},
      .efficiency = {{"dense", 0.5}, {"depthwise", 0.125}, {"product", 0.25}, {"other", 0.1}},
      .bytes_per_second = 1e12,
      .memory_bytes = 1 << 20,
      .step_us = 2,
      .run_us = 100,
      .power = {.typical_watts = 5},
      .factor = 2};
  return device;
}

std::unique_ptr<Program> compile(const Device& device, const CompileOptions& options = {}) {
  auto graph = parse_graph(kNetwork);
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  auto program = make_analytic_target(device)->compile(*std::move(graph), options);
  EXPECT_TRUE(program.ok()) << program.error().message;
  return *std::move(program);
}

TEST(AnalyticTarget, PredictsEveryStepByItsKind) {
  const auto program = compile(example());
  const auto steps = program->steps();
  const auto run = program->modelled();
  ASSERT_TRUE(run);
  ASSERT_EQ(run->steps.size(), steps.size());
  std::vector<std::string> kernels;
  double us = 100;
  for (size_t s = 0; s < steps.size(); ++s) {
    kernels.push_back(kernel_name(steps[s].kind));
    EXPECT_DOUBLE_EQ(run->steps[s].start_us, us);
    us += run->steps[s].us;
  }
  EXPECT_EQ(kernels, (std::vector<std::string>{"depthwise fp32", "dense fp32", "product fp32",
                                               "other fp32"}));
  // 2 operations for each of 32 outputs; 4 for the others.
  EXPECT_NEAR(run->steps[0].us, 2 + 64 / 125.0, 1e-9);
  EXPECT_NEAR(run->steps[1].us, 2 + 128 / 500.0, 1e-9);
  EXPECT_NEAR(run->steps[2].us, 2 + 128 / 250.0, 1e-9);
  EXPECT_NEAR(*run->latency.value, us / 1e3, 1e-12);
  EXPECT_EQ(run->latency.mode, Mode::Predicted);
  EXPECT_NEAR(*run->latency.low, us / 2e3, 1e-12);
  EXPECT_NEAR(*run->latency.high, us / 0.5e3, 1e-12);
  EXPECT_NEAR(*run->energy.at(0).value, 5 * us / 1e3, 1e-12);
}

TEST(AnalyticTarget, ComputesWhatTheCpuComputes) {
  const auto graph = parse_graph(kNetwork);
  std::vector<float> numbers;
  for (int i = 0; i < 32; ++i) numbers.push_back(0.1f * static_cast<float>(i));
  const std::vector<Item> inputs = {Item(Tensor::of<float>({1, 4, 4, 2}, numbers))};
  const auto cpu = (*find_target("cpu"))->open()->compile(std::move(*graph->clone()), {});
  const auto expected = (*cpu)->run(inputs);
  const auto actual = compile(example())->run(inputs);
  ASSERT_TRUE(actual.ok()) << actual.error().message;
  EXPECT_EQ(to_doubles((*actual)[0].tensor), to_doubles((*expected)[0].tensor));
}

// Microseconds of arithmetic in the step that is called so.
double arithmetic_us(const Program& program, std::string_view kernel) {
  const auto steps = program.steps();
  for (size_t s = 0; s < steps.size(); ++s) {
    if (kernel_name(steps[s].kind) == kernel)
      return *program.modelled()->steps[s].counters.at(0).value;
  }
  ADD_FAILURE() << "no step " << kernel;
  return 0;
}

// Caches of this machine, for which values are handed on in rows, are not those of the device.
TEST(AnalyticTarget, KeepsValuesWhole) {
  const auto chained = R"(graph(%x: f32[1,16384,64,16]) -> (%y) {
  %a: f32[1,16384,64,16] = max_pool(%x) kernel_shape=[3,3] pads=[1,1,1,1] layout="nhwc"
  %b: f32[1,16384,64,16] = max_pool(%a) kernel_shape=[3,3] pads=[1,1,1,1] layout="nhwc"
  %y: f32[1,16384,64,16] = max_pool(%b) kernel_shape=[3,3] pads=[1,1,1,1] layout="nhwc"
})";
  const auto in_rows = [&](const Target& target) {
    auto graph = parse_graph(chained);
    EXPECT_TRUE(graph.ok()) << graph.error().message;
    const auto program = target.compile(*std::move(graph), {.threads = 1});
    EXPECT_TRUE(program.ok()) << program.error().message;
    return std::ranges::count((*program)->memory()->buffers, true, &MemoryUse::in_rows);
  };
  EXPECT_GT(in_rows(*(*find_target("cpu"))->open()), 0);
  EXPECT_EQ(in_rows(*make_analytic_target(example())), 0);
}

TEST(AnalyticTarget, HalfPrecisionHasItsOwnRate) {
  const auto half = compile(example(), {.precision = Precision::F16});
  EXPECT_NEAR(arithmetic_us(*compile(example()), "dense fp32"), 128 / 500.0, 1e-9);
  EXPECT_NEAR(arithmetic_us(*half, "dense fp16"), 128 / 1000.0, 1e-9);
}

TEST(AnalyticTarget, TakesTheIntervalOfAFit) {
  Device device = example();
  device.fit = CalibrationFit{.points = 3,
                              .error = 0.25,
                              .least_macs = 10,
                              .most_macs = 100,
                              .least_bytes = 1e5,
                              .most_bytes = 1e6,
                              .date = "2026-11-15"};
  const auto run = compile(device)->modelled();
  EXPECT_NEAR(*run->latency.low, *run->latency.value / 1.25, 1e-12);
  EXPECT_NEAR(*run->latency.high, 1.25 * *run->latency.value, 1e-12);
  ASSERT_EQ(run->notes.size(), 4u);
  EXPECT_EQ(
      run->notes[2],
      "outside of the fit: 160 MACs are more than the most of the 3 points it stands on, 100");
  EXPECT_TRUE(run->notes[3].starts_with("outside of the fit: ")) << run->notes[3];
  EXPECT_TRUE(
      run->notes[3].ends_with("bytes moved are less than the least of the 3 points it "
                              "stands on, 100 k"))
      << run->notes[3];
}

// However far a fit may be off, nothing takes no time.
TEST(AnalyticTarget, AnIntervalNeverReachesNothing) {
  Device device = example();
  device.fit = CalibrationFit{.points = 3, .error = 1.5, .date = "2026-11-15"};
  const auto run = compile(device)->modelled();
  EXPECT_NEAR(*run->latency.low, *run->latency.value / 2.5, 1e-12);
  EXPECT_NEAR(*run->latency.high, *run->latency.value * 2.5, 1e-12);
}

TEST(AnalyticTarget, WhatDoesNotFitHasNoLatency) {
  Device device = example();
  EXPECT_EQ(compile(device)->modelled()->notes.size(), 1u);
  AnalyticSpec& spec = *device.analytic();
  spec.memory_bytes = 100;
  const auto run = compile(device)->modelled();
  EXPECT_TRUE(run->misfit.starts_with("does not fit: weights and activations take "))
      << run->misfit;
  EXPECT_FALSE(run->latency.value);
  EXPECT_FALSE(run->energy.at(0).value);
  EXPECT_EQ(run->latency.note, run->misfit);
}

TEST(AnalyticTarget, SaysWhatIsAssumedWhereMostOfAMemoryIsTaken) {
  Device device = example();
  device.analytic()->memory_bytes = 400;  // 40 bytes of weights, 256 of activations.
  const auto tight = compile(device)->modelled();
  EXPECT_EQ(tight->misfit, "");
  ASSERT_EQ(tight->notes.size(), 2u);
  EXPECT_EQ(tight->notes[0],
            "weights and activations take 296 B of 400 B of memory, all of which is taken to be "
            "free: what else needs some of it is not known here");
  device.analytic()->memory_bytes = 600;
  EXPECT_EQ(compile(device)->modelled()->notes.size(), 1u);
}

TEST(AnalyticTarget, WeightsLieInFlashWhereThereIsOne) {
  Device device = example();
  AnalyticSpec& spec = *device.analytic();
  spec.memory_bytes = 1024;  // 40 bytes of weights, 256 of activations.
  spec.flash = Flash{.bytes = 39};
  const std::string misfit = compile(device)->modelled()->misfit;
  EXPECT_TRUE(misfit.starts_with("does not fit: weights take 40 B, board has 39 B of flash, "))
      << misfit;
  spec.flash->bytes = 40;
  EXPECT_EQ(compile(device)->modelled()->misfit, "");
  spec.memory_bytes = 100;
  EXPECT_TRUE(compile(device)->modelled()->misfit.starts_with("does not fit: activations take "));
}

TEST(Registry, FindsDevicesByNameAndByFile) {
  const auto board = find_target("raspberry-pi-5");
  ASSERT_TRUE(board.ok()) << board.error().message;
  EXPECT_EQ((*board)->mode, Mode::Predicted);
  EXPECT_NE((*board)->integers, nullptr);
  EXPECT_EQ(*find_target("raspberry-pi-5"), *board);
  EXPECT_EQ((*find_target("jetson-nano"))->integers, nullptr);
  EXPECT_EQ((*find_target("ethos-u55-128"))->mode, Mode::Simulated);
  EXPECT_EQ(find_target("nowhere/board.toml").error().message, "nowhere/board.toml: no such file");
  const auto none = find_target("jetson-nanno");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message,
            "no target 'jetson-nanno' (did you mean 'jetson-nano'?); there are: cpu, cuda, ref, "
            "null, the "
            "devices of the catalog, and a device's FILE.toml");
  EXPECT_EQ(none.error().hint.kind, HintKind::Target);
}

}  // namespace
}  // namespace hone
