// What the cuda target makes of networks of integers, as far as that needs no GPU: that nothing is the
// host's, and that all kernels compile for old and new GPUs.

#include <gtest/gtest.h>

#include "hone/ops/infer_types.h"
#include "hone/ops/op_case.h"
#include "hone/workbench/quantize_for_device.h"
#include "hone/workbench/workbench.h"
#include "tests/cuda_plans.h"
#include "tests/int8_layers.h"
#include "tests/shared_files.h"

namespace hone::cuda {
namespace {

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
    expect_to_compile(*plan);
  }
}

TEST(CudaInt8Plans, KeepWhatPairsBecomeOnTheGpu) {
  for (const char* layer :
       {"add(%f, %c)", "mul(%c, %f)", "prelu(%f, %c)", "max(%f, %c)", "min(%c, %f)",
        "gather(%f, i64[4]{2 0 0 1}) axis=1", "expand(%f, i64[4]{2 3 4 5})"}) {
    SCOPED_TRACE(layer);
    const std::string quant = "f32[]{0.1}, i8[]{3}";
    auto graph =
        parse_graph(str("graph(%x: i8[1,3,4,5]) -> (%y) {\n  %f = dequantize_linear(%x, ", quant,
                        ")\n  %c = dequantize_linear(i8[3,1,1]{-100 7 90}, ", quant,
                        ")\n  %p = ", layer, "\n  %y = quantize_linear(%p, ", quant, ")\n}"));
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    ASSERT_TRUE(infer_types(*graph).ok());
    const auto plan = plan_of(*std::move(graph), kHopper);
    EXPECT_EQ(host_operators(*plan), std::vector<std::string>());
    EXPECT_EQ(plan->steps.size(), 1u);
    expect_to_compile(*plan);
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
  expect_to_compile(*plan_of_network("ds_cnn_kws:int8", kTuring), Kernels::All);
  expect_to_compile(*plan_of_network("ds_cnn_kws:int8", kAmpere));
}

// Layers with tables, gates and residuals behind them.
TEST(CudaInt8Plans, HaveKernelsThatCompile) {
  expect_to_compile(*plan_of_network("mobilenet_v3_large:int8", kHopper));
  expect_to_compile(*plan_of_network("resnet8:int8", kHopper));
}

}  // namespace
}  // namespace hone::cuda
