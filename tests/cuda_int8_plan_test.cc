// What the cuda target makes of networks of integers, as far as that needs no GPU: that nothing is the
// host's, and that all kernels compile for old and new GPUs.

#include <gtest/gtest.h>

#include <set>

#include "hone/base/parallel.h"
#include "hone/cuda/compiler.h"
#include "hone/ops/op_case.h"
#include "hone/targets/cuda/plan.h"
#include "hone/workbench/quantize_for_device.h"
#include "hone/workbench/workbench.h"
#include "tests/cuda_int8_layers.h"
#include "tests/shared_files.h"

namespace hone::cuda {
namespace {

const GpuInfo kTuring = {.name = "turing",
                         .major = 7,
                         .minor = 5,
                         .multiprocessors = 40,
                         .memory_bytes = size_t{15} << 30,
                         .l2_bytes = size_t{4} << 20,
                         .most_shared_bytes = 65536,
                         .driver_version = 13000};
const GpuInfo kAmpere = {.name = "ampere",
                         .major = 8,
                         .minor = 0,
                         .multiprocessors = 108,
                         .memory_bytes = size_t{39} << 30,
                         .l2_bytes = size_t{40} << 20,
                         .most_shared_bytes = 166912,
                         .driver_version = 13000};
const GpuInfo kHopper = {.name = "hopper",
                         .major = 9,
                         .minor = 0,
                         .multiprocessors = 132,
                         .memory_bytes = size_t{139} << 30,
                         .l2_bytes = size_t{60} << 20,
                         .most_shared_bytes = 232448,
                         .driver_version = 13000};

std::unique_ptr<Plan> plan_of(Graph graph, const GpuInfo& gpu) {
  auto plan = make_plan(std::move(graph), {}, gpu);
  EXPECT_TRUE(plan.ok()) << plan.error().message;
  return *std::move(plan);
}

std::unique_ptr<Plan> plan_of_network(const std::string& network, const GpuInfo& gpu) {
  auto model = open_model("zoo:" + network);
  EXPECT_TRUE(model.ok()) << model.error().message;
  return plan_of(std::move(model->graph), gpu);
}

std::vector<std::string> host_operators(const Plan& plan) {
  std::vector<std::string> operators;
  for (const Step& step : plan.steps) {
    if (step.on_host())
      operators.push_back(step.node->op + " " + text_of(step.node->outputs[0]->type.tensor));
  }
  return operators;
}

// Of all variants of every step, each once; without `all`, of those that would run first.
std::vector<KernelSource> kernels_of(const Plan& plan, bool all) {
  std::vector<KernelSource> kernels;
  std::set<std::string> seen;
  for (const Step& step : plan.steps) {
    for (size_t v = 0; v < step.variants.size(); ++v) {
      if (!all && v != step.chosen) continue;
      for (const Launch& launch : step.variants[v].launches) {
        if (seen.insert(launch.kernel.text).second) kernels.push_back(launch.kernel);
      }
    }
  }
  return kernels;
}

void expect_to_compile(const Plan& plan, bool all) {
  if (const Status compiler = find_compiler(); !compiler.ok()) {
    GTEST_SKIP() << compiler.error().message;
  }
  const std::vector<KernelSource> kernels = kernels_of(plan, all);
  std::vector<std::string> errors(kernels.size());
  parallel_for(kernels.size(), 0, [&](size_t i) {
    const auto code = compile_source(kernels[i].name, kernels[i].text,
                                     architecture_name(plan.gpu.major, plan.gpu.minor));
    if (!code.ok()) errors[i] = code.error().message;
  });
  for (const std::string& error : errors) EXPECT_EQ(error, "") << plan.gpu.name;
}

TEST(CudaInt8Plans, KeepNetworksOnTheGpuThatAreQuantizedForIt) {
  for (const char* network : {"mobilenet_v2", "squeezenet", "yolov5n"}) {
    auto model = open_model(std::string("zoo:") + network);
    ASSERT_TRUE(model.ok()) << model.error().message;
    auto quantized = quantize_for_device(*model, **find_target("cuda"), nullptr);
    ASSERT_TRUE(quantized.ok()) << quantized.error().message;
    const auto plan = plan_of(std::move(quantized->graph), kHopper);
    EXPECT_EQ(host_operators(*plan), std::vector<std::string>()) << network;
  }
}

class CudaInt8Plan : public testing::TestWithParam<const char*> {};

TEST_P(CudaInt8Plan, LeavesNothingToTheHost) {
  const auto plan = plan_of_network(GetParam(), kHopper);
  EXPECT_EQ(host_operators(*plan), std::vector<std::string>());
  EXPECT_EQ(plan->stages.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Networks, CudaInt8Plan,
                         testing::Values("resnet50:int8", "mobilenet_v2:int8",
                                         "mobilenet_v3_large:int8", "efficientnet_b0:int8",
                                         "ds_cnn_kws:int8", "resnet8:int8", "autoencoder:int8"),
                         [](const auto& param) {
                           std::string name = param.param;
                           std::ranges::replace(name, ':', '_');
                           return name;
                         });

TEST(CudaInt8Plans, AreOfOneStepForALayer) {
  for (const Int8Layer& layer : kInt8Layers) {
    auto graph = graph_of_case(layer.op, layer.text);
    ASSERT_TRUE(graph.ok()) << layer.text << ": " << graph.error().message;
    const auto plan = plan_of(*std::move(graph), kHopper);
    ASSERT_EQ(plan->steps.size(), 1u) << layer.text;
    EXPECT_FALSE(plan->steps[0].on_host()) << layer.op << " " << layer.text;
    expect_to_compile(*plan, false);
  }
}

// Sums, tables and what comes before the first layer are part of the products beside them.
TEST(CudaInt8Plans, HaveAStepForAProductAndWhatFollowsIt) {
  const auto steps_of = [](const std::string& network) {
    const auto plan = plan_of_network(network, kHopper);
    std::string steps;
    for (const Step& step : plan->steps) {
      if (step.kind.family != StepFamily::Product && step.kind.family != StepFamily::Depthwise) {
        steps += str(step.node->op, " ");
      }
    }
    return steps;
  };
  EXPECT_EQ(steps_of("resnet50:int8"), "max_pool reduce_mean ");
  EXPECT_EQ(steps_of("mobilenet_v2:int8"), "reduce_mean ");
  // Gates of eight blocks, whose operands others read too.
  std::string gates;
  for (int i = 0; i < 8; ++i) gates += "reduce_mean mul ";
  EXPECT_EQ(steps_of("mobilenet_v3_large:int8"), gates + "reduce_mean ");
  EXPECT_EQ(plan_of_network("resnet50:int8", kHopper)->steps.size(), 56u);
}

TEST(CudaInt8Plans, LeaveNothingOfTfliteNetworksToTheHost) {
  HONE_SKIP_WITHOUT(shared_dir());
  for (const char* name : {"mlperf_tiny/kws_int8", "mlperf_tiny/ic_int8", "mlperf_tiny/vww_int8",
                           "mlperf_tiny/ad_int8", "coral/mobilenet_v2_ptq_int8",
                           "coral/mobilenet_v2_uint8", "coral/mobilenet_v1_025_128_uint8"}) {
    auto model = open_model((shared_dir() / "models" / (std::string(name) + ".tflite")).string());
    ASSERT_TRUE(model.ok()) << model.error().message;
    const auto plan = plan_of(std::move(model->graph), kHopper);
    EXPECT_EQ(host_operators(*plan), std::vector<std::string>()) << name;
  }
}

TEST(CudaInt8Plans, HaveKernelsForOlderGpus) {
  expect_to_compile(*plan_of_network("ds_cnn_kws:int8", kTuring), true);
  expect_to_compile(*plan_of_network("ds_cnn_kws:int8", kAmpere), false);
}

// Layers with tables, gates and residuals behind them.
TEST(CudaInt8Plans, HaveKernelsThatCompile) {
  expect_to_compile(*plan_of_network("mobilenet_v3_large:int8", kHopper), false);
  expect_to_compile(*plan_of_network("resnet8:int8", kHopper), false);
}

}  // namespace
}  // namespace hone::cuda
