// What the cuda target makes of networks, as far as that needs no GPU: which side steps are on, that
// memory does not overlap, and that every kernel compiles where there is a compiler.

#include <gtest/gtest.h>

#include <algorithm>

#include "hone/zoo/zoo.h"
#include "tests/cuda_plans.h"

namespace hone::cuda {
namespace {

std::unique_ptr<Plan> plan_of(std::string_view network, Precision precision, const GpuInfo& gpu) {
  Result<Graph> graph = build_network(network);
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  auto plan = make_plan(*std::move(graph), {.precision = precision}, gpu);
  EXPECT_TRUE(plan.ok()) << plan.error().message;
  return *std::move(plan);
}

class CudaPlan : public testing::TestWithParam<const char*> {};

TEST_P(CudaPlan, LeavesNothingToTheHostInHalfPrecision) {
  const auto plan = plan_of(GetParam(), Precision::F16, kHopper);
  EXPECT_EQ(host_operators(*plan), std::vector<std::string>());
  EXPECT_EQ(plan->stages.size(), 1u);
}

TEST_P(CudaPlan, PutsNoTwoLivingValuesIntoOnePlace) {
  const auto plan = plan_of(GetParam(), Precision::F16, kHopper);
  std::vector<const SlotInfo*> roots;
  for (Slot slot = 0; slot < plan->slots.size(); ++slot) {
    const SlotInfo& info = plan->slots[slot];
    if (info.root == slot && info.on_gpu && !info.constant && info.bytes > 0) {
      roots.push_back(&info);
    }
  }
  for (const SlotInfo* a : roots) {
    EXPECT_LE(a->offset + a->bytes, plan->arena_bytes);
    for (const SlotInfo* b : roots) {
      if (a == b || a->last_step < b->first_step || b->last_step < a->first_step) continue;
      EXPECT_TRUE(a->offset + a->bytes <= b->offset || b->offset + b->bytes <= a->offset)
          << a->value->name << " and " << b->value->name;
    }
  }
}

std::vector<std::string> works_of(const Plan& plan) {
  std::vector<std::string> works;
  for (const Step& step : plan.steps) works.push_back(step.kind.work);
  return works;
}

TEST(CudaPlans, MultiplyTheInputOfAnAttentionOnce) {
  const std::vector<std::string> works = works_of(*plan_of("vit_b_16", Precision::F16, kHopper));
  constexpr int kLayers = 12;
  EXPECT_EQ(std::ranges::count(works, "attention"), kLayers);
  EXPECT_EQ(std::ranges::count(works, "gemm"), kLayers * 4 + 1);
}

TEST(CudaPlans, BringAnImageIntoItsFormInOneStep) {
  const std::vector<std::string> works = works_of(*plan_of("resnet50", Precision::F16, kHopper));
  EXPECT_EQ(works[0], "pad");
  EXPECT_EQ(works[1], "conv");
  EXPECT_EQ(works[2], "pool");
}

TEST_P(CudaPlan, HasKernelsThatCompile) {
  expect_to_compile(*plan_of(GetParam(), Precision::F16, kHopper));
}

TEST(CudaPlans, NameWhatIsTheHosts) {
  Result<Graph> graph =
      parse_graph("graph(%x: f32[4,8]) -> (%y) {\n  %y: f32[4,8] = cum_sum(%x, i64[]{1})\n}\n");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const auto plan = make_plan(*std::move(graph), {}, kHopper);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  ASSERT_EQ((*plan)->steps.size(), 1u);
  const Step& step = (*plan)->steps[0];
  EXPECT_TRUE(step.on_host());
  EXPECT_EQ(kernel_name(step.kind), "host reference");
  EXPECT_NE(step.reason, "");
}

TEST(CudaPlans, HaveKernelsForOlderGpusAndForFloats) {
  expect_to_compile(*plan_of("mobilenet_v3_small", Precision::F16, kTuring));
  expect_to_compile(*plan_of("transformer_encoder", Precision::F16, kTuring));
  expect_to_compile(*plan_of("mobilenet_v3_small", Precision::F32, kHopper));
}

// Weights that are computed lie along n: the copy engine of newer GPUs serves that alone.
TEST(CudaPlans, MultiplyInTf32WhereTensorCoresTakeIt) {
  const auto precision_of = [](const GpuInfo& gpu, const char* sides) {
    Result<Graph> graph =
        parse_graph(str("graph(%x: f32[2048,512], %w: f32[512,", sides,
                        "]) -> (%y) {\n  %y: f32[2048,", sides, "] = matmul(%x, %w)\n}\n"));
    EXPECT_TRUE(graph.ok()) << graph.error().message;
    const auto plan = make_plan(*std::move(graph), {.precision = Precision::TF32}, gpu);
    EXPECT_TRUE(plan.ok()) << plan.error().message;
    expect_to_compile(**plan);
    return (*plan)->steps[0].kind.precision;
  };
  EXPECT_EQ(precision_of(kHopper, "1024"), Arithmetic::Tf32);
  EXPECT_EQ(precision_of(kHopper, "1021"), Arithmetic::Fp32);
  EXPECT_EQ(precision_of(kAmpere, "1024"), Arithmetic::Fp32);
  const auto plan = plan_of("mobilenet_v3_small", Precision::TF32, kAmpere);
  EXPECT_TRUE(std::ranges::any_of(
      plan->steps, [](const Step& step) { return step.kind.precision == Arithmetic::Tf32; }));
  expect_to_compile(*plan);
}

TEST(CudaPlans, LeaveNothingToTheHostInBfloats) {
  for (const char* network : {"resnet50", "mobilenet_v3_small", "transformer_encoder"}) {
    const auto plan = plan_of(network, Precision::BF16, kHopper);
    EXPECT_EQ(host_operators(*plan), std::vector<std::string>()) << network;
    EXPECT_TRUE(std::ranges::any_of(plan->slots, [](const SlotInfo& slot) {
      return slot.type.dtype == DType::BF16;
    })) << network;
    expect_to_compile(*plan);
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, CudaPlan,
                         testing::Values("resnet50", "mobilenet_v3_large", "efficientnet_b0",
                                         "yolov5n", "transformer_encoder", "vit_b_16"),
                         [](const auto& param) { return std::string(param.param); });

}  // namespace
}  // namespace hone::cuda
