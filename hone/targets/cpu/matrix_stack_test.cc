#include "hone/targets/cpu/matrix_stack.h"

#include <gtest/gtest.h>

#include "hone/targets/cpu/plan_testing.h"

namespace hone::cpu {
namespace {

size_t transposes_in(const std::string& text, bool keep_values = false) {
  CompileOptions options;
  options.keep_values = keep_values;
  const auto plan = plan_of(text, options);
  return static_cast<size_t>(std::ranges::count_if(
      plan->steps, [](const auto& step) { return step->node->op == "transpose"; }));
}

// Three heads of four columns in the rows of q, k and v; `outputs` are given away beside %y.
std::string attention(const std::string& outputs = "") {
  return str("graph(%q: f32[1,5,3,4], %k: f32[1,3,4,6], %v: f32[1,6,3,4]) -> (%y", outputs, ") {\n",
             "  %a = transpose(%q) perm=[0,2,1,3]\n  %s = matmul(%a, %k)\n  %p = softmax(%s)\n",
             "  %b = transpose(%v) perm=[0,2,1,3]\n  %c = matmul(%p, %b)\n",
             "  %y = transpose(%c) perm=[0,2,1,3]\n}");
}

TEST(MatrixStack, ProductsOfHeadsNeedNoTransposes) {
  EXPECT_EQ(transposes_in(attention()), 0u);
  EXPECT_EQ(transposes_in(attention(), true), 3u) << "values are kept";
}

TEST(MatrixStack, WhatOthersReadIsThere) {
  EXPECT_EQ(transposes_in(attention(", %a")), 1u);
  EXPECT_EQ(transposes_in(attention(", %c")), 1u);
}

TEST(MatrixStack, TransposesThatTakeRowsApartStay) {
  EXPECT_EQ(transposes_in("graph(%q: f32[2,3,4], %k: f32[2,6,4]) -> (%y) {\n"
                          "  %t = transpose(%k) perm=[0,2,1]\n  %y = matmul(%q, %t)\n}"),
            1u);
}

}  // namespace
}  // namespace hone::cpu
