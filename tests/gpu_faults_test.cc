// Networks with a known flaw on a GPU: the rule that is made for it must come first of those that the
// repaired network does not call, too. What the rule promises is printed beside what repairing the
// flaw brought; with HONE_TIMED=1 the two must agree within 30 %. Without a GPU only the plans are
// looked at.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <iostream>

#include "hone/base/text.h"
#include "hone/profile/statistics.h"
#include "hone/workbench/quantize_for_device.h"
#include "hone/zoo/builder.h"
#include "tests/cuda_plans.h"
#include "tests/planted_fault.h"

namespace hone {
namespace {

CompileOptions on_gpu(Precision precision, double tune_seconds = 0) {
  return {.precision = precision, .tune_seconds = tune_seconds};
}
constexpr double kTune = 3;  // Seconds for products whose kernels the test is about.

struct GpuFault {
  std::string name;
  std::string rule;  // The one that must come first of what is new.
  Graph (*flawed)();
  Graph (*repaired)();
  CompileOptions flawed_options = on_gpu(Precision::F16);
  CompileOptions repaired_options = on_gpu(Precision::F16);
  int inputs_of_repaired = 1;  // That one run of it computes.
  bool on_device = true;       // The GPU's own time is what the rule speaks of.
  bool host = false;           // The flawed network leaves something to the host.
};

using Middle = Value* (*)(NetworkBuilder& net, Value* x);
// A convolution before and behind what a test is about, as in a network.
Graph between_convs(const char* name, Shape input, int64_t channels, Middle middle) {
  NetworkBuilder net(name, 1);
  Value* x = net.input("x", std::move(input));
  x = net.conv(x, {.channels = channels, .bias = true}, "before");
  x = middle(net, x);
  x = net.conv(x, {.channels = 16, .bias = true}, "after");
  return net.finish(net.global_average_pool(x, "mean_of_all"), "y");
}

Graph conv_stack(int64_t batch, int64_t size, int64_t channels, int layers,
                 Nonlinearity nonlinearity = Nonlinearity::Relu) {
  NetworkBuilder net("stack", 1);
  Value* x = net.input("x", {batch, 16, size, size});
  x = net.conv(x, {.channels = 64, .bias = true}, "first");
  for (int i = 0; i < layers; ++i) {
    x = net.conv(x, {.channels = channels, .kernel = 3, .bias = true}, str("conv", i));
    x = net.activation(x, nonlinearity, str("relu", i));
  }
  x = net.conv(x, {.channels = 64, .bias = true}, "last");
  return net.finish(net.global_average_pool(x, "mean_of_all"), "y");
}

Graph wide_products() {
  return conv_stack(8, 56, 256, 2);
}

// Which libraries have no kernels for.
Graph clipped_products() {
  return conv_stack(8, 56, 256, 2, Nonlinearity::Relu6);
}

Graph odd_flawed() {
  return conv_stack(8, 56, 63, 3);
}
Graph odd_repaired() {
  return conv_stack(8, 56, 64, 3);
}

Graph pointwise(int64_t channels) {
  NetworkBuilder net("pointwise", 1);
  Value* x = net.input("x", {8, 16, 112, 112});
  for (int i = 0; i < 4; ++i) {
    x = net.conv(x, {.channels = channels, .bias = true}, str("conv", i));
    x = net.activation(x, Nonlinearity::Relu, str("relu", i));
  }
  x = net.conv(x, {.channels = 16, .bias = true}, "last");
  return net.finish(net.global_average_pool(x, "mean_of_all"), "y");
}
Graph odd_pointwise_flawed() {
  return pointwise(100);
}
Graph odd_pointwise_repaired() {
  return pointwise(104);
}

// What is read twice is written first: every turn is a kernel of its own.
Value* turns(NetworkBuilder& net, Value* x, int count) {
  for (int i = 0; i < count; ++i) {
    x = net.apply("mul", {x, net.scalar(0.5f + 0.01f * static_cast<float>(i))}, str("scale", i));
    Value* bent = net.apply("sigmoid", {x}, str("bend", i));
    x = net.apply("add", {x, bent}, str("add", i));
  }
  return x;
}
Graph chain_flawed() {
  return between_convs("chain", {8, 16, 112, 112}, 64,
                       [](NetworkBuilder& net, Value* x) { return turns(net, x, 6); });
}
Graph chain_repaired() {
  return between_convs("chain", {8, 16, 112, 112}, 64,
                       [](NetworkBuilder& net, Value* x) { return turns(net, x, 1); });
}

Graph one_image() {
  return conv_stack(1, 14, 128, 6);
}
Graph eight_images() {
  return conv_stack(8, 14, 128, 6);
}

constexpr int kPieces = 16;
Graph pieces(int count, int64_t batch) {
  NetworkBuilder net("pieces", 1);
  std::vector<std::pair<Value*, std::string_view>> outputs;
  static std::vector<std::string> names;
  names.resize(kPieces);
  for (int i = 0; i < count; ++i) {
    Value* x = net.input(str("x", i), {batch, 64, 14, 14});
    x = net.conv(x, {.channels = 128, .kernel = 3, .bias = true}, str("conv", i));
    names[static_cast<size_t>(i)] = str("y", i);
    outputs.emplace_back(net.global_average_pool(x, str("mean", i)), names[static_cast<size_t>(i)]);
  }
  return net.finish(outputs);
}
Graph pieces_flawed() {
  return pieces(kPieces, 1);
}
Graph pieces_repaired() {
  return pieces(1, kPieces);
}

// The mean over an image does not ask which axis is which.
Graph transpose_flawed() {
  return between_convs("transpose", {8, 8, 112, 112}, 256, [](NetworkBuilder& net, Value* x) {
    x = net.transpose(x, {0, 1, 3, 2}, "swap");
    return net.global_average_pool(x, "mean");
  });
}
Graph transpose_repaired() {
  return between_convs("transpose", {8, 8, 112, 112}, 256, [](NetworkBuilder& net, Value* x) {
    return net.global_average_pool(x, "mean");
  });
}

Graph sums_flawed() {
  return between_convs("sums", {1, 16, 56, 56}, 64, [](NetworkBuilder& net, Value* x) {
    Value* axis = net.constant("axis", Tensor::of_ints({1}));
    return net.apply("cum_sum", {x, axis}, "sums");
  });
}
Graph sums_repaired() {
  return between_convs("sums", {1, 16, 56, 56}, 64, [](NetworkBuilder&, Value* x) { return x; });
}

Graph map_of_scores(bool whole) {
  NetworkBuilder net("scores", 1);
  Value* x = net.input("x", {1, 4, 512, 512});
  x = net.conv(x, {.channels = 32, .kernel = 3, .bias = true}, "conv");
  if (!whole) x = net.global_average_pool(x, "mean");
  return net.finish(x, "y");
}
Graph outputs_flawed() {
  return map_of_scores(true);
}
Graph outputs_repaired() {
  return map_of_scores(false);
}

Graph input_of_type(DType dtype) {
  NetworkBuilder net("inputs", 1);
  Value* x = net.input("x", {4, 16, 128, 128}, dtype);
  if (dtype != DType::F32) x = net.apply("cast", {x}, "wide", {{"to", DType::F32}});
  x = net.conv(x, {.channels = 32, .bias = true}, "conv");
  return net.finish(net.global_average_pool(x, "mean"), "y");
}
Graph inputs_flawed() {
  return input_of_type(DType::F32);
}
Graph inputs_repaired() {
  return input_of_type(DType::F16);
}

// Products of groups have one kernel, of 64 x 64 results a block: an H200 has 132 multiprocessors.
Graph rows_of_tiles(int64_t rows) {
  NetworkBuilder net("tiles", 1);
  Value* x = net.input("x", {1, 16, rows, 128});
  x = net.conv(x, {.channels = 128, .bias = true}, "wide");
  x = net.conv(x, {.channels = 128, .kernel = 3, .groups = 2, .bias = true}, "tiles");
  return net.finish(net.global_average_pool(x, "mean"), "y");
}
Graph tail_flawed() {
  return rows_of_tiles(134);
}
Graph tail_repaired() {
  return rows_of_tiles(132);
}
Graph rows_in_floats() {
  NetworkBuilder net("rows", 1);
  Value* x = net.input("x", {16384, 16});
  x = net.project(x, 2048, "wide");
  for (int i = 0; i < 6; ++i) {
    x = net.layer_norm(x, str("norm", i));
    x = net.softmax(x, str("softmax", i));
  }
  x = net.project(x, 8, "narrow");
  return net.finish(x, "y");
}

Graph computed_constant(bool in_model) {
  NetworkBuilder net("constants", 1);
  const TensorType type(DType::F32, {16384, 1024});
  Value* x = net.input("x", {16384, 16});
  x = net.project(x, 1024, "before");
  Value* factors = net.constant("factors", random_tensor(type, 3));
  if (in_model) {
    Value* column = net.constant("column", random_tensor(TensorType(DType::F32, {16384, 1}), 3));
    Value* shape = net.constant("shape", Tensor::of_ints({16384, 1024}));
    factors = net.apply("expand", {column, shape}, "expand");
  }
  x = net.apply("mul", {x, factors}, "mul");
  return net.finish(net.project(x, 8, "after"), "y");
}
Graph constants_flawed() {
  return computed_constant(true);
}
Graph constants_repaired() {
  return computed_constant(false);
}

Graph repeated() {
  return between_convs("repeated", {8, 16, 112, 112}, 64, [](NetworkBuilder& net, Value* x) {
    Value* a = net.max_pool(x, 7, 1, "one");
    Value* b = net.max_pool(x, 7, 1, "other");
    return net.apply("mul", {a, b}, "mul");
  });
}
CompileOptions without(std::string pass) {
  CompileOptions options = on_gpu(Precision::F16);
  options.disabled_passes = {std::move(pass)};
  return options;
}

Graph scaled_by(Shape shape) {
  NetworkBuilder net("scaled", 1);
  Value* x = net.input("x", {4, 8, 112, 112});
  x = net.conv(x, {.channels = 256, .bias = true}, "before");
  Tensor factors = random_tensor(TensorType(DType::F32, std::move(shape)), 3);
  x = net.apply("mul", {x, net.constant("factors", std::move(factors))}, "scale");
  x = net.conv(x, {.channels = 16, .bias = true}, "after");
  return net.finish(net.global_average_pool(x, "mean"), "y");
}
Graph pass_flawed() {
  return scaled_by({1, 256, 112, 112});
}
Graph pass_repaired() {
  return scaled_by({1, 256, 1, 1});
}

Graph quantized_products() {
  Model model;
  model.graph = clipped_products();
  Result<Model> narrow = quantize_for_device(model, **find_target("cuda"), nullptr);
  EXPECT_TRUE(narrow.ok()) << narrow.error().message;
  return std::move(narrow->graph);
}

const std::vector<GpuFault>& faults() {
  static const std::vector<GpuFault> kFaults = {
      {.name = "fp32_products",
       .rule = "gpu_fp32_products",
       .flawed = wide_products,
       .repaired = wide_products,
       .flawed_options = on_gpu(Precision::F32, kTune),
       .repaired_options = on_gpu(Precision::F16, kTune)},
      {.name = "odd_channels",
       .rule = "gpu_odd_channels",
       .flawed = odd_flawed,
       .repaired = odd_repaired,
       .flawed_options = on_gpu(Precision::F16, kTune),
       .repaired_options = on_gpu(Precision::F16, kTune)},
      {.name = "odd_pointwise",
       .rule = "gpu_odd_channels",
       .flawed = odd_pointwise_flawed,
       .repaired = odd_pointwise_repaired,
       .flawed_options = on_gpu(Precision::F16, kTune),
       .repaired_options = on_gpu(Precision::F16, kTune)},
      {"unfused_chain", "gpu_elementwise_chain", chain_flawed, chain_repaired},
      {.name = "batch_of_one",
       .rule = "gpu_small_kernels",
       .flawed = one_image,
       .repaired = eight_images,
       .flawed_options = on_gpu(Precision::F16, kTune),
       .repaired_options = on_gpu(Precision::F16, kTune),
       .inputs_of_repaired = 8,
       .on_device = false},
      {"split_work", "gpu_split_work", pieces_flawed, pieces_repaired},
      {"transposed", "gpu_layout_changes", transpose_flawed, transpose_repaired},
      {.name = "host_fallback",
       .rule = "gpu_fallback",
       .flawed = sums_flawed,
       .repaired = sums_repaired,
       .on_device = false,
       .host = true},
      {.name = "large_output",
       .rule = "gpu_copies",
       .flawed = outputs_flawed,
       .repaired = outputs_repaired,
       .on_device = false},
      {.name = "wide_input",
       .rule = "gpu_copies",
       .flawed = inputs_flawed,
       .repaired = inputs_repaired,
       .on_device = false},
      {.name = "tail_wave",
       .rule = "gpu_tail_wave",
       .flawed = tail_flawed,
       .repaired = tail_repaired,
       .flawed_options = on_gpu(Precision::F32),
       .repaired_options = on_gpu(Precision::F32)},
      {.name = "memory_bound",
       .rule = "gpu_memory_bound",
       .flawed = rows_in_floats,
       .repaired = rows_in_floats,
       .flawed_options = on_gpu(Precision::F32, kTune),
       .repaired_options = on_gpu(Precision::F16, kTune)},
      {"constants", "constants_computed", constants_flawed, constants_repaired},
      {.name = "repeated",
       .rule = "repeated_work",
       .flawed = repeated,
       .repaired = repeated,
       .flawed_options = without("remove_common")},
      {"lone_pass", "gpu_lone_pass", pass_flawed, pass_repaired},
      {.name = "floats",
       .rule = "gpu_int8_would_pay",
       .flawed = clipped_products,
       .repaired = quantized_products,
       .flawed_options = on_gpu(Precision::F16, kTune),
       .repaired_options = on_gpu(Precision::F16, kTune)},
  };
  return kFaults;
}

double seconds_of(Running& running, bool on_device) {
  const double seconds = running.seconds();
  return on_device ? *running.session->device_seconds() : seconds;
}

// What the repair brings of an input, in ms: both in turn, several runs at a time, since the first
// of them find caches full of what the other used.
double obtained_gain(const GpuFault& fault) {
  constexpr int kRuns = 10;
  constexpr int kCold = 4;
  Running flawed("cuda", fault.flawed(), fault.flawed_options);
  Running repaired("cuda", fault.repaired(), fault.repaired_options);
  std::vector<double> before;
  std::vector<double> after;
  const auto begin = std::chrono::steady_clock::now();
  do {
    for (int i = 0; i < kRuns; ++i) {
      const double seconds = seconds_of(flawed, fault.on_device);
      if (i >= kCold) before.push_back(seconds);
    }
    for (int i = 0; i < kRuns; ++i) {
      const double seconds = seconds_of(repaired, fault.on_device) / fault.inputs_of_repaired;
      if (i >= kCold) after.push_back(seconds);
    }
  } while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(400));
  return 1e3 * (median(before) - median(after));
}

Diagnosis diagnosis_of(const std::string& name, Graph graph, const CompileOptions& options) {
  Model model;
  model.name = name;
  model.graph = std::move(graph);
  ProfileRequest request;
  request.target = "cuda";
  request.compile = options;
  request.inputs = *make_inputs(model.graph, {}, 0);
  request.measure = {.stop = {.seconds = 0.4}, .counters = CounterSource::None};
  Result<Diagnosis> diagnosis = diagnose_model(model, request);
  EXPECT_TRUE(diagnosis.ok()) << diagnosis.error().message;
  return diagnosis.ok() ? *std::move(diagnosis) : Diagnosis();
}

std::string told_of(const Diagnosis& diagnosis) {
  std::string all;
  for (const Finding& finding : diagnosis.findings) {
    all += str("  ", finding.rule, " ", fixed(1e3 * finding.gain.value.value_or(0), 1),
               " us: ", finding.formula, "\n");
  }
  if (const auto& gpu = diagnosis.profile.gpu) {
    all += str("  clock ", gpu->running_mhz, " of ", gpu->clock_mhz, " ", join(gpu->slowed_by),
               ", launching ", fixed(gpu->launching_us, 1), " us, memory ", gpu->memory_rate, "\n");
  }
  for (const StepProfile& step : diagnosis.profile.steps) {
    all += str("  step ", step.name, " ", kernel_name(step.kind), " ", fixed(step.us, 2), " us");
    for (const char* counter : {"blocks", "Waves Per SM"}) {
      const Metric* found = find_metric(step.counters, counter);
      if (found != nullptr) all += str(", ", counter, " ", fixed(*found->value, 2));
    }
    all += "\n";
  }
  return all;
}

std::string variants_of(const cuda::Plan& plan) {
  std::string all;
  for (const cuda::Step& step : plan.steps) {
    if (step.on_host()) continue;
    const cuda::Launch& launch = step.variant().launches[0];
    all += str("  ", step.node->name, " ", step.variant().name, " of ", step.variants.size(), ": ",
               launch.grid[0] * launch.grid[1] * launch.grid[2], " blocks of ", launch.block,
               " threads, ", launch.shared_bytes, " bytes\n");
  }
  return all;
}

class GpuFaults : public testing::TestWithParam<GpuFault> {};

// The flaw is in the plan, and nothing is left to the host that is not meant to be.
TEST_P(GpuFaults, ArePlanned) {
  const GpuFault& fault = GetParam();
  const auto flawed = cuda::make_plan(fault.flawed(), fault.flawed_options, cuda::kHopper);
  const auto repaired = cuda::make_plan(fault.repaired(), fault.repaired_options, cuda::kHopper);
  ASSERT_TRUE(flawed.ok()) << flawed.error().message;
  ASSERT_TRUE(repaired.ok()) << repaired.error().message;
  EXPECT_EQ(!cuda::host_operators(**flawed).empty(), fault.host);
  if (std::getenv("HONE_SHOW") != nullptr) {
    std::cout << variants_of(**flawed) << " repaired\n" << variants_of(**repaired);
  }
  EXPECT_LE(cuda::host_operators(**repaired).size(), cuda::host_operators(**flawed).size());
}

TEST_P(GpuFaults, RightRuleComesFirst) {
  const Support here = (*find_target("cuda"))->here();
  if (!here.full) GTEST_SKIP() << here.reason;
  const GpuFault& fault = GetParam();
  const Diagnosis repaired = diagnosis_of(fault.name, fault.repaired(), fault.repaired_options);
  const Diagnosis flawed = diagnosis_of(fault.name, fault.flawed(), fault.flawed_options);
  if (std::getenv("HONE_SHOW") != nullptr) {
    std::cout << fault.name << " flawed\n" << told_of(flawed) << " repaired\n" << told_of(repaired);
  }
  const Finding* planted = first_planted(flawed, repaired, fault.rule);
  const double obtained = obtained_gain(fault);
  const Finding* told = nullptr;
  for (const Finding& finding : flawed.findings) {
    if (told == nullptr && finding.rule == fault.rule) told = &finding;
  }
  ASSERT_NE(told, nullptr) << told_of(flawed);
  ASSERT_TRUE(told->gain.value.has_value());
  std::cout << fault.name << ": run " << fixed(1e3 * median_ms(flawed.profile), 1)
            << " us, predicted gain " << fixed(1e3 * *told->gain.value, 1) << ", obtained "
            << fixed(1e3 * obtained, 1) << " us, ratio " << fixed(*told->gain.value / obtained, 2)
            << "\n";
  ASSERT_NE(planted, nullptr);
  EXPECT_EQ(planted->rule, fault.rule) << told_of(flawed);
  if (std::getenv("HONE_TIMED") == nullptr) return;
  EXPECT_NEAR(*told->gain.value, obtained, 0.3 * obtained);
}

INSTANTIATE_TEST_SUITE_P(All, GpuFaults, testing::ValuesIn(faults()),
                         [](const auto& fault) { return fault.param.name; });

}  // namespace
}  // namespace hone
