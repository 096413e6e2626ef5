#include "hone/targets/cpu/plane_conv_step.h"

#include <gtest/gtest.h>

#include "hone/kernels/plane_conv/plane_conv.h"
#include "hone/targets/cpu/plan_testing.h"

namespace hone::cpu {
namespace {

// Two convolutions of an image of `planes` planes, the second on top of the first.
std::string two_layers(int planes, const std::string& outputs) {
  const auto weights = [](const std::string& name, int outs, int ins) {
    std::string text = str("  const %", name, ": f32[", outs, ",", ins, ",3,3] = {");
    for (int i = 0; i < outs * ins * 9; ++i) text += "1 ";
    return text + "}\n";
  };
  return str("graph(%x: f32[1,", planes, ",20,40]) -> (", outputs, ") {\n", weights("v", 8, planes),
             weights("w", 6, 8), "  %a = conv(%x, %v)\n  %y = conv(%a, %w)\n}");
}

// Of the image, before the first layer.
size_t transposes(const Plan& plan) {
  size_t count = 0;
  for (const auto& step : plan.steps) {
    if (step->node->op == "conv") break;
    count += step->node->op == "transpose" ? 1 : 0;
  }
  return count;
}

bool has_plane_kernel() {
  return best_variant(plane_conv_variants()).name != "ref";
}

TEST(PlaneConvStep, TakesThePlacesOfTransposeAndProduct) {
  if (!has_plane_kernel()) GTEST_SKIP() << "no kernel for this CPU";
  EXPECT_EQ(transposes(*plan_of(two_layers(3, "%y"), {})), 0u);
  EXPECT_EQ(transposes(*plan_of(two_layers(8, "%y"), {})), 1u) << "too many planes";
  CompileOptions options;
  options.keep_values = true;
  EXPECT_EQ(transposes(*plan_of(two_layers(3, "%y"), options)), 1u) << "the image is peeked at";
}

}  // namespace
}  // namespace hone::cpu
