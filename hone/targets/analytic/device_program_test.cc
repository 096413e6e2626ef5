#include "hone/targets/analytic/device_program.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

DeviceProgram program_of(std::string_view text, Runtime runtime = Runtime::Compiled) {
  auto graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  auto program = device_program(*std::move(graph), {.floats = "fp16", .runtime = runtime});
  EXPECT_TRUE(program.ok()) << program.error().message;
  return *std::move(program);
}

std::string zeros(std::string_view type, int64_t count) {
  std::string text = str(type, "{");
  for (int64_t i = 0; i < count; ++i) text += "0 ";
  return text + "}";
}

TEST(DeviceProgram, KnowsTheFamiliesOfConvolutions) {
  const auto family = [](const std::string& weights, int64_t count, const std::string& attributes) {
    const DeviceProgram program =
        program_of(str("graph(%x: f32[1,16,9,9]) -> (%y) {\n  %y = conv(%x, ",
                       zeros(str("f32", weights), count), ")", attributes, "\n}"));
    return std::string(program.steps.at(0).family);
  };
  EXPECT_EQ(family("[16,16,1,1]", 256, ""), "pointwise");
  EXPECT_EQ(family("[16,16,3,3]", 2304, ""), "window");
  EXPECT_EQ(family("[8,16,3,3]", 1152, ""), "dense");  // Too narrow for Winograd's form.
  EXPECT_EQ(family("[16,16,3,3]", 2304, " strides=[2,2]"), "dense");
  EXPECT_EQ(family("[16,1,3,3]", 144, " group=16"), "depthwise");
  EXPECT_EQ(family("[16,4,3,3]", 576, " group=4"), "grouped");
  // As TFLite has them: the image is read as 16 rows, 9 columns and 9 channels.
  EXPECT_EQ(family("[16,1,1,9]", 144, " layout=\"nhwc\""), "pointwise");
  EXPECT_EQ(family("[16,3,3,9]", 1296, " layout=\"nhwc\""), "dense");
  EXPECT_EQ(family("[9,3,3,1]", 81, " layout=\"nhwc\" group=9"), "depthwise");
}

TEST(DeviceProgram, KnowsTheFamiliesOfProducts) {
  const DeviceProgram program = program_of(
      str("graph(%x: f32[1,4], %z: f32[9,4]) -> (%a, %b, %c) {\n  const %w: f32[4,4] = ",
          "{1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7}\n  %a = matmul(%x, %w)\n  %b = matmul(%z, %w)\n",
          "  %t = transpose(%z) perm=[1,0]\n  %c = matmul(%z, %t)\n}"));
  std::vector<std::string_view> families;
  for (const DeviceStep& step : program.steps) families.push_back(step.family);
  EXPECT_EQ(std::ranges::count(families, "linear"), 1);
  EXPECT_EQ(std::ranges::count(families, "matmul"), 1);
  EXPECT_EQ(std::ranges::count(families, "attention"), 1);
  EXPECT_EQ(std::ranges::count(families, "pass"), 1);
}

// A program that multiplies what it was handed is no network with attention in it.
TEST(DeviceProgram, TakesAProductOfInputsForOneWithWeights) {
  const auto family = [](int rows) {
    const DeviceProgram program = program_of(
        str("graph(%a: f32[", rows, ",4], %b: f32[4,5]) -> ", "(%y) {\n  %y = matmul(%a, %b)\n}"));
    return std::string(program.steps.at(0).family);
  };
  EXPECT_EQ(family(9), "matmul");
  EXPECT_EQ(family(1), "linear");
}

// A batch norm is folded, a swish computed where the convolution writes, a view costs nothing.
TEST(DeviceProgram, CountsWhatACompilerLeaves) {
  const DeviceProgram program = program_of(
      str("graph(%x: f32[1,2,4,4]) -> (%y) {\n  %a = conv(%x, ", zeros("f32[3,2,1,1]", 6),
          ")\n  %b = batch_norm(%a, f32[3]{1 1 1}, f32[3]{0 0 0}, f32[3]{0 0 0}, f32[3]{1 1 1})\n",
          "  %s = sigmoid(%b)\n  %c = mul(%b, %s)\n  %y = flatten(%c)\n}"));
  const FamilyWork work = work_of(program);
  EXPECT_EQ(work[family_index("pointwise")], 2 * 3 * 16);
  EXPECT_EQ(work[family_index("move")], (2 + 3) * 16);
  EXPECT_EQ(work[family_index("function")], 3 * 16);
  EXPECT_EQ(work[family_index("pass")], 0);
  EXPECT_EQ(work[family_index("step")], 1);
  EXPECT_EQ(work[family_index("run")], 1);
  EXPECT_EQ(program.steps[0].precision, "fp16");
}

