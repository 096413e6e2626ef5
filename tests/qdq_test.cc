// Operators between Q/DQ pairs: targets compute them with integers, bit for bit as the references
// of the same integers do, and within a step of the floats between the pairs.

#include <gtest/gtest.h>

#include "hone/ops/infer_types.h"
#include "hone/ops/interpreter.h"
#include "hone/targets/common/prepare_graph.h"
#include "hone/tensor/compare.h"
#include "hone/workbench/workbench.h"
#include "tests/random/dice.h"

namespace hone {
namespace {

std::vector<Item> run_on(const std::string& target, const Graph& graph,
                         const std::vector<Item>& inputs) {
  auto program = (*find_target(target))->open()->compile(std::move(*graph.clone()), {});
  EXPECT_TRUE(program.ok()) << target << ": " << program.error().message;
  if (!program.ok()) return {};
  auto outputs = (*program)->run(inputs);
  EXPECT_TRUE(outputs.ok()) << target << ": " << outputs.error().message;
  return outputs.ok() ? *std::move(outputs) : std::vector<Item>();
}

// What the references give for the graph as an engine would compute it.
std::vector<Item> run_fused(const Graph& graph, const std::vector<Item>& inputs) {
  const std::unique_ptr<Graph> fused = graph.clone();
  const auto options = prepare_graph(*fused, {});
  EXPECT_TRUE(options.ok()) << options.error().message;
  auto outputs = run_graph(*fused, inputs, {.eval = options->eval, .after_node = nullptr});
  EXPECT_TRUE(outputs.ok()) << outputs.error().message;
  return outputs.ok() ? *std::move(outputs) : std::vector<Item>();
}

void expect_near(const std::vector<Item>& actual, const std::vector<Item>& expected, double most,
                 const std::string& who) {
  ASSERT_EQ(actual.size(), expected.size()) << who;
  for (size_t i = 0; i < actual.size(); ++i) {
    const Difference difference = compare(actual[i].tensor, expected[i].tensor);
    EXPECT_TRUE(difference.comparable) << who << ": " << difference.what;
    EXPECT_LE(difference.max_abs, most) << who << ", output " << i;
  }
}

// `steps` is how far integers may be from the floats between the pairs.
void expect_same_everywhere(const std::string& text, double steps, uint64_t seed) {
  SCOPED_TRACE(text);
  auto graph = parse_graph(text);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const auto inferred = infer_types(*graph);
  ASSERT_TRUE(inferred.ok()) << inferred.error().message;
  const auto inputs = make_inputs(*graph, {}, seed);
  ASSERT_TRUE(inputs.ok()) << inputs.error().message;
  const auto floats = run_on("ref", *graph, *inputs);
  const auto integers = run_fused(*graph, *inputs);
  expect_near(integers, floats, steps, "integers");
  for (const char* target : {"cpu", "npu", "ethos-u55-128", "edge-tpu-usb"}) {
    expect_near(run_on(target, *graph, *inputs), integers, 0, target);
  }
}

// --- pools

std::string average_graph(Dice& dice) {
  const std::string type = dice.chance(50) ? "i8" : "u8";
  const int64_t zero = type == "i8" ? dice.between(-128, 127) : dice.between(0, 255);
  const int64_t height = dice.between(4, 12), width = dice.between(4, 12);
  const int64_t kernel = dice.between(1, 4), pad = dice.between(0, kernel - 1);
  const int64_t end = dice.between(0, kernel - 1), stride = dice.between(1, 3);
  const std::string quant = str("f32[]{0.05}, ", type, "[]{", zero, "}");
  return str("graph(%x: ", type, "[", dice.between(1, 2), ",", dice.between(1, 40), ",", height,
             ",", width, "]) -> (%y) {\n  %f = dequantize_linear(%x, ", quant,
             ")\n  %p = average_pool(%f) kernel_shape=[", kernel, ",", kernel, "] pads=[", pad, ",",
             pad, ",", end, ",", end, "] strides=[", stride, ",", stride,
             "] ceil_mode=", dice.between(0, 1),
             " count_include_pad=", dice.between(0, 3) > 0 ? 1 : 0, "\n  %y = quantize_linear(%p, ",
             quant, ")\n}");
}

TEST(Qdq, AveragesCountPaddingAsTheZeroPoint) {
  Dice dice(1);
  for (uint64_t i = 0; i < 60; ++i) expect_same_everywhere(average_graph(dice), 1, i);
}

// --- concatenations

std::string concat_graph(Dice& dice) {
  const std::string type = dice.chance(50) ? "i8" : "u8";
  const int64_t parts = dice.between(2, 4), low = type == "i8" ? -128 : 0;
  const int64_t height = dice.between(1, 6), width = dice.between(1, 6);
  const auto quant = [&] {
    return str("f32[]{", static_cast<double>(dice.between(1, 9)) / 64, "}, ", type, "[]{",
               dice.between(low, low + 255), "}");
  };
  std::string inputs, body, operands;
  for (int64_t i = 0; i < parts; ++i) {
    inputs += str(i == 0 ? "" : ", ", "%x", i, ": ", type, "[1,", dice.between(1, 20), ",", height,
                  ",", width, "]");
    body += str("  %f", i, " = dequantize_linear(%x", i, ", ", quant(), ")\n");
    operands += str(i == 0 ? "" : ", ", "%f", i);
  }
  return str("graph(", inputs, ") -> (%y) {\n", body, "  %c = concat(", operands,
             ") axis=1\n  %y = quantize_linear(%c, ", quant(), ")\n}");
}

TEST(Qdq, ConcatenatesDifferentScales) {
  Dice dice(1);
  for (uint64_t i = 0; i < 40; ++i) expect_same_everywhere(concat_graph(dice), 0, i);
}

// --- constants, and what picks elements

// Of operators with a constant for each channel the integers; `inside` says what is computed of %f and %c.
std::string constant_graph(Dice& dice, const std::string& inside, bool same_scale) {
  const std::string type = dice.chance(50) ? "i8" : "u8";
  const int64_t low = type == "i8" ? -128 : 0;
  const auto quant = [&] {
    return str("f32[]{", static_cast<double>(dice.between(2, 9)) / 64, "}, ", type, "[]{",
               dice.between(low, low + 255), "}");
  };
  const auto value = [&] { return dice.between(low, low + 255); };
  const std::string x = quant(), c = same_scale ? x : quant(), y = same_scale ? x : quant();
  return str("graph(%x: ", type, "[1,3,4,5]) -> (%y) {\n  %f = dequantize_linear(%x, ", x,
             ")\n  %c = dequantize_linear(", type, "[3,1,1]{", value(), " ", value(), " ", value(),
             "}, ", c, ")\n  %p = ", inside, "\n  %y = quantize_linear(%p, ", y, ")\n}");
}

TEST(Qdq, ConstantsOfEachChannelAreIntegers) {
  Dice dice(1);
  for (uint64_t i = 0; i < 10; ++i) {
    for (const char* inside : {"add(%f, %c)", "mul(%c, %f)", "sub(%f, %c)", "prelu(%f, %c)"}) {
      expect_same_everywhere(constant_graph(dice, inside, false), 1, i);
    }
    for (const char* inside : {"max(%f, %c)", "min(%c, %f)", "gather(%f, i64[4]{2 0 0 1}) axis=1",
                               "tile(%f, i64[4]{1 2 1 3})", "expand(%f, i64[4]{2 3 4 5})"}) {
      expect_same_everywhere(constant_graph(dice, inside, true), 0, i);
    }
  }
}

// --- what stays as it is

TEST(Qdq, EightBitFloatsRunAsTheyStand) {
  for (const char* type : {"f8e4m3fn", "f8e4m3fnuz", "f8e5m2", "f8e5m2fnuz"}) {
    const std::string quant = str("f32[]{0.25}, ", type, "[]{0}");
    expect_same_everywhere(str("graph(%x: f32[1,4,3,3]) -> (%y) {\n  %q = quantize_linear(%x, ",
                               quant, ")\n  %f = dequantize_linear(%q, ", quant,
                               ")\n  %r = relu(%f)\n", "  %p = quantize_linear(%r, ", quant,
                               ")\n  %y = dequantize_linear(%p, ", quant, ")\n}"),
                           0, 1);
  }
}

TEST(Qdq, FunctionsTakeConstantsOfAnyRank) {
  const std::string quant = "f32[]{0.0625}, i8[]{3}";
  expect_same_everywhere(
      str("graph(%x: i8[1,4,3,3]) -> (%y) {\n  %f = dequantize_linear(%x, ", quant,
          ")\n  %m = mul(%f, f32[1,1,1,1]{1.5})\n  %t = tanh(%m)\n  %y = quantize_linear(%t, ",
          quant, ")\n}"),
      0, 1);
}

// Over some axes, or over all, which no input names.
TEST(Qdq, MeansAreOfIntegers) {
  for (const char* mean :
       {"reduce_mean(%f)", "reduce_mean(%f) keepdims=0", "reduce_mean(%f, i64[2]{2 3})"}) {
    const std::string text =
        str("graph(%x: i8[1,3,4,5]) -> (%y) {\n  %f = dequantize_linear(%x, f32[]{0.05}, i8[]{9})\n"
            "  %m = ",
            mean, "\n  %y = quantize_linear(%m, f32[]{0.02}, i8[]{-7})\n}");
    expect_same_everywhere(text, 1, 3);
    auto graph = parse_graph(text);
    const auto types = infer_types(*graph);
    ASSERT_TRUE(types.ok()) << types.error().message;
    const auto options = prepare_graph(*graph, {});
    ASSERT_TRUE(options.ok()) << options.error().message;
    EXPECT_EQ(graph->nodes().size(), 1) << print(*graph);
  }
}

// One number for each row is no bias for each column, though there are as many.
TEST(Qdq, ABiasByRowsIsNoneByColumns) {
  expect_same_everywhere(
      "graph(%x: i8[3,4]) -> (%y) {\n"
      "  %f = dequantize_linear(%x, f32[]{0.5}, i8[]{0})\n"
      "  %w = dequantize_linear(i8[4,3]{1 2 3 4 5 6 7 8 9 10 11 12}, f32[]{0.25}, i8[]{0})\n"
      "  %g = gemm(%f, %w, f32[3,1]{1 -20 300})\n"
      "  %y = quantize_linear(%g, f32[]{4}, i8[]{0})\n}",
      1, 1);
}

}  // namespace
}  // namespace hone
