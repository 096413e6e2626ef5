// The pass tabulate: tables against the floats they stand for, code by code.

#include <gtest/gtest.h>

#include "hone/ops/infer_types.h"
#include "hone/ops/interpreter.h"
#include "hone/passes/elementwise_region.h"
#include "hone/passes/pass_def.h"
#include "hone/passes/qdq_match.h"

namespace hone {
namespace {

struct TabulateCase {
  const char* name;
  const char* body;  // From %f to %m, both f32[256].
};

// Swish with a slope, GELU by erf, hard swish by parts, and one of two branches.
constexpr TabulateCase kCases[] = {
    {"swish",
     "%b: f32[256] = mul(%f, f32[]{1.7})\n%s: f32[256] = sigmoid(%b)\n"
     "%m: f32[256] = mul(%f, %s)\n"},
    {"gelu",
     "%d: f32[256] = mul(%f, f32[]{0.70710678})\n%e: f32[256] = erf(%d)\n"
     "%a: f32[256] = add(%e, f32[]{1})\n%p: f32[256] = mul(%f, %a)\n"
     "%m: f32[256] = mul(%p, f32[]{0.5})\n"},
    {"hard_swish",
     "%a: f32[256] = add(%f, f32[]{3})\n%c: f32[256] = clip(%a, f32[]{0}, f32[]{6})\n"
     "%p: f32[256] = mul(%f, %c)\n%m: f32[256] = div(%p, f32[]{6})\n"},
    {"two_branches",
     "%t: f32[256] = tanh(%f)\n%e: f32[256] = abs(%f)\n"
     "%m: f32[256] = max(%t, %e)\n"},
};

Graph graph_of(const TabulateCase& one, const char* dtype, int zero) {
  const std::string text = str(
      "graph(%x: ", dtype, "[256]) -> (%y) {\n%f: f32[256] = dequantize_linear(%x, f32[]{0.047}, ",
      dtype, "[]{", zero, "})\n", one.body, "%y: ", dtype,
      "[256] = quantize_linear(%m, f32[]{0.031}, ", dtype, "[]{", zero, "})\n}\n");
  auto graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << graph.error().message << "\n" << text;
  return *std::move(graph);
}

Tensor all_codes(DType dtype) {
  Tensor codes(TensorType{dtype, {256}});
  for (size_t i = 0; i < 256; ++i) codes.mutable_bytes()[i] = static_cast<std::byte>(i);
  return codes;
}

TEST(Tabulate, GivesWhatTheFloatsGiveForEveryCode) {
  for (const TabulateCase& one : kCases) {
    for (const DType dtype : {DType::I8, DType::U8}) {
      Graph graph = graph_of(one, dtype == DType::I8 ? "i8" : "u8", dtype == DType::I8 ? 5 : 133);
      const auto expected = run_graph(graph, {Item(all_codes(dtype))});
      ASSERT_TRUE(expected.ok()) << one.name << ": " << expected.error().message;
      EXPECT_EQ(run_pass(graph, "tabulate"), 1) << one.name;
      EXPECT_EQ(graph.node_count(), 1u) << print(graph);
      ASSERT_TRUE(verify(graph).ok());
      const auto actual = run_graph(
          graph, {Item(all_codes(dtype).with_quantization(graph.inputs()[0]->type.tensor.quant))});
      ASSERT_TRUE(actual.ok()) << one.name << ": " << actual.error().message;
      for (size_t i = 0; i < 256; ++i) {
        ASSERT_EQ((*actual)[0].tensor.bytes()[i], (*expected)[0].tensor.bytes()[i])
            << one.name << " code " << i;
      }
    }
  }
}

// Other scales need a table, other zero points alone do not.
TEST(Tabulate, BytesOfAnotherScaleOrTypeAreWhatTheFloatsGive) {
  for (const float scale : {0.031F, 0.047F, 0.5F}) {
    auto graph = parse_graph(
        str("graph(%x: u8[256]) -> (%y) {\n%f: f32[256] = dequantize_linear(%x, f32[]{0.047}, "
            "u8[]{133})\n%y: i8[256] = quantize_linear(%f, f32[]{",
            scale, "}, i8[]{5})\n}\n"));
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    const auto expected = run_graph(*graph, {Item(all_codes(DType::U8))});
    ASSERT_TRUE(expected.ok()) << expected.error().message;
    EXPECT_EQ(run_pass(*graph, "tabulate"), 1);
    ASSERT_EQ(graph->node_count(), 1u) << print(*graph);
    EXPECT_EQ(graph->node(0)->op, scale == 0.047F ? "requantize" : "lookup");
    ASSERT_TRUE(verify(*graph).ok());
    const Quant& quant = graph->inputs()[0]->type.tensor.quant;
    for (const Rounding rounding : {Rounding::Double, Rounding::Single}) {
      RunOptions options;
      options.eval.rounding = rounding;
      const auto actual =
          run_graph(*graph, {Item(all_codes(DType::U8).with_quantization(quant))}, options);
      ASSERT_TRUE(actual.ok()) << actual.error().message;
      EXPECT_EQ(to_ints((*actual)[0].tensor), to_ints((*expected)[0].tensor)) << scale;
    }
  }
}

TEST(Tabulate, LeavesFunctionsOfTwoValuesAlone) {
  auto graph = parse_graph(R"(
graph(%x: i8[4], %z: f32[4]) -> (%y) {
  %f: f32[4] = dequantize_linear(%x, f32[]{0.5}, i8[]{0})
  %m: f32[4] = mul(%f, %z)
  %y: i8[4] = quantize_linear(%m, f32[]{0.5}, i8[]{0})
})");
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(run_pass(*graph, "tabulate"), 0);
}

TEST(ElementwiseRegion, EndsWhereAnotherReads) {
  auto graph = parse_graph(R"(
graph(%x: f32[4]) -> (%y, %z) {
  %a: f32[4] = exp(%x)
  %b: f32[4] = neg(%a)
  %y: f32[4] = abs(%b)
  %z: f32[4] = sqrt(%a)
})");
  ASSERT_TRUE(graph.ok());
  const auto region = region_ending_in(*graph, graph->find_value("y"));
  ASSERT_TRUE(region);
  EXPECT_EQ(region->source->name, "a");
  EXPECT_EQ(region->nodes.size(), 2u);
}

// Constants of one element, whatever their rank, are part of the function.
TEST(Tabulate, TakesConstantsOfAnyRank) {
  auto graph = parse_graph(
      "graph(%x: i8[1,2,2,64]) -> (%y) {\n"
      "  %f: f32[1,2,2,64] = dequantize_linear(%x, f32[]{0.05}, i8[]{3})\n"
      "  %m: f32[1,2,2,64] = mul(%f, f32[1,1,1,1]{1.7})\n"
      "  %t: f32[1,2,2,64] = tanh(%m)\n"
      "  %y: i8[1,2,2,64] = quantize_linear(%t, f32[]{0.01}, i8[]{-7})\n}\n");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const Tensor codes = all_codes(DType::I8).reshaped({1, 2, 2, 64});
  const auto expected = run_graph(*graph, {Item(codes)});
  ASSERT_TRUE(expected.ok()) << expected.error().message;
  EXPECT_EQ(run_pass(*graph, "tabulate"), 1);
  const auto inferred = infer_types(*graph);
  ASSERT_TRUE(inferred.ok()) << inferred.error().message;
  const auto actual =
      run_graph(*graph, {Item(codes.with_quantization(graph->inputs()[0]->type.tensor.quant))});
  ASSERT_TRUE(actual.ok()) << actual.error().message;
  EXPECT_EQ(to_ints((*actual)[0].tensor), to_ints((*expected)[0].tensor));
}

// Bytes of another scale reach that of a concatenation as the floats would.
TEST(Tabulate, BringsConcatenatedBytesToOneScale) {
  auto graph = parse_graph(
      "graph(%x: u8[256], %w: u8[256]) -> (%y) {\n"
      "  %f: f32[256] = dequantize_linear(%x, f32[]{0.047}, u8[]{131})\n"
      "  %g: f32[256] = dequantize_linear(%w, f32[]{0.031}, u8[]{7})\n"
      "  %c: f32[512] = concat(%f, %g) axis=0\n"
      "  %y: u8[512] = quantize_linear(%c, f32[]{0.031}, u8[]{9})\n}\n");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const Tensor codes = all_codes(DType::U8);
  const auto expected = run_graph(*graph, {Item(codes), Item(codes)});
  ASSERT_TRUE(expected.ok()) << expected.error().message;
  EXPECT_EQ(run_pass(*graph, "tabulate"), 1);
  EXPECT_GT(run_pass(*graph, "fuse_qdq"), 0);
  ASSERT_TRUE(verify(*graph).ok());
  EXPECT_EQ(graph->node_count(), 3u) << print(*graph);
  std::vector<Item> inputs;
  for (const Value* input : graph->inputs()) {
    inputs.emplace_back(codes.with_quantization(input->type.tensor.quant));
  }
  const auto actual = run_graph(*graph, inputs);
  ASSERT_TRUE(actual.ok()) << actual.error().message;
  EXPECT_EQ(to_ints((*actual)[0].tensor), to_ints((*expected)[0].tensor));
}

}  // namespace
}  // namespace hone
