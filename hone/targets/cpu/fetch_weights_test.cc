#include "hone/targets/cpu/fetch_weights.h"

#include <gtest/gtest.h>

#include "hone/targets/cpu/plan_testing.h"

namespace hone::cpu {
namespace {

std::string constant(const std::string& name, int rows, int columns) {
  std::string text = str("  const %", name, ": f32[", rows, ",", columns, "] = {");
  for (int i = 0; i < rows * columns; ++i) text += str(i == 0 ? "" : " ", i % 7 - 3);
  return text + "}\n";
}

// A product of many rows, one of a single row, and another of many.
std::string three_products() {
  return str("graph(%x: f32[64,32], %z: f32[1,48]) -> (%a, %b, %c) {\n", constant("u", 40, 32),
             constant("v", 24, 48), constant("w", 24, 32),
             "  %a: f32[64,40] = gemm(%x, %u, _) transB=1\n",
             "  %b: f32[1,24] = gemm(%z, %v, _) transB=1\n",
             "  %c: f32[64,24] = gemm(%x, %w, _) transB=1\n}\n");
}

CompileOptions with_threads(int threads) {
  CompileOptions options;
  options.threads = threads;
  return options;
}

TEST(FetchWeights, ProductsFetchUpToTheNextOneThatDoes) {
  const auto plan = plan_of(three_products(), with_threads(1));
  ASSERT_EQ(plan->steps.size(), 3u);
  const Step& many = *plan->steps[0];
  ASSERT_EQ(many.ahead.size(), 2u);
  EXPECT_EQ(many.ahead[0].data(), plan->steps[1]->first_weights().data());
  EXPECT_EQ(many.ahead[0].size(), plan->steps[1]->weight_bytes);
  EXPECT_EQ(many.ahead[1].data(), plan->steps[2]->first_weights().data());
  EXPECT_TRUE(plan->steps[1]->ahead.empty()) << "it waits for weights itself";
  EXPECT_TRUE(plan->steps[2]->ahead.empty()) << "nothing comes after it";
}

TEST(FetchWeights, OnlyOneThreadKnowsWhatItReadsNext) {
  const auto plan = plan_of(three_products(), with_threads(2));
  for (const auto& step : plan->steps) EXPECT_TRUE(step->ahead.empty());
}

}  // namespace
}  // namespace hone::cpu
