#include "hone/validate/arithmetic/arithmetic.h"

#include <gtest/gtest.h>

#include <random>

#include "hone/ops/infer_types.h"
#include "hone/ops/interpreter.h"
#include "hone/validate/arithmetic/per_tensor.h"
#include "hone/validate/arithmetic/run_nodes.h"
#include "hone/validate/arithmetic/u8s8.h"

namespace hone {
namespace {

TEST(SaturatingDot, CutsPairsAndNothingElse) {
  const auto dot = [](std::vector<int32_t> u, std::vector<int32_t> s) {
    return saturating_dot(u, s);
  };
  EXPECT_EQ(dot({1, 2, 3}, {4, 5, 6}), 32);
  EXPECT_EQ(dot({255, 255}, {127, 127}), 32767);
  EXPECT_EQ(dot({255, 255}, {-128, -128}), -32768);
  EXPECT_EQ(dot({255, 0, 255, 0}, {127, 127, 127, 127}), 2 * 255 * 127);
  EXPECT_EQ(dot({0, 255, 255, 0}, {127, 127, 127, 127}), 2 * 255 * 127);
  EXPECT_EQ(dot({255}, {127}), 255 * 127);
  EXPECT_EQ(dot({}, {}), 0);
}

Tensor random_bytes(TensorType type, int low, int high, std::mt19937& rng) {
  Tensor tensor(std::move(type));
  std::uniform_int_distribution<int> next(low, high);
  for (int8_t& value : tensor.mutable_data<int8_t>()) value = static_cast<int8_t>(next(rng));
  return tensor;
}

std::shared_ptr<const Quantization> quant(float scale, int32_t zero = 0) {
  return std::make_shared<Quantization>(Quantization{{scale}, {zero}});
}

// A network of one product.
struct Product {
  Graph graph;
  std::vector<Item> inputs;

  Product(const char* op, Shape x, Shape w, int largest_weight, std::mt19937& rng, Attrs attrs) {
    const TensorType type{DType::I8, std::move(x), quant(0.1F, -5)};
    const Tensor weights =
        random_bytes({DType::I8, w, quant(0.01F)}, -largest_weight, largest_weight, rng);
    Value* in = graph.add_input("x", type);
    Tensor bias(TensorType{DType::I32, {w[0]}, quant(0.001F)});
    bias.mutable_data<int32_t>()[0] = 300;
    TensorType out = TensorType::unranked(DType::I8);
    out.quant = quant(0.5F, 3);
    Node* node =
        graph.add_node(op, {in, graph.add_constant("w", weights), graph.add_constant("b", bias)},
                       {out}, std::move(attrs), "product");
    graph.add_output(node->outputs[0]);
    EXPECT_TRUE(infer_types(graph).ok());
    inputs = {random_bytes(type, -128, 127, rng)};
  }

