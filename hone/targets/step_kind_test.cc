#include "hone/targets/step_kind.h"

#include <gtest/gtest.h>

#include "hone/graph/graph.h"

namespace hone {
namespace {

TEST(StepKind, EveryNameIsReadBack) {
  for (int i = 0; i <= static_cast<int>(StepFamily::Nothing); ++i) {
    const auto family = static_cast<StepFamily>(i);
    EXPECT_EQ(family_named(name_of(family)), family) << name_of(family);
  }
  for (int i = 0; i <= static_cast<int>(Arithmetic::Text); ++i) {
    const auto arithmetic = static_cast<Arithmetic>(i);
    EXPECT_EQ(arithmetic_named(name_of(arithmetic)), arithmetic) << name_of(arithmetic);
  }
  EXPECT_EQ(family_named("gemm_f32"), std::nullopt);
  EXPECT_EQ(arithmetic_named("fp31"), std::nullopt);
}

TEST(StepKind, PeopleReadWorkAndVariant) {
  EXPECT_EQ(kernel_name({.work = "gemm_f32", .variant = "neon"}), "gemm_f32 neon");
  EXPECT_EQ(kernel_name({.work = "copy"}), "copy");
  EXPECT_EQ(kernel_name({}), "");
}

TEST(StepKind, ComputesInTheTypeOfItsFirstTensor) {
  const auto arithmetic = [](const std::string& type) {
    const auto graph = parse_graph("graph(%x: " + type + "[2]) -> (%y) {\n  %y: " + type +
                                   "[2] = identity(%x)\n}");
    EXPECT_TRUE(graph.ok()) << graph.error().message;
    return arithmetic_of(*graph->nodes()[0]);
  };
  EXPECT_EQ(arithmetic("f32"), Arithmetic::Fp32);
  EXPECT_EQ(arithmetic("bf16"), Arithmetic::Bf16);
  EXPECT_EQ(arithmetic("u8"), Arithmetic::Int8);
  EXPECT_EQ(arithmetic("i64"), Arithmetic::Int64);
  EXPECT_EQ(arithmetic("bool"), Arithmetic::Bool);
  EXPECT_TRUE(is_integer(Arithmetic::Int16));
  EXPECT_FALSE(is_integer(Arithmetic::Bf16));
}

}  // namespace
}  // namespace hone
