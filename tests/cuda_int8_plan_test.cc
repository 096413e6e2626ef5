// What the cuda target makes of networks of integers, as far as that needs no GPU: that nothing is the
// host's, that all kernels compile for old and new GPUs, and that the arithmetic in the kernels'
// sources is the reference's.

#include <gtest/gtest.h>

#include <set>

#include "hone/base/parallel.h"
#include "hone/cuda/compiler.h"
#include "hone/targets/cuda/plan.h"
#include "hone/workbench/workbench.h"

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

class CudaInt8Plan : public testing::TestWithParam<const char*> {};

TEST_P(CudaInt8Plan, LeavesNothingToTheHost) {
  const auto plan = plan_of_network(GetParam(), kHopper);
  EXPECT_EQ(host_operators(*plan), std::vector<std::string>());
  EXPECT_EQ(plan->stages.size(), 1u);
}

TEST_P(CudaInt8Plan, HasKernelsThatCompile) {
  expect_to_compile(*plan_of_network(GetParam(), kHopper), false);
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

TEST(CudaInt8Plans, HaveKernelsForOlderGpus) {
  expect_to_compile(*plan_of_network("ds_cnn_kws:int8", kTuring), true);
  expect_to_compile(*plan_of_network("ds_cnn_kws:int8", kAmpere), true);
}

}  // namespace
}  // namespace hone::cuda