  Tensor run(bool saturating) const {
    const auto outputs =
        run_nodes(graph, inputs,
                  [&](const Node& node, const std::vector<const Item*>& given) {
                    return saturating ? run_u8s8(node, given, {}) : run_node(node, given, {});
                  },
                  {});
    EXPECT_TRUE(outputs.ok()) << outputs.error().message;
    return (*outputs)[0].tensor;
  }
};

// 255 * 64 twice fits into 16 bits: small weights give the reference's bits, whatever the layout.
TEST(U8s8, IsTheReferenceWhereNothingIsCut) {
  std::mt19937 rng(1);
  const Attrs nhwc = {{"layout", std::string("nhwc")}, {"pads", Ints{1, 1, 1, 1}}};
  const Attrs grouped = {{"group", int64_t{2}}, {"strides", Ints{2, 1}}};
  const Product products[] = {
      {"gemm", {3, 7}, {4, 7}, 64, rng, {{"transB", int64_t{1}}}},
      {"conv", {2, 5, 6, 3}, {4, 3, 3, 3}, 64, rng, nhwc},
      {"conv", {1, 6, 5, 4}, {4, 3, 3, 2}, 64, rng, grouped},
      {"conv", {1, 3, 5, 5}, {2, 3, 3, 3}, 64, rng, {{"pads", Ints{2, 0, 1, 1}}}},
  };
  for (const Product& product : products) {
    const Tensor a = product.run(false), b = product.run(true);
    EXPECT_EQ(a.type(), b.type());
    EXPECT_EQ(to_ints(a), to_ints(b));
  }
}

TEST(U8s8, DiffersWhereLargeWeightsMeetLargeActivations) {
  std::mt19937 rng(1);
  Product product("gemm", {1, 8}, {1, 8}, 127, rng, {{"transB", int64_t{1}}});
  Tensor weights(TensorType{DType::I8, {1, 8}, quant(0.01F)});
  for (int8_t& w : weights.mutable_data<int8_t>()) w = 127;
  product.graph.find_value("w")->constant = weights;
  Tensor x(TensorType{DType::I8, {1, 8}, quant(0.1F, -5)});
  for (int8_t& value : x.mutable_data<int8_t>()) value = 127;
  product.inputs = {x};
  // Exact: 8 * 132 * 127 + 300 = 134412, times 0.002 is 269: cut to 127 by the output itself.
  EXPECT_EQ(to_ints(product.run(false))[0], 127);
  // Cut: 4 * 32767 - 123 * 8 * 127 + 300 = 6400, times 0.002 is 12.8, and 3 is the zero point.
  EXPECT_EQ(to_ints(product.run(true))[0], 16);
}

TEST(U8s8, LeavesDepthwiseConvolutionsAlone) {
  std::mt19937 rng(1);
  const Product product("conv", {1, 4, 5, 5}, {4, 1, 3, 3}, 127, rng, {{"group", int64_t{4}}});
  EXPECT_EQ(to_ints(product.run(false)), to_ints(product.run(true)));
}

Graph per_channel() {
  return *parse_graph(R"(graph(%x: i8[1,2]<0.5:0>) -> (%y) {
    const %w: i8[2,2]<axis 0, 0.25:0 1:0> = {100 50 100 51}
    const %b: i32[2]<axis 0, 0.125:0 0.5:0> = {8 8}
    %y: i8[1,2]<1:0> = gemm(%x, %w, %b) transB=1
  }
)");
}

TEST(MakePerTensor, BringsWeightsAndBiasToTheLargestScale) {
  Graph graph = per_channel();
  EXPECT_EQ(make_per_tensor(graph), 1);
  const Node& node = *graph.node(0);
  const Tensor& w = *node.inputs[1]->constant;
  EXPECT_EQ(to_ints(w), (std::vector<int64_t>{25, 13, 100, 51}));  // 12.5 goes away from 0.
  EXPECT_TRUE(w.type().quant->per_tensor());
  EXPECT_EQ(w.type().quant->scale(), 1);
  EXPECT_EQ(to_ints(*node.inputs[2]->constant), (std::vector<int64_t>{2, 8}));
  EXPECT_EQ(make_per_tensor(graph), 0);
}

TEST(CompareArithmetic, FindsTheSamplesAndTheLayerThatChange) {
  const Graph graph = per_channel();
  // Only odd second elements see the half step that the first channel's weight has lost.
  Tensor samples(TensorType{DType::I8, {3, 2}});
  const std::vector<int8_t> values = {1, 0, 0, 4, 0, 2};
  std::ranges::copy(values, samples.mutable_data<int8_t>().begin());
  const auto data = data_set_of(samples, graph);
  ASSERT_TRUE(data.ok()) << data.error().message;
  const auto result = compare_arithmetic(graph, *data, "per-tensor", 1);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->change.samples, 3);
  EXPECT_EQ(result->change.outputs, (std::vector<int64_t>{1}));
  EXPECT_TRUE(result->change.answers.empty());
  EXPECT_EQ(*result->change.example, 1);
  EXPECT_EQ(result->change.layer, "y");
  EXPECT_EQ(result->change.different, 1);
  EXPECT_EQ(result->change.elements, 2);
  EXPECT_EQ(result->predictions.samples.size(), 3u);
}

TEST(UsualArithmetic, RoundsPairsOnceAndTfliteTwice) {
  EXPECT_EQ(usual_arithmetic(per_channel()), "tflite-reference");
  const Graph pairs = *parse_graph(R"(graph(%x: f32[2]) -> (%y) {
    %q: i8[2] = quantize_linear(%x, f32[]{1}, i8[]{0})
    %y: f32[2] = dequantize_linear(%q, f32[]{1}, i8[]{0})
  }
)");
  EXPECT_EQ(usual_arithmetic(pairs), "tflite-single");
}

TEST(CompareArithmetic, RefusesWhatHasNothingToCompare) {
  const Graph graph = *parse_graph("graph(%x: f32[1]) -> (%y) {\n  %y: f32[1] = relu(%x)\n}\n");
  const auto data = data_set_of(Tensor::of<float>({1, 1}, {1}), graph);
  EXPECT_EQ(compare_arithmetic(graph, *data, "tflite-single", 1).error().message,
            "arithmetic tflite-single: the model has no operator on integers");
  const Graph shifted = *parse_graph(R"(graph(%x: u8[1,1]<0.5:0>) -> (%y) {
    const %w: u8[1,1]<1:128> = {100}
    %y: u8[1,1]<1:0> = gemm(%x, %w, _) transB=1
  }
)");
  const auto bytes = data_set_of(Tensor::of<uint8_t>({1, 1}, {1}), shifted);
  EXPECT_EQ(compare_arithmetic(shifted, *bytes, "u8s8-saturating", 1).error().message,
            "arithmetic u8s8-saturating: no product has int8 weights around 0");
  EXPECT_EQ(compare_arithmetic(graph, *data, "u8s8", 1).error().message.substr(0, 20),
            "no arithmetic 'u8s8'");
}

}  // namespace
}  // namespace hone
