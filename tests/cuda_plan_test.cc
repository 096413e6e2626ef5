// What the cuda target makes of networks, as far as that needs no GPU: which side steps are on, that
// memory does not overlap, and that every kernel compiles where there is a compiler.

#include <gtest/gtest.h>

#include <algorithm>

#include "hone/zoo/zoo.h"
#include "tests/cuda_operators.h"
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

// Two of the three parts are written by who makes them; the third is read by others, too.
TEST(CudaPlans, WriteConcatenationsInPlace) {
  std::string weights;
  for (int i = 0; i < 32 * 16; ++i) weights += "1 ";
  Result<Graph> graph =
      parse_graph(str("graph(%x: f16[1,8,8,16], %z: f16[1,8,8,8]) -> (%y, %c) {\n"
                      "  const %w: f16[32,1,1,16] = {",
                      weights, R"(}
  %a: f16[1,8,8,32] = conv(%x, %w) layout="nhwc"
  %b: f16[1,8,8,16] = relu(%x)
  %c: f16[1,8,8,8] = sqrt(%z)
  %y: f16[1,8,8,56] = concat(%a, %b, %c) axis=3
}
)"));
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const auto made = make_plan(*std::move(graph), {}, kHopper);
  ASSERT_TRUE(made.ok()) << made.error().message;
  const Plan& plan = **made;
  EXPECT_EQ(works_of(plan), (std::vector<std::string>{"conv", "map", "map", "copy"}));
  EXPECT_EQ(plan.steps[3].variant().launches.size(), 1u);
  const SlotInfo& conv = plan.slots[plan.steps[0].writes[0]];
  const SlotInfo& map = plan.slots[plan.steps[1].writes[0]];
  EXPECT_EQ(plan.slots[conv.root].bytes, 8u * 8 * 56 * 2);
  EXPECT_EQ(conv.root, map.root);
  EXPECT_EQ(conv.within, 0u);
  EXPECT_EQ(map.within, 32u * 2);
  expect_to_compile(plan);
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

TEST(CudaPlans, ComputeOperatorsOfEveryFormOnTheGpu) {
  for (const CudaOperatorCase& given : kCudaOperators) {
    for (const char* type : {"f32", "f16", "bf16"}) {
      SCOPED_TRACE(str(given.op, given.text, ", ", type));
      Result<Graph> graph = operator_graph(given, type);
      ASSERT_TRUE(graph.ok()) << graph.error().message;
      const auto plan = make_plan(*std::move(graph), {}, kHopper);
      ASSERT_TRUE(plan.ok()) << plan.error().message;
      EXPECT_EQ(host_operators(**plan), std::vector<std::string>());
      expect_to_compile(**plan);
    }
  }
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