// Of integers as of floats: what quantizing adds is no work of its own.
TEST(DeviceProgram, TablesAndScalesAreFused) {
  const DeviceProgram program = program_of(
      str("graph(%x: i8[1,2,4,4]<0.1:0>) -> (%y) {\n  %a: i8[1,3,4,4]<0.1:0> = conv(%x, ",
          zeros("i8[3,2,1,1]<0.1:0>", 6), ")\n  %r: i8[1,3,4,4]<0.2:0> = requantize(%a)\n",
          "  %y = max_pool(%r) kernel_shape=[2,2]\n}"));
  ASSERT_EQ(program.steps.size(), 3u);
  EXPECT_FALSE(program.steps[0].fused);
  EXPECT_TRUE(program.steps[1].fused);
  EXPECT_TRUE(program.steps[1].family.empty());
  EXPECT_EQ(work_of(program)[family_index("step")], 2);
}

// A sum of integers costs what one of floats does, and bytes that a caller makes of floats nothing.
TEST(DeviceProgram, IntegersCostWhatFloatsDo) {
  const auto sum_of = [](std::string_view after) {
    return program_of(
        str("graph(%f: f32[1,2,4,4]) -> (%y) {\n  %x: i8[1,2,4,4]<0.1:0> = quantize_linear(%f, ",
            "f32[]{0.1}, i8[]{0})\n  %a: i8[1,2,4,4]<0.1:0> = conv(%x, ",
            zeros("i8[2,2,1,1]<0.1:0>", 4), ")\n  ", after, "\n}"));
  };
  const DeviceProgram fused = sum_of("%y: i8[1,2,4,4]<0.2:0> = add(%a, %x)");
  const DeviceProgram floats =
      program_of(str("graph(%x: f32[1,2,4,4]) -> (%y) {\n  %a = conv(%x, ",
                     zeros("f32[2,2,1,1]", 4), ")\n  %y = add(%a, %x)\n}"));
  EXPECT_EQ(work_of(fused), work_of(floats));
  EXPECT_EQ(work_of(fused)[family_index("step")], 1);
  EXPECT_EQ(work_of(fused)[family_index("move")], 3 * 32);
  // What another step reads is written before the sum.
  const DeviceProgram apart =
      sum_of("%s: i8[1,2,4,4]<0.2:0> = add(%a, %x)\n  %y: i8[1,2,4,4]<0.2:0> = add(%s, %a)");
  EXPECT_EQ(work_of(apart)[family_index("step")], 3);
}

// Equal operators are computed twice, and what is multiplied by zero is computed.
TEST(DeviceProgram, EagerRuntimesRunEveryOperator) {
  const std::string text =
      str("graph(%x: f32[1,2,4,4]) -> (%y) {\n  %i = identity(%x)\n  %r = relu(%i)\n",
          "  %q = relu(%i)\n  %a = conv(%r, ", zeros("f32[2,2,1,1]", 4),
          ")\n  %b = batch_norm(%a, f32[2]{1 1}, f32[2]{0 0}, f32[2]{0 0}, f32[2]{1 1})\n",
          "  %n = mul(%b, f32[]{0})\n  %y = add(%n, %q)\n}");
  const FamilyWork eager = work_of(program_of(text, Runtime::Eager));
  EXPECT_EQ(eager[family_index("step")], 6);
  EXPECT_EQ(eager[family_index("pass")], 32 * (2 + 2 + 2 + 2 + 3));
  EXPECT_EQ(eager[family_index("pointwise")], 2 * 2 * 16);
  const FamilyWork compiled = work_of(program_of(text));
  EXPECT_LT(compiled[family_index("step")], 5);
  EXPECT_EQ(compiled[family_index("pointwise")], 2 * 2 * 16);
}

}  // namespace
}  // namespace hone
