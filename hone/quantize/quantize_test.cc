#include "hone/quantize/quantize.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hone/model/load.h"
#include "hone/model/onnx_check.h"
#include "hone/model/save.h"
#include "hone/ops/infer_types.h"
#include "hone/ops/interpreter.h"
#include "hone/passes/pass_def.h"
#include "hone/quantize/dequantize.h"
#include "hone/quantize/fit_target.h"
#include "hone/quantize/float_weights.h"
#include "hone/quantize/insert_qdq.h"
#include "hone/quantize/mixed_precision.h"
#include "hone/quantize/quantize_testing.h"
#include "hone/quantize/quantize_weights.h"
#include "hone/quantize/sensitivity.h"
#include "hone/quantize/silence_channels.h"
#include "hone/quantize/unvaried_layers.h"
#include "hone/tensor/compare.h"

namespace hone {
namespace {

// Two convolutions, a residual sum and a dense layer. The second convolution's weights are what the
// caller gives, for planted faults.
Graph network(const std::vector<float>& second = normals(64, 2, 0.3f)) {
  const std::string text =
      "graph(%x: f32[1,8,6,6]) -> (%y) {\n"
      "  %c: f32[1,8,6,6] = conv(%x, f32[8,8,1,1]{" +
      join_numbers(normals(64, 1, 0.3f)) + "}, f32[8]{" + join_numbers(normals(8, 3)) +
      "})\n"
      "  %r: f32[1,8,6,6] = relu(%c)\n"
      "  %d: f32[1,8,6,6] = conv(%r, f32[8,8,1,1]{" +
      join_numbers(second) +
      "}, _)\n"
      "  %s: f32[1,8,6,6] = add(%d, %r)\n"
      "  %p: f32[1,8,1,1] = global_average_pool(%s)\n"
      "  %f: f32[1,8] = flatten(%p)\n"
      "  %y: f32[1,4] = gemm(%f, f32[4,8]{" +
      join_numbers(normals(32, 4)) +
      "}, f32[4]{1 2 3 4}) transB=1\n"
      "}\n";
  auto graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  int index = 0;
  for (Node* node : graph->nodes()) {
    node->name = node->outputs[0]->name;
    node->origins = {index++};
    graph->sources.push_back({node->name, node->op, index});
  }
  return *std::move(graph);
}

SampleSource samples_of(int64_t count) {
  return {count, [](int64_t i) -> Result<std::vector<Item>> {
            return std::vector<Item>{Item(
                Tensor::of<float>({1, 8, 6, 6}, normals(288, 100 + static_cast<unsigned>(i))))};
          }};
}

Result<Graph> quantized(const Graph& graph, const QuantizePlan& plan,
                        RangeMethod method = RangeMethod::MinMax) {
  HONE_TRY(const Calibration calibration, calibrate(graph, samples_of(64), {.progress = false}));
  HONE_TRY(Quantized result, quantize_graph(graph, plan, calibration, {.method = method}));
  return std::move(result.graph);
}

double sqnr(const Graph& expected, const Graph& actual) {
  NoiseMeter meter;
  for (int64_t i = 0; i < 8; ++i) {
    const auto inputs = *samples_of(100).sample(50 + i);
    const auto e = run_graph(expected, inputs);
    const auto a = run_graph(actual, inputs);
    EXPECT_TRUE(e.ok() && a.ok()) << (a.ok() ? "" : a.error().message);
    meter.add(*e, *a);
  }
  return meter.sqnr_db();
}

int count(const Graph& graph, std::string_view op) {
  int found = 0;
  for (const Node* node : graph.nodes()) found += node->op == op ? 1 : 0;
  return found;
}

// An engine takes floats in, and has nothing but integers behind that.
void expect_all_integers(const Graph& quantized) {
  Graph engine = std::move(*quantized.clone());
  ASSERT_TRUE(optimize(engine, {.last = PassStage::Engine}).ok());
  EXPECT_EQ(count(engine, "quantize_linear"), 1) << print(engine);
  EXPECT_EQ(count(engine, "dequantize_linear"), 0) << print(engine);
}

TEST(Scheme, NamesWhatThereIs) {
  for (const std::string& name : scheme_names()) {
    if (name == "fp16" || name == "bf16") continue;
    EXPECT_TRUE(scheme_named(name).ok()) << name;
  }
  const auto wrong = scheme_named("int9");
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().message.find("int8"), std::string::npos);
}

TEST(Scheme, ZeroIsAlwaysExact) {
  for (const Range range :
       {Range{-1, 3}, Range{2, 5}, Range{-7, -3}, Range{0, 0}, Range{-1e-30f, 1e30f}}) {
    for (const DType dtype : {DType::I8, DType::U8, DType::I16}) {
      const Quantization params = activation_params(range, {.activations = dtype});
      const int low = dtype == DType::U8 ? 0 : dtype == DType::I8 ? -128 : -32768;
      const int high = dtype == DType::U8 ? 255 : dtype == DType::I8 ? 127 : 32767;
      EXPECT_GE(params.zero_point(), low);
      EXPECT_LE(params.zero_point(), high);
      EXPECT_GT(params.scale(), 0);
      // The ends of the range are within half a step of a code.
      const float first = static_cast<float>(low - params.zero_point()) * params.scale();
      const float last = static_cast<float>(high - params.zero_point()) * params.scale();
      EXPECT_LE(first, std::min(range.low, 0.0f) + params.scale() / 2 * 1.001f);
      EXPECT_GE(last, std::max(range.high, 0.0f) - params.scale() / 2 * 1.001f);
    }
  }
}

TEST(Scheme, PowersOfTwoCoverTheRange) {
  const Quantization params = activation_params({-1, 3}, {.symmetric = true, .power_of_two = true});
  EXPECT_EQ(params.scale(), 0.03125f);
  EXPECT_EQ(params.zero_point(), 0);
}

TEST(Plan, TheLastRuleThatFindsALayerDecides) {
  const Graph graph = network();
  const auto reader = PlanReader::make(
      {.rules = {{".*", std::nullopt}, {"^c$", Scheme{.activations = DType::I16}}}});
  ASSERT_TRUE(reader.ok());
  EXPECT_FALSE(reader->scheme_of(*graph.node(2)));
  EXPECT_EQ(reader->scheme_of(*graph.node(0))->activations, DType::I16);
  EXPECT_FALSE(PlanReader::make({.rules = {{"(", std::nullopt}}}).ok());
}

TEST(Plan, ANameIsFoundExactly) {
  Node node;
  node.op = "conv";
  node.name = "a+b(1)";
  const auto reader = PlanReader::make({.rules = {{exactly("a+b(1)"), std::nullopt}}});
  ASSERT_TRUE(reader.ok());
  EXPECT_FALSE(reader->scheme_of(node));
  node.name = "xa+b(1)";
  EXPECT_TRUE(reader->scheme_of(node));
}

TEST(Plan, NamesMayBeLongAndOfAnyBytes) {
  Node node;
  node.op = "conv";
  for (const std::string& name : {std::string("a\xff\xfe.b"), std::string(10'000, 'n')}) {
    node.name = name;
    const auto reader = PlanReader::make({.rules = {{exactly(name), std::nullopt}}});
    ASSERT_TRUE(reader.ok()) << reader.error().message;
    EXPECT_FALSE(reader->scheme_of(node));
  }
  node.name = std::string(200'000, 'n');
  const auto reader = PlanReader::make({.rules = {{"^(n|m)*$", std::nullopt}}});
  ASSERT_TRUE(reader.ok());
  EXPECT_FALSE(reader->scheme_of(node));
  EXPECT_FALSE(PlanReader::make({.rules = {{std::string(20'000, '('), std::nullopt}}}).ok());
}

// Every weight within half a step of its float, whatever the scheme.
TEST(QuantizeWeights, RoundsToTheNearest) {
  const Tensor weights = Tensor::of<float>({6, 10, 3, 3}, normals(540, 9));
  for (const Scheme& scheme : {Scheme{}, Scheme{.per_channel = false}, Scheme{.weights = DType::U8},
                               Scheme{.reduce_range = true}, Scheme{.power_of_two = true}}) {
    const QuantizedWeights made = quantize_weights(weights, {0, 1}, scheme);
    const std::vector<int64_t> stored = to_ints(made.stored);
    const int64_t zero = to_ints(made.zero_point)[0];
    for (size_t i = 0; i < stored.size(); ++i) {
      const float scale = made.scale.data<float>()[scheme.per_channel ? i / 90 : 0];
      const float real = static_cast<float>(stored[i] - zero) * scale;
      ASSERT_NEAR(real, weights.data<float>()[i], scale * 0.5001f);
      ASSERT_LE(std::abs(stored[i] - zero), weight_limit(scheme));
    }
  }
}

// A channel of almost nothing, and one of nothing, have scales in which their biases fit.
TEST(QuantizeWeights, NoChannelIsTooSmallForItsBias) {
  std::vector<float> second = normals(64, 2, 0.3f);
  for (size_t i = 0; i < 8; ++i) second[8 + i] = 1e-12f;
  for (size_t i = 0; i < 8; ++i) second[16 + i] = 0;
  Graph graph = network();
  for (Node* node : graph.nodes()) {
    if (node->name != "d") continue;
    graph.set_input(node, 1,
                    graph.add_constant("weights", Tensor::of<float>({8, 8, 1, 1}, second)));
    graph.set_input(node, 2, graph.add_constant("bias", Tensor::of<float>({8}, normals(8, 5))));
  }
  for (const bool per_channel : {true, false}) {
    const auto made = quantized(graph, {.scheme = {.per_channel = per_channel}});
    ASSERT_TRUE(made.ok()) << made.error().message;
    EXPECT_GT(sqnr(graph, *made), 30);
    expect_all_integers(*made);
  }
}

TEST(QuantizeWeights, WeightsOfNothingCountTheBiasInNoCoarserSteps) {
  const Tensor weights = Tensor::of<float>({3, 1, 1, 1}, {0.127f, 0, 1e-12f});
  const std::vector<float> least = {0, 0, 1e-9f};
  const QuantizedWeights made = quantize_weights(weights, {0, 1}, {}, least);
  EXPECT_FLOAT_EQ(made.scale.data<float>()[0], 0.001f);
  EXPECT_FLOAT_EQ(made.scale.data<float>()[1], 0.001f);
  EXPECT_FLOAT_EQ(made.scale.data<float>()[2], 1e-9f);
}

TEST(QuantizeWeights, FourBitsInBlocksBeatFourBitsPerChannel) {
  const auto error = [](const Scheme& scheme) {
    const Tensor weights = Tensor::of<float>({96, 16}, normals(96 * 16, 10));
    const QuantizedWeights made = quantize_weights(weights, {1, 0}, scheme);
    EXPECT_EQ(made.stored.dtype(), DType::I4);
    Graph graph;
    Value* w = graph.add_constant("w", made.stored);
    Value* scale = graph.add_constant("s", made.scale);
    Value* zero = graph.add_constant("z", made.zero_point);
    Attrs attrs{{"axis", made.axis}};
    if (made.block_size > 0) attrs["block_size"] = made.block_size;
    Node* node = graph.add_node("dequantize_linear", {w, scale, zero},
                                {ValueType(DType::F32, {96, 16})}, attrs, "dq");
    graph.add_output(node->outputs[0]);
    const auto outputs = run_graph(graph, {});
    EXPECT_TRUE(outputs.ok()) << outputs.error().message;
    double sum = 0;
    for (size_t i = 0; i < 96 * 16; ++i) {
      const double off = (*outputs)[0].tensor.data<float>()[i] - weights.data<float>()[i];
      sum += off * off;
    }
    return sum;
  };
  const double per_channel = error({.weights = DType::I4});
  const double blocks = error({.weights = DType::I4, .block_size = 32});
  EXPECT_LT(blocks, per_channel * 0.9);
}

TEST(Quantize, Int8IsCloseAndAllIntegers) {
  const Graph graph = network();
  const auto made = quantized(graph, {});
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_GT(sqnr(graph, *made), 30);
  expect_all_integers(*made);
}

// A renamed value must not stay float in silence.
TEST(Quantize, WantsARangeOfEveryValue) {
  const Graph graph = network();
  const auto calibration = calibrate(graph, samples_of(8), {.progress = false});
  ASSERT_TRUE(calibration.ok());
  Graph renamed = std::move(*graph.clone());
  for (Node* node : renamed.nodes()) renamed.rename(node->outputs[0], "new_" + node->name);
  const auto result = quantize_graph(renamed, {}, *calibration, {});
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(result.error().message.starts_with("value 'new_")) << result.error().message;
}

TEST(Quantize, MoreBitsAreBetter) {
  const Graph graph = network();
  std::vector<double> db;
  for (const char* name : {"int4", "int8", "int16", "int8-weights"}) {
    const auto made = quantized(graph, {.scheme = **scheme_named(name)});
    ASSERT_TRUE(made.ok()) << name << ": " << made.error().message;
    db.push_back(sqnr(graph, *made));
  }
  EXPECT_GT(db[1], db[0] + 6);
  // 16 bits are as good as floats; what is left is the weights' error.
  EXPECT_NEAR(db[2], db[3], 0.5);
}

TEST(Quantize, EveryTypeAndMethodRuns) {
  const Graph graph = network();
  for (const char* name : {"uint8", "int8-weights", "int4-weights"}) {
    const auto made = quantized(graph, {.scheme = **scheme_named(name)});
    ASSERT_TRUE(made.ok()) << name << ": " << made.error().message;
    EXPECT_GT(sqnr(graph, *made), 10) << name;
  }
  for (const RangeMethod method : {RangeMethod::MovingAverage, RangeMethod::Percentile,
                                   RangeMethod::Entropy, RangeMethod::Mse}) {
    const auto made = quantized(graph, {}, method);
    ASSERT_TRUE(made.ok()) << made.error().message;
    EXPECT_GT(sqnr(graph, *made), 15) << static_cast<int>(method);
  }
}

TEST(Quantize, ExcludedLayersStayFloat) {
  const Graph graph = network();
  const auto made = quantized(graph, {.rules = {{"^d$", std::nullopt}}});
  ASSERT_TRUE(made.ok()) << made.error().message;
  for (const Node* node : made->nodes()) {
    if (node->name != "d") continue;
    EXPECT_TRUE(node->inputs[1]->constant) << "its weights are not behind a dequantize_linear";
  }
  const auto only = quantized(graph, {.op_types = {"gemm"}});
  ASSERT_TRUE(only.ok()) << only.error().message;
  EXPECT_EQ(count(*only, "quantize_linear"), 2);
}

// A layer of another width reads what its neighbour gives through a second pair.
TEST(Quantize, WidthsMayChangeBetweenLayers) {
  const Graph graph = network();
  const auto made = quantized(graph, {.rules = {{"^d$", **scheme_named("int16")}}});
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_GT(sqnr(graph, *made), 30);
  Graph engine = std::move(*made->clone());
  ASSERT_TRUE(optimize(engine, {.last = PassStage::Engine}).ok());
  int wide = 0;
  for (const Node* node : engine.nodes()) {
    wide += node->op == "conv" && node->outputs[0]->type.tensor.dtype == DType::I16 ? 1 : 0;
  }
  EXPECT_EQ(wide, 1) << print(engine);
}

TEST(Dequantize, UndoesQuantize) {
  const Graph graph = network();
  auto made = quantized(graph, {});
  ASSERT_TRUE(made.ok()) << made.error().message;
  ASSERT_TRUE(dequantize_graph(*made).ok());
  EXPECT_EQ(count(*made, "quantize_linear"), 0);
  EXPECT_EQ(count(*made, "dequantize_linear"), 0);
  EXPECT_GT(sqnr(graph, *made), 35);  // The weights keep their rounding.
  EXPECT_FALSE(has_quantized_activations(*made));
}

TEST(Prepare, RefusesWhatIsQuantizedAlready) {
  auto made = quantized(network(), {});
  ASSERT_TRUE(made.ok()) << made.error().message;
  const Status status = prepare_for_quantization(*made);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().hint.kind, HintKind::Floats);
}

TEST(FloatWeights, AreStoredInHalfTheBytes) {
  Graph graph = network();
  const Graph original = network();
  EXPECT_EQ(store_weights_as(graph, DType::BF16), 3);
  ASSERT_TRUE(verify(graph).ok());
  EXPECT_GT(sqnr(original, graph), 40);
}

// Channel 2 of the first convolution is nothing but a bias below zero; what reads it is huge.
TEST(SilenceDeadChannels, KeepsTheAnswersAndTheOtherWeights) {
  std::vector<float> first = normals(64, 1, 0.3f);
  std::vector<float> bias = normals(8, 3);
  for (size_t i = 0; i < 8; ++i) first[2 * 8 + i] = 1e-6f;
  bias[2] = -0.1f;
  std::vector<float> depthwise = normals(72, 5, 0.3f);
  for (size_t i = 0; i < 9; ++i) depthwise[2 * 9 + i] = 80;
  auto graph =
      parse_graph("graph(%x: f32[1,8,6,6]) -> (%y) {\n  %c: f32[1,8,6,6] = conv(%x, f32[8,8,1,1]{" +
                  join_numbers(first) + "}, f32[8]{" + join_numbers(bias) +
                  "})\n  %r: f32[1,8,6,6] = relu(%c)\n"
                  "  %y: f32[1,8,4,4] = conv(%r, f32[8,1,3,3]{" +
                  join_numbers(depthwise) + "}, _) group=8\n}\n");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const Graph original = std::move(*graph->clone());
  const auto before = quantized(*graph, {.scheme = {.per_channel = false}});
  const auto calibration = calibrate(*graph, samples_of(64), {.progress = false});
  ASSERT_TRUE(before.ok() && calibration.ok());
  EXPECT_EQ(silence_dead_channels(*graph, *calibration), 1);
  EXPECT_TRUE(std::isinf(sqnr(original, *graph)));
  const auto after = quantized(*graph, {.scheme = {.per_channel = false}});
  ASSERT_TRUE(after.ok());
  EXPECT_GT(sqnr(original, *after), sqnr(original, *before) + 20);
  EXPECT_EQ(silence_dead_channels(*graph, *calibration), 0);
}

TEST(UnvariedLayers, AreThoseThatReadOneValueInEverySample) {
  auto graph = parse_graph(
      "graph(%x: f32[1,1,2,2]) -> (%y) {\n"
      "  %c: f32[1,2,2,2] = conv(%x, f32[2,1,1,1]{1 2}, _)\n"
      "  %p: f32[1,2,1,1] = max_pool(%c) kernel_shape=[2,2]\n"
      "  %y: f32[1,2,1,1] = conv(%p, f32[2,2,1,1]{1 -1 2 1}, _)\n"
      "}\n");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const auto told = [&](const std::vector<float>& values) {
    const Tensor x = Tensor::of<float>({1, 1, 2, 2}, values);
    const SampleSource samples{2, [&](int64_t) { return std::vector<Item>{x}; }};
    const auto calibration = calibrate(*graph, samples, {.progress = false});
    EXPECT_TRUE(calibration.ok()) << calibration.error().message;
    const auto found = unvaried_layers(*graph, {}, *calibration);
    EXPECT_TRUE(found.ok()) << found.error().message;
    return unvaried_text(*found);
  };
  const std::string rest =
      " in every sample of the calibration: their scales say nothing about other data";
  EXPECT_EQ(told({0, 0, 0, 0}), "of 3 layers, 3 read nothing but zeros" + rest);
  EXPECT_EQ(told({1e-40f, 0, 0, 0}), "of 3 layers, 3 read nothing but zeros" + rest);
  EXPECT_EQ(told({3, 3, 3, 3}), "of 3 layers, 1 read one value alone" + rest);
  EXPECT_EQ(told({0, 0, 0, 3}), "");
  EXPECT_EQ(unvaried_text({.layers = 5, .zero = 2, .other = 1}),
            "of 5 layers, 2 read nothing but zeros and 1 one value alone" + rest);
}

TEST(Sensitivity, NamesThePlantedLayerFirst) {
  // One weight of the second convolution is a hundred times the rest: with one scale for all of
  // them, the others become zero.
  std::vector<float> weights = normals(64, 2, 0.3f);
  weights[5] = 100;
  const Graph graph = network(weights);
  const auto calibration = calibrate(graph, samples_of(8), {.progress = false});
  ASSERT_TRUE(calibration.ok());
  const auto found =
      layer_sensitivity(graph, {.scheme = {.per_channel = false}}, *calibration, {}, samples_of(4));
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ((*found)[0].layer, "d");
  EXPECT_LT((*found)[0].sqnr_db + 6, (*found)[1].sqnr_db);
}

// Drops that add up over layers, known to the test alone.
DropOf adding(const std::vector<double>& drops, int& evaluations) {
  return [=, &evaluations](const QuantizePlan& plan) -> Result<double> {
    ++evaluations;
    HONE_TRY(const PlanReader reader, PlanReader::make(plan));
    double sum = 0;
    for (size_t i = 0; i < drops.size(); ++i) {
      Node node;
      node.op = "conv";
      node.name = str("layer", i);
      if (reader.scheme_of(node)) sum += drops[i];
    }
    return sum;
  };
}

TEST(SpendBits, SparesFewLayersAndThoseThatGainLittle) {
  const std::vector<double> drops = {0.001, 0.05, 0.001, 0.05, 0.002, 0.001};
  std::vector<LayerPrice> prices;
  for (size_t i = 0; i < drops.size(); ++i) {
    prices.push_back({str("layer", i), drops[i], i == 3 ? 1000.0 : 10.0});
  }
  int evaluations = 0;
  const auto found = spend_bits({}, prices, {.max_drop = 0.06}, adding(drops, evaluations));
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(found->holds);
  // Layer 1 costs as much as layer 3 and gains a hundredth of it.
  EXPECT_EQ(found->wide, (std::vector<std::string>{"layer1"}));
  EXPECT_EQ(found->trials.size(), static_cast<size_t>(evaluations));
}

TEST(SpendBits, KeepsItsBudget) {
  const std::vector<double> drops(64, 0.01);
  std::vector<LayerPrice> prices;
  for (size_t i = 0; i < drops.size(); ++i) prices.push_back({str("layer", i), 0.01, 1});
  int evaluations = 0;
  const auto found =
      spend_bits({}, prices, {.max_drop = 0.1, .evaluations = 5}, adding(drops, evaluations));
  ASSERT_TRUE(found.ok());
  EXPECT_LE(evaluations, 5);
  EXPECT_TRUE(found->holds);
}

TEST(SpendBits, SparesNothingWhenNothingIsLost) {
  int evaluations = 0;
  const auto found =
      spend_bits({}, {{"layer0", 1, 1}}, {.max_drop = 0.1}, adding({0.01}, evaluations));
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(found->wide.empty());
  EXPECT_EQ(evaluations, 1);
}

TEST(FitTarget, SaysWhatItChanged) {
  static const IntegerSupport kShifts = {.ops = {"conv"},
                                         .activations = {DType::I8},
                                         .per_channel = false,
                                         .zero_points = false,
                                         .power_of_two = true};
  const TargetDef target{.name = "shifter",
                         .summary = "",
                         .mode = Mode::Simulated,
                         .open = nullptr,
                         .integers = &kShifts};
  QuantizePlan plan;
  plan.scheme.activations = DType::U8;
  const std::vector<std::string> notes = fit_to_target(plan, target);
  EXPECT_EQ(plan.scheme.activations, DType::I8);
  EXPECT_FALSE(plan.scheme.per_channel);
  EXPECT_TRUE(plan.scheme.symmetric);
  EXPECT_TRUE(plan.scheme.power_of_two);
  EXPECT_EQ(plan.op_types, (std::vector<std::string>{"conv"}));
  EXPECT_EQ(notes.size(), 5u);
}

// Lists with a number for every axis follow the axes once, however often layouts change.
TEST(Prepare, KeepsTheShapesOfWhatHasListsPerAxis) {
  const std::string nodes[] = {
      "%y: f32[1,3,8,10] = resize(%t, _, f32[4]{1 1 2 2}, _) mode=\"nearest\"",
      "%y: f32[1,3,8,10] = resize(%t, _, _, i64[4]{1 3 8 10}) mode=\"linear\"",
      "%y: f32[1,3,8,10] = resize(%t, _, _, i64[2]{8 10}) mode=\"cubic\" axes=[2,3]",
      "%y: f32[1,5,4,6] = pad(%t, i64[8]{0 1 0 0 0 1 0 1})",
      "%y: f32[1,2,4,5] = slice(%t, i64[1]{1}, i64[1]{3}, i64[1]{1})",
      "%y: f32[2,3,8,5] = tile(%t, i64[4]{2 1 2 1})",
      "%y: f32[6,3,4,5] = expand(%t, i64[4]{6 1 1 1})",
      "%y: f32[1,3] = reduce_mean(%t, i64[2]{2 3}) keepdims=0",
  };
  for (const std::string& node : nodes) {
    auto graph = parse_graph(
        "graph(%x: f32[1,4,5,3]) -> (%z) {\n"
        "  %t: f32[1,3,4,5] = transpose(%x) perm=[0,3,1,2]\n  " +
        node + "\n  %z = relu(%y)\n}\n");
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    ASSERT_TRUE(infer_types(*graph).ok());
    const Shape shape = graph->outputs()[0]->type.tensor.shape;
    const std::vector<Item> inputs{Item(Tensor::of<float>({1, 4, 5, 3}, normals(60, 1)))};
    const auto expected = run_graph(*graph, inputs);
    ASSERT_TRUE(expected.ok()) << node << ": " << expected.error().message;
    const Status status = prepare_for_quantization(*graph);
    ASSERT_TRUE(status.ok()) << status.error().message;
    run_pass(*graph, "choose_layout");
    run_pass(*graph, "move_transposes");
    const auto model = export_onnx(*graph);
    ASSERT_TRUE(model.ok()) << model.error().message;
    const Status right = check_onnx(*model);
    EXPECT_TRUE(right.ok()) << node << ": " << right.error().message;
    const auto again = import_onnx(*model);
    ASSERT_TRUE(again.ok()) << again.error().message;
    const auto actual = run_graph(again->graph, inputs);
    ASSERT_TRUE(actual.ok()) << node << ": " << actual.error().message;
    EXPECT_EQ((*actual)[0].tensor.shape(), shape) << node;
    const Difference difference = compare((*actual)[0].tensor, (*expected)[0].tensor);
    EXPECT_LT(difference.max_abs, 1e-5) << node;
  }
}

}  // namespace
}  // namespace hone
