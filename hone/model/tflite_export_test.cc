#include <gtest/gtest.h>

#include <fstream>

#include "hone/model/load.h"
#include "hone/model/save_tflite.h"
#include "hone/ops/infer_types.h"
#include "hone/ops/interpreter.h"

namespace hone {
namespace {

Graph tflite_graph(const std::string& text) {
  auto graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  const auto inferred = infer_types(*graph);
  EXPECT_TRUE(inferred.ok()) << inferred.error().message;
  return *std::move(graph);
}

TfliteModel exported_tflite(const std::string& text) {
  auto model = export_tflite(tflite_graph(text));
  EXPECT_TRUE(model.ok()) << model.error().message;
  if (model.ok()) return *std::move(model);
  TfliteModel none;
  none.subgraphs.emplace_back();
  return none;
}

// "PAD:1 CONV_2D:3".
std::string ops_of(const TfliteModel& model) {
  std::string ops;
  for (const TfliteOp& op : model.subgraphs[0].ops) {
    ops += str(ops.empty() ? "" : " ", op.name, ":", op.version);
  }
  return ops;
}

std::string words_of(const std::string& text) {
  return ops_of(exported_tflite(text));
}

std::string why_not(const std::string& text) {
  const auto model = export_tflite(tflite_graph(text));
  EXPECT_FALSE(model.ok());
  if (model.ok()) return ops_of(*model);
  EXPECT_EQ(model.error().kind, ErrorKind::Unsupported);
  return model.error().message;
}

std::string one_node(const std::string& inputs, const std::string& type, const std::string& node) {
  return str("graph(", inputs, ") -> (%y) {\n  %y: ", type, " = ", node, "\n}");
}

// From TFLite's list of operator versions.
TEST(TfliteExport, GivesEveryOperatorItsVersion) {
  const struct {
    const char* inputs;
    const char* type;
    const char* node;
    const char* words;
  } kCases[] = {
      {"%x: f32[1,4,4,2], %w: f32[3,1,1,2]", "f32[1,4,4,3]", "conv(%x, %w) layout=\"nhwc\"",
       "CONV_2D:1"},
      {"%x: i8[1,4,4,2]<0.5:1>, %w: i8[3,1,1,2]<0.5:0>", "i8[1,4,4,3]<0.5:1>",
       "conv(%x, %w) layout=\"nhwc\"", "CONV_2D:3"},
      {"%x: u8[1,4,4,2]<0.5:1>, %w: u8[3,1,1,2]<0.5:9>", "u8[1,4,4,3]<0.5:1>",
       "conv(%x, %w) layout=\"nhwc\"", "CONV_2D:1"},
      {"%x: f32[1,4,4,2], %w: i8[3,1,1,2]<0.5:0>", "f32[1,4,4,3]", "conv(%x, %w) layout=\"nhwc\"",
       "CONV_2D:2"},
      {"%x: f32[1,4,4,4], %w: f32[4,1,1,2]", "f32[1,4,4,4]", "conv(%x, %w) layout=\"nhwc\" group=2",
       "CONV_2D:6"},
      {"%x: f32[2,4], %w: f32[3,4], %b: f32[3]", "f32[2,3]", "gemm(%x, %w, %b) transB=1",
       "FULLY_CONNECTED:1"},
      {"%x: f32[2,4], %w: f32[3,4]", "f32[2,3]", "gemm(%x, %w) transB=1", "FULLY_CONNECTED:6"},
      {"%x: i8[2,4]<0.5:1>, %w: i8[3,4]<0.5:0>, %b: i32[3]", "i8[2,3]<1.0:0>",
       "gemm(%x, %w, %b) transB=1", "FULLY_CONNECTED:4"},
      {"%x: f32[2,4], %w: i8[3,4]<0.5:0>, %b: f32[3]", "f32[2,3]", "gemm(%x, %w, %b) transB=1",
       "FULLY_CONNECTED:3"},
      {"%x: i8[2,4]<0.5:1>", "i8[2,4]<0.25:0>", "add(%x, %x)", "ADD:2"},
      {"%x: i16[2,4]<0.5:0>", "i16[2,4]<0.25:0>", "add(%x, %x)", "ADD:3"},
      {"%x: i64[2,4]", "i64[2,4]", "sub(%x, %x)", "SUB:4"},
      {"%x: i8[2,4]<0.5:1>", "i8[2,4]<0.5:0>", "mul(%x, %x)", "MUL:2"},
      {"%x: i8[2,4]<0.5:1>", "i8[2,4]<0.25:0>", "mul(%x, %x)", "MUL:3"},
      {"%x: i8[2,4]<0.5:1>", "i8[2,4]<0.00390625:-128>", "softmax(%x)", "SOFTMAX:2"},
      {"%x: i8[2,4]<0.5:1>", "i8[2,4]<0.00390625:-128>", "sigmoid(%x)", "LOGISTIC:2"},
      {"%x: f32[2,4]", "f32[2,4]", "sigmoid(%x)", "LOGISTIC:1"},
      {"%x: i8[2,4]<0.5:1>", "f32[2,4]", "requantize(%x)", "DEQUANTIZE:2"},
      {"%x: f32[2,4]", "i16[2,4]<0.5:0>", "requantize(%x)", "QUANTIZE:2"},
      {"%x: f32[2,4]", "u8[2,4]<0.5:3>", "requantize(%x)", "QUANTIZE:1"},
      {"%x: u8[2,4]<0.5:1>", "u8[2,4]<0.5:0>", "requantize(%x) activation=\"relu\"", "RELU:2"},
      {"%x: i8[2,4]<0.5:1>", "i8[2,4]<0.5:0>", "requantize(%x) activation=\"relu6\"", "RELU6:2"},
      {"%x: i8[1,4,4,2]<0.5:1>", "i8[1,2,2,2]<0.5:1>",
       "max_pool(%x) kernel_shape=[2,2] strides=[2,2] layout=\"nhwc\"", "MAX_POOL_2D:2"},
      {"%x: f32[1,4,4,2]", "f32[1,2,2,2]",
       "average_pool(%x) kernel_shape=[2,2] strides=[2,2] layout=\"nhwc\"", "AVERAGE_POOL_2D:1"},
      {"%x: f32[1,2,1,2,2]", "f32[2,2,1,2,1]", "transpose(%x) perm=[4,3,2,1,0]", "TRANSPOSE:4"},
      {"%x: i8[2,4]<0.5:1>", "i8[4,2]<0.5:1>", "transpose(%x) perm=[1,0]", "TRANSPOSE:2"},
      {"%x: i8[2,4]<0.5:1>", "i8[2,1]<0.25:1>", "reduce_mean(%x, i64[1]{1}) keepdims=1", "MEAN:2"},
      {"%x: i8[2,4]<0.5:1>", "i8[2,8]<0.5:1>", "concat(%x, %x) axis=1", "CONCATENATION:2"},
      {"%x: i32[2,4]", "i32[2,4]", "abs(%x)", "ABS:5"},
      {"%x: f32[2,4]", "f32[3,2,4]", "expand(%x, i64[3]{3 2 4})", "BROADCAST_TO:2"},
      {"%x: i8[2,4]<0.5:1>", "i8[2,4]<0.5:0>", "leaky_relu(%x) alpha=0.5", "LEAKY_RELU:1"},
      {"%x: f32[2,4]", "f32[2,3]", "gather(%x, i64[3]{0 -1 2}) axis=1", "GATHER:1"},
  };
  for (const auto& each : kCases) {
    SCOPED_TRACE(each.node);
    EXPECT_EQ(words_of(one_node(each.inputs, each.type, each.node)), each.words);
  }
}

std::string padded_conv(const std::string& pads, int64_t in, int64_t out) {
  return one_node(str("%x: f32[1,", in, ",", in, ",2]"), str("f32[1,", out, ",", out, ",1]"),
                  str("conv(%x, f32[1,3,3,2]{1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9}) "
                      "layout=\"nhwc\" strides=[2,2] pads=",
                      pads));
}

TEST(TfliteExport, PadsAsTfliteDoesOrWithAnOperator) {
  TfliteModel model = exported_tflite(padded_conv("[1,1,1,1]", 5, 3));
  EXPECT_EQ(ops_of(model), "CONV_2D:1");
  EXPECT_EQ(model.subgraphs[0].ops[0].options.at("padding"), TfliteOption("SAME"));
  model = exported_tflite(padded_conv("[0,0,1,1]", 6, 3));
  EXPECT_EQ(model.subgraphs[0].ops[0].options.at("padding"), TfliteOption("SAME"));
  model = exported_tflite(padded_conv("[0,0,0,0]", 5, 2));
  EXPECT_EQ(model.subgraphs[0].ops[0].options.at("padding"), TfliteOption("VALID"));
  // Where an even extent is padded in front, as torch does, TFLite's SAME would pad behind.
  model = exported_tflite(padded_conv("[1,1,1,1]", 6, 3));
  EXPECT_EQ(ops_of(model), "PAD:1 CONV_2D:1");
  EXPECT_EQ(model.subgraphs[0].ops[1].options.at("padding"), TfliteOption("VALID"));
}

TEST(TfliteExport, TurnsImagesOfOnnxAndFusesWhatFollows) {
  EXPECT_EQ(words_of("graph(%x: f32[1,2,4,4]) -> (%z) {\n"
                     "  %y: f32[1,1,4,4] = conv(%x, f32[1,2,1,1]{1 2})\n"
                     "  %z: f32[1,1,4,4] = clip(%y, f32[]{0}, f32[]{6})\n}"),
            "TRANSPOSE:1 CONV_2D:1 RESHAPE:1");
}

TEST(TfliteExport, MakesIntegersOfPairs) {
  const TfliteModel model = exported_tflite(
      "graph(%x: i8[1,4]) -> (%q) {\n"
      "  %f: f32[1,4] = dequantize_linear(%x, f32[]{0.5}, i8[]{1})\n"
      "  %w: f32[2,4] = dequantize_linear(i8[2,4]{1 2 3 4 5 6 7 8}, f32[2]{0.25 0.5}, i8[2]{0 0})"
      " axis=0\n"
      "  %g: f32[1,2] = gemm(%f, %w, f32[2]{1 2}) transB=1\n"
      "  %r: f32[1,2] = relu(%g)\n"
      "  %q: i8[1,2] = quantize_linear(%r, f32[]{0.5}, i8[]{-3})\n}");
  EXPECT_EQ(ops_of(model), "FULLY_CONNECTED:4");
  const TfliteSubgraph& main = model.subgraphs[0];
  EXPECT_EQ(main.ops[0].options.at("fused_activation_function"), TfliteOption("RELU"));
  const auto& tensors = main.tensors;
  const TfliteTensor& bias = tensors[static_cast<size_t>(main.ops[0].inputs[2])];
  EXPECT_EQ(to_ints(*bias.constant), (std::vector<int64_t>{8, 8}));
  EXPECT_EQ(bias.type.quant->scales, (std::vector<float>{0.125f, 0.25f}));
  EXPECT_EQ(bias.type.quant->axis, 0);
  EXPECT_EQ(tensors[static_cast<size_t>(main.inputs[0])].type.quant->zero_points[0], 1);
  EXPECT_EQ(tensors[static_cast<size_t>(main.outputs[0])].type.quant->zero_points[0], -3);
}

// TFLite's sigmoid gives one scale; the other follows.
TEST(TfliteExport, GivesFunctionsTheScaleThatTheyHave) {
  const auto of = [](const std::string& function, const std::string& params) {
    return words_of(
        str("graph(%x: i8[1,4]) -> (%q) {\n"
            "  %f: f32[1,4] = dequantize_linear(%x, f32[]{0.5}, i8[]{1})\n"
            "  %s: f32[1,4] = ",
            function,
            "\n"
            "  %q: i8[1,4] = quantize_linear(%s, ",
            params, ")\n}"));
  };
  EXPECT_EQ(of("sigmoid(%f)", "f32[]{0.00390625}, i8[]{-128}"), "LOGISTIC:2");
  EXPECT_EQ(of("sigmoid(%f)", "f32[]{0.0039}, i8[]{-128}"), "LOGISTIC:2 QUANTIZE:1");
  EXPECT_EQ(of("tanh(%f)", "f32[]{0.0078125}, i8[]{0}"), "TANH:2");
  EXPECT_EQ(of("hard_swish(%f)", "f32[]{0.3}, i8[]{2}"), "HARD_SWISH:1");
  EXPECT_EQ(of("relu(%f)", "f32[]{0.3}, i8[]{-128}"), "RELU:2");
  EXPECT_EQ(of("hard_sigmoid(%f) alpha=0.16666667 beta=0.5", "f32[]{0.004}, i8[]{-128}"),
            "ADD:2 MUL:2");
  EXPECT_EQ(of("softmax(%f)", "f32[]{0.00390625}, i8[]{-128}"), "SOFTMAX:2");
}

TEST(TfliteExport, NamesTheLayerThatItHasNoWordFor) {
  EXPECT_EQ(why_not("graph(%x: f32[2]) -> (%y) {\n  %y: f32[2] = erf(%x)\n}"),
            "layer 'y' (erf): TFLite has no word for operator erf");
  EXPECT_EQ(why_not("graph(%x: f32[1,2,3,4,5]) -> (%y) {\n"
                    "  %y: f32[1,1,3,4,5] = conv(%x, f32[1,2,1,1,1]{1 2})\n}"),
            "layer 'y' (conv): an image of 3 spatial axes, where TFLite has 1 or 2");
  EXPECT_EQ(why_not("graph(%x: f32[?,2]) -> (%y) {\n  %y: f32[?,2] = relu(%x)\n}"),
            "input 'x' of f32[?,2] leaves extents open, and a .tflite file has them fixed");
}

// uint8 is multiplied by uint8 there, and int16 has a bias of 64 bits.
TEST(TfliteExport, GivesProductsTheOperandsThatTfliteTakes) {
  const auto of = [](const char* type, const char* scale) {
    return str("graph(%x: ", type, "[1,2]<0.5:0>) -> (%y) {\n  %y: ", type,
               "[1,2]<0.5:0> = gemm(%x, i8[2,2]<", scale, ">{1 -2 3 -4}, i32[2]{5 6}) transB=1\n}");
  };
  const auto input = [](const TfliteModel& model, size_t i) {
    const TfliteSubgraph& main = model.subgraphs[0];
    return main.tensors[static_cast<size_t>(main.ops[0].inputs[i])];
  };
  const TfliteModel bytes = exported_tflite(of("u8", "0.5:0"));
  EXPECT_EQ(to_ints(*input(bytes, 1).constant), (std::vector<int64_t>{129, 126, 131, 124}));
  EXPECT_EQ(input(bytes, 1).type.dtype, DType::U8);
  EXPECT_EQ(input(bytes, 1).type.quant->zero_points[0], 128);
  EXPECT_EQ(input(bytes, 2).type.dtype, DType::I32);
  const TfliteModel wide = exported_tflite(of("i16", "0.5:0"));
  EXPECT_EQ(to_ints(*input(wide, 1).constant), (std::vector<int64_t>{1, -2, 3, -4}));
  EXPECT_EQ(input(wide, 2).type.dtype, DType::I64);
  EXPECT_NE(why_not(of("u8", "axis 0, 0.5:0 0.25:0")).find("quantize per tensor"),
            std::string::npos);
}

TEST(TfliteExport, WritesGraphsWithoutOperators) {
  const TfliteModel model = exported_tflite("graph(%x: f32[2]) -> (%x) {\n}");
  EXPECT_TRUE(model.subgraphs[0].ops.empty());
  EXPECT_EQ(model.subgraphs[0].inputs, model.subgraphs[0].outputs);
}

TEST(TfliteExport, WritesAConstantOnceForAllThatReadIt) {
  Graph graph;
  const TensorType type{DType::F32, {2}};
  Value* x = graph.add_input("x", type);
  Value* c = graph.add_constant("c", Tensor::of<float>({2}, {1, 2}));
  for (const char* op : {"add", "mul"}) {
    graph.add_output(graph.add_node(op, {x, c}, {type})->outputs[0]);
  }
  const auto model = export_tflite(graph);
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(ops_of(*model), "ADD:1 MUL:1");
  EXPECT_EQ(model->subgraphs[0].ops[0].inputs[1], model->subgraphs[0].ops[1].inputs[1]);
}

std::vector<std::string> names_of_results(const TfliteModel& model) {
  std::vector<std::string> names;
  for (const TfliteOp& op : model.subgraphs[0].ops) {
    for (const int output : op.outputs) {
      names.push_back(model.subgraphs[0].tensors[static_cast<size_t>(output)].name);
    }
  }
  return names;
}

// A tensor has the name of the last layer that it is the result of; an output keeps its own.
TEST(TfliteExport, NamesTensorsAfterLayers) {
  const TfliteModel model = exported_tflite(
      "graph(%x: f32[1,2]) -> (%y) {\n"
      "  source \"/fc/Gemm\" Gemm 0\n  source \"/act/Relu\" Relu 1\n  source \"/tanh/Tanh\" Tanh "
      "2\n"
      "  source \"/out/Abs\" Abs 3\n"
      "  const %w: f32[2,2] = {1 2 3 4}\n"
      "  %fc_out: f32[1,2] = gemm(%x, %w, _) transB=1 from [0]\n"
      "  %act_out: f32[1,2] = relu(%fc_out) from [1]\n"
      "  %tanh_out: f32[1,2] = tanh(%act_out) from [2]\n"
      "  %y: f32[1,2] = abs(%tanh_out) from [3]\n}");
  EXPECT_EQ(names_of_results(model), (std::vector<std::string>{"/act/Relu", "/tanh/Tanh", "y"}));
}

// Integers have the name of the floats that they stand for.
TEST(TfliteExport, NamesIntegersAfterFloats) {
  const TfliteModel model = exported_tflite(
      "graph(%x: i8[1,2]) -> (%y.q) {\n"
      "  const %s: f32[] = {0.5}\n  const %z: i8[] = {0}\n"
      "  %x.dq: f32[1,2] = dequantize_linear(%x, %s, %z)\n"
      "  %a: f32[1,2] = add(%x.dq, %x.dq)\n"
      "  %a.q: i8[1,2] = quantize_linear(%a, %s, %z)\n"
      "  %a.dq: f32[1,2] = dequantize_linear(%a.q, %s, %z)\n"
      "  %y: f32[1,2] = mul(%a.dq, %x.dq)\n"
      "  %y.q: i8[1,2] = quantize_linear(%y, %s, %z)\n}");
  EXPECT_EQ(names_of_results(model), (std::vector<std::string>{"a", "y.q"}));
}

TEST(TfliteExport, LeavesWhatIsThereWhenItRefuses) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "kept.tflite";
  std::ofstream(path) << "kept";
  const Graph graph = tflite_graph("graph(%x: f32[2]) -> (%y) {\n  %y: f32[2] = erf(%x)\n}");
  EXPECT_FALSE(save_tflite(graph, path).ok());
  EXPECT_EQ(std::filesystem::file_size(path), 4u);
  std::filesystem::remove(path);
}

TEST(TfliteExport, SaysWhereItCannotWrite) {
  const Graph graph = tflite_graph("graph(%x: f32[2]) -> (%y) {\n  %y: f32[2] = relu(%x)\n}");
  const auto status = save_tflite(graph, "/nowhere/m.tflite");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::Resource);
  EXPECT_NE(status.error().message.find("/nowhere/m.tflite"), std::string::npos);
}

}  // namespace
}  // namespace hone
