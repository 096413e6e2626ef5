// Networks written as C give, built for this machine and for emulated boards, the bytes that the reference
// gives: the projects' own self-tests. Skipped, with the reason, where there is no compiler or emulator.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "hone/base/file.h"
#include "hone/base/peek_file.h"
#include "hone/model/load.h"
#include "hone/ops/infer_types.h"
#include "hone/ops/op_case.h"
#include "hone/targets/c_code/plan.h"
#include "hone/targets/cortex_m/core.h"
#include "hone/targets/target.h"
#include "hone/workbench/workbench.h"
#include "tests/firmware_testing.h"
#include "tests/int8_layers.h"
#include "tests/real_inputs.h"
#include "tests/shared_files.h"

namespace hone {
namespace {

// Kernels are of int8.
bool has_kernel(const Int8Layer& layer) {
  for (const char* other : {"u8[", "i16[", "f32", "quantize_linear"}) {
    if (layer.text.find(other) != std::string::npos || layer.op.ends_with(other)) return false;
  }
  return true;
}

const Int8Layer kMoreLayers[] = {
    // Channels with one result, and with factors above one.
    {"conv",
     "i8[1,5,5,7]<0.4:3> = (i8[1,5,5,16]<0.1:-5>, const i8[7,1,1,16]<axis 0, 0.02:0 1e-11:0 "
     "0.02:0 1e-10:0 1e-11:0 5:0 1e-9:0>, const i32[7]) layout=\"nhwc\""},
    {"conv",
     "i8[1,4,5,3]<0.4:3> = (i8[1,4,5,5]<0.1:-5>, const i8[3,3,3,5]<axis 0, 1e-11:0 1e-10:0 "
     "1e-11:0>, const i32[3]) layout=\"nhwc\" pads=[1,1,1,1]"},
    // Factors on both sides of 1/4, 1/2 and 1, and such that no 32 bits hold what they scale.
    {"conv",
     "i8[1,5,5,8]<0.4:3> = (i8[1,5,5,8]<0.1:-5>, const i8[8,3,3,1]<axis 0, 0.9:0 1.1:0 1.9:0 "
     "2.1:0 3.9:0 4.1:0 2e5:0 3e8:0>, const i32[8]) layout=\"nhwc\" pads=[1,1,1,1] group=8"},
    {"conv",
     "i8[1,4,4,8]<0.4:3> = (i8[1,4,4,5]<0.1:-5>, const i8[8,1,1,5]<axis 0, 0.9:0 1.1:0 1.9:0 "
     "2.1:0 3.9:0 4.1:0 2e5:0 3e8:0>, const i32[8]) layout=\"nhwc\""},
    {"conv",
     "i8[1,4,4,8]<0.4:3> = (i8[1,4,4,5]<0.1:-5>, const i8[8,1,1,5]<axis 0, 0.9:0 1.1:0 1.9:0 "
     "1.5:0 0.7:0 1.3:0 1.7:0 0.02:0>, const i32[8]) layout=\"nhwc\""},
    {"gemm",
     "i8[1,4]<0.4:3> = (i8[1,30]<0.1:-5>, const i8[4,30]<axis 0, 1e-11:0 0.02:0 0.02:0 "
     "0.01:0>, const i32[4]) transB=1"},
    // Windows that reach over the only pixel.
    {"conv",
     "i8[1,1,1,3]<0.4:3> = (i8[1,1,1,2]<0.1:-5>, const i8[3,3,3,2]<0.02:0>, const i32[3]) "
     "layout=\"nhwc\" pads=[1,1,1,1]"},
    {"conv",
     "i8[1,1,1,6]<0.4:3> = (i8[1,1,1,2]<0.1:0>, const i8[6,2,2,2]<0.02:0>, const i32[6]) "
     "layout=\"nhwc\" pads=[0,0,1,1]"},
    // Operands in the other order, and as many elements of another rank.
    {"add", "i8[1,5,7,12]<0.2:-7> = (const i8[12]<0.1:3>, i8[1,5,7,12]<0.15:9>)"},
    {"mul", "i8[1,5,7,12]<0.2:-7> = (i8[1,1,1,12]<0.1:3>, i8[1,5,7,12]<0.15:9>)"},
    {"max", "i8[1,5,7,12]<0.2:-7> = (const i8[]<0.2:-7>, i8[1,5,7,12]<0.2:-7>)"},
    {"prelu", "i8[1,5,6,3]<0.15:9> = (i8[1,5,6,3]<0.2:-7>, const i8[5,6,3]<0.01:3>)"},
    // What moves elements, picks them, or blends them.
    {"pad", "i8[1,7,9,3]<0.5:3> = (i8[1,4,5,3]<0.5:3>, i64[8]{0 1 2 0 0 2 2 0})"},
    {"pad", "i8[3,8]<0.5:3> = (i8[2,5]<0.5:3>, i64[2]{1 2}, i8[]<0.5:3>{-7}, i64[1]{1})"},
    {"pad", "i8[2,5,4]<0.5:3> = (i8[2,3,4]<0.5:3>, i64[2]{0 2}, _, i64[1]{1})"},
    {"slice",
     "i8[2,3,2]<0.5:3> = (i8[4,6,2]<0.5:3>, i64[2]{1 0}, i64[2]{3 6}, i64[2]{0 1}, "
     "i64[2]{1 2})"},
    {"slice", "i8[4,2]<0.5:3> = (i8[4,6]<0.5:3>, i64[1]{-1}, i64[1]{-5}, i64[1]{1}, i64[1]{-2})"},
    {"split", "i8[2,3,4]<0.5:0>, i8[2,2,4]<0.5:0> = (i8[2,5,4]<0.5:0>, i64[2]{3 2}) axis=1"},
    {"transpose", "i8[3,5,4,2]<0.5:3> = (i8[2,3,4,5]<0.5:3>) perm=[1,3,2,0]"},
    {"tile", "i8[4,9]<0.5:3> = (i8[2,3]<0.5:3>, i64[2]{2 3})"},
    {"expand", "i8[4,5,3]<0.5:3> = (i8[4,1,3]<0.5:3>, i64[3]{4 5 3})"},
    {"gather", "i8[2,5,3]<0.5:3> = (i8[2,4,3]<0.5:3>, i64[5]{0 3 3 1 0}) axis=1"},
    {"depth_to_space", "i8[1,6,4,2]<0.5:3> = (i8[1,3,2,8]<0.5:3>) blocksize=2 layout=\"nhwc\""},
    {"space_to_depth", "i8[1,2,3,12]<0.5:3> = (i8[1,4,6,3]<0.5:3>) blocksize=2 layout=\"nhwc\""},
    {"resize", "i8[1,8,6,5]<0.1:3> = (i8[1,4,3,5]<0.1:3>, _, f32[4]{1 2 2 1})"},
    {"resize", "i8[2,7,5,3]<0.1:3> = (i8[2,4,3,3]<0.1:3>, _, _, i64[4]{2 7 5 3})"},
    {"resize",
     "i8[2,7,9,3]<0.1:3> = (i8[2,4,5,3]<0.1:3>, _, _, i64[2]{7 9}) axes=[1,2] "
     "mode=\"linear\""},
    {"resize",
     "i8[1,7,3,3]<0.1:3> = (i8[1,4,5,3]<0.1:3>, _, _, i64[2]{7 3}) axes=[1,2] "
     "mode=\"linear\" coordinate_transformation_mode=\"align_corners\""},
    {"resize",
     "i8[1,9,8,3]<0.1:3> = (i8[1,4,5,3]<0.1:3>, _, _, i64[2]{9 8}) axes=[1,2] "
     "mode=\"linear\" coordinate_transformation_mode=\"asymmetric\""},
    {"max", "i8[2,5,7,12]<0.2:-7> = (i8[2,5,7,12]<0.2:-7>, i8[2,5,7,12]<0.2:-7>)"},
    {"min", "i8[2,5,7,12]<0.2:-7> = (i8[2,5,7,12]<0.2:-7>, i8[12]<0.2:-7>)"},
    {"prelu", "i8[1,5,7,12]<0.15:9> = (i8[1,5,7,12]<0.2:-7>, const i8[12]<0.01:3>)"},
    {"leaky_relu", "i8[3,50]<0.15:9> = (i8[3,50]<0.2:-7>) alpha=0.1"},
    {"reduce_mean", "i8[3,5]<0.05:3> = (i8[2,3,4,5]<0.1:-20>, i64[2]{0 2}) keepdims=0"},
    {"reduce_mean", "i8[2,1,4,1]<0.05:3> = (i8[2,3,4,5]<0.1:-20>, i64[2]{1 3})"},
};

class Firmware : public testing::TestWithParam<Rounding> {
 protected:
  // Written for one core after the other, whose kernels it has, every second time for another core than it runs
  // on. Of other roundings than that of files, Helium's kernels alone are not those that run on this machine.
  Status write(const Graph& graph, const fs::path& folder) {
    const size_t boards = std::size(kBoards), next = written_++;
    const bool helium = GetParam() != Rounding::Double, others = !helium && next / boards % 2 == 1;
    board_ = &kBoards[helium ? boards - 1 : next % boards];
    return write_firmware(graph, GetParam(), folder, {},
                          others ? kBoards[0].device : board_->device);
  }
  std::string selftests(const fs::path& folder) const {
    const std::string here = strict_selftest(folder);
    return here.empty() && has_emulator() ? selftest_on(*board_, folder) : here;
  }

 private:
  size_t written_ = 0;
  const Board* board_ = nullptr;
};

TEST_P(Firmware, HasTheBytesOfTheReferenceInEveryLayer) {
  SKIP_WITHOUT_COMPILER();
  for (const Int8Layer& layer : kInt8Layers) {
    SCOPED_TRACE(layer.op + " " + layer.text);
    const auto graph = graph_of_case(layer.op, layer.text);
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    const fs::path folder = fresh_folder();
    const Status written = write(*graph, folder);
    EXPECT_EQ(written.ok(), has_kernel(layer)) << (written.ok() ? "" : written.error().message);
    if (written.ok()) {
      EXPECT_EQ(selftests(folder), "");
    }
  }
}

TEST_P(Firmware, HasThemInMoreLayers) {
  SKIP_WITHOUT_COMPILER();
  for (const Int8Layer& layer : kMoreLayers) {
    SCOPED_TRACE(layer.op + " " + layer.text);
    const auto graph = graph_of_case(layer.op, layer.text);
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    const fs::path folder = fresh_folder();
    const Status written = write(*graph, folder);
    ASSERT_TRUE(written.ok()) << written.error().message;
    EXPECT_EQ(selftests(folder), "");
  }
}

// Windows that reach over every border, channels and depths of every remainder.
TEST_P(Firmware, HasThemForRandomWindows) {
  SKIP_WITHOUT_COMPILER();
  std::mt19937 random(static_cast<uint32_t>(GetParam()) + 1);
  const auto between = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int i = 0; i < 9; ++i) {
    const bool depthwise = i % 3 == 1, grouped = i % 3 == 2;
    const int64_t kernel = i == 1 ? 3 : between(1, 4), stride = between(1, 3 - i % 2);
    const int64_t dilation = i == 1 ? 1 : between(1, 2);
    const int64_t pad = between(0, 2), h = between(7, 11), w = between(7, 11);
    const int64_t groups = grouped ? between(2, 3) : 1, in = groups * between(1, 13 / groups);
    const int64_t out = depthwise ? in : groups * between(1, 9 / groups);
    const auto extent = [&](int64_t size) {
      return (size + 2 * pad - (kernel - 1) * dilation - 1) / stride + 1;
    };
    const std::string text = str(
        "i8[2,", extent(h), ",", extent(w), ",", out, "]<0.4:", between(-9, 9), "> = (i8[2,", h,
        ",", w, ",", in, "]<0.1:", between(-128, 127), ">, const i8[", out, ",", kernel, ",",
        kernel, ",", depthwise ? 1 : in / groups, "]<0.02:0>, const i32[", out,
        "]) layout=\"nhwc\" pads=[", pad, ",", pad, ",", pad, ",", pad, "] strides=[", stride, ",",
        stride, "] dilations=[", dilation, ",", dilation, "] group=", depthwise ? in : groups);
    SCOPED_TRACE(text);
    const auto graph = graph_of_case("conv", text);
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    const fs::path folder = fresh_folder();
    const Status written = write(*graph, folder);
    ASSERT_TRUE(written.ok()) << written.error().message;
    EXPECT_EQ(selftests(folder), "");
  }
}

// A plain LSTM of int8 that begins with zeros.
struct LstmCase {
  int64_t steps, batch, inputs, cells;
  int cell_exponent;  // log2 of the scale of cells.
  bool time_major = false;
  bool reverse = false;
  double clip = 0;
};

std::string text_of(const LstmCase& test) {
  const int64_t n = test.cells;
  const std::string order = test.time_major ? str(test.steps, ",", test.batch, ",")
                                            : str(test.batch, ",", test.steps, ",");
  // Of every gate another scale.
  const auto weights = [&](int64_t depth, const char* digits) {
    std::string text;
    for (const char* gate : {"2", "3", "1", "4"}) {
      text += str(", const i8[", n, ",", depth, "]<", digits, gate, ":0>");
    }
    return text;
  };
  std::string biases, h, c;
  for (int gate = 0; gate < 4; ++gate) biases += str(", const i32[", n, "]");
  for (int64_t i = 0; i < test.batch * n; ++i) {
    h += i == 0 ? "-3" : " -3";
    c += i == 0 ? "0" : " 0";
  }
  return str("i8[", order, n, "]<0.0078:-3> = (i8[", order, test.inputs, "]<0.02:5>",
             weights(test.inputs, "0.0"), weights(n, "0.1"), ", _, _, _", biases, ", _, _, i8[",
             test.batch, ",", n, "]<0.0078:-3>{", h, "}, i16[", test.batch, ",", n, "]<",
             std::ldexp(1.0, test.cell_exponent), ":0>{", c,
             "}) time_major=", test.time_major ? 1 : 0, " direction=\"",
             test.reverse ? "reverse" : "forward", "\"",
             test.clip > 0 ? str(" cell_clip=", test.clip) : "",
             " hidden_scale=0.0078 hidden_zero_point=-3");
}

TEST_P(Firmware, HasThemInLstms) {
  SKIP_WITHOUT_COMPILER();
  for (const LstmCase& test :
       std::initializer_list<LstmCase>{{1, 1, 1, 1, -11},
                                       {7, 1, 3, 4, -12},
                                       {5, 2, 8, 9, -11, true},
                                       {6, 3, 13, 5, -15},
                                       {4, 2, 17, 16, -9, true, true, 0.5},
                                       {3, 1, 40, 20, -10, false, true, 2.5},
                                       {9, 1, 5, 33, -13, false, false, 0.25}}) {
    const std::string text = text_of(test);
    SCOPED_TRACE(text);
    const auto graph = graph_of_case("lstmp", text);
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    const fs::path folder = fresh_folder();
    const Status written = write(*graph, folder);
    ASSERT_TRUE(written.ok()) << written.error().message;
    EXPECT_EQ(selftests(folder), "");
  }
}

// A convolution of int8 with random weights; factors of all channels but every third are next to nothing.
Value* add_conv(Graph& graph, Value* x, Shape weights, int64_t pad, bool pruned) {
  std::mt19937 random(7);
  Quantization scales;
  scales.axis = 0;
  for (int64_t n = 0; n < weights[0]; ++n) {
    scales.scales.push_back(pruned && n % 3 != 0 ? 1e-11F : 0.02F);
    scales.zero_points.push_back(0);
  }
  Tensor w({DType::I8, weights, std::make_shared<const Quantization>(scales)});
  for (int8_t& value : w.mutable_data<int8_t>()) value = static_cast<int8_t>(random() % 255 - 127);
  Tensor bias({DType::I32, {weights[0]}});
  for (int32_t& value : bias.mutable_data<int32_t>()) {
    value = static_cast<int32_t>(random() % 2000) - 1000;
  }
  TensorType y = x->type.tensor;
  y.shape.back() = weights[0];
  y.quant = std::make_shared<const Quantization>(Quantization{{0.4F}, {3}});
  const int64_t groups = weights.back() == 1 ? weights[0] : 1;
  return graph
      .add_node(
          "conv",
          {x, graph.add_constant("w", std::move(w)), graph.add_constant("b", std::move(bias))}, {y},
          {{"layout", std::string("nhwc")}, {"pads", Ints{pad, pad, pad, pad}}, {"group", groups}})
      ->outputs[0];
}

// The network's C, whose bytes are the reference's; empty where it was not written.
std::string tested_source(const Graph& graph) {
  const fs::path folder = fresh_folder();
  const Status written = write_firmware(graph, Rounding::Double, folder);
  EXPECT_TRUE(written.ok()) << (written.ok() ? "" : written.error().message);
  if (!written.ok()) return "";
  EXPECT_EQ(strict_selftest(folder), "");
  const auto source = read_text(folder / "hone_network.c");
  EXPECT_TRUE(source.ok());
  return source.ok() ? *source : "";
}

// What a sequence leaves behind in all of its steps, and a layer that reads it.
TEST(FirmwareLstm, IsPartOfANetwork) {
  SKIP_WITHOUT_COMPILER();
  auto graph = graph_of_case("lstmp", text_of(LstmCase{8, 1, 10, 12, -12}));
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  Value* states = graph->outputs()[0];
  TensorType row = states->type.tensor;
  row.shape = {1, 1, 1, 8 * 12};
  Value* shape = graph->add_constant("shape", Tensor::of<int64_t>({4}, {1, 1, 1, 8 * 12}));
  Value* all = graph->add_node("reshape", {states, shape}, {row})->outputs[0];
  graph->set_output(0, add_conv(*graph, all, {6, 1, 1, 8 * 12}, 0, false));
  const std::string source = tested_source(*graph);
  EXPECT_NE(source.find("hone_lstm("), std::string::npos);
  EXPECT_NE(source.find("hone_dense_fours("), std::string::npos);
}

// Sums of a second channel that 24 bits do not hold, or weights of one that its first takes below -2^15.
TEST(FirmwareFours, AreNotTakenOfLargeSums) {
  SKIP_WITHOUT_COMPILER();
  for (const int32_t bias : {0, 1 << 23}) {
    Graph graph;
    const auto quant = std::make_shared<const Quantization>(Quantization{{0.1F}, {-5}});
    Value* x = graph.add_input("x", TensorType{DType::I8, {1, 3, 3, 8}, quant});
    Value* y = add_conv(graph, x, {6, 1, 1, 8}, 0, false);
    graph.add_output(y);
    Tensor& biases = *y->producer->inputs[2]->constant;
    for (int32_t& value : biases.mutable_data<int32_t>()) value = bias;
    EXPECT_EQ(tested_source(graph).find("hone_pixels_fours(") != std::string::npos, bias == 0);
  }
}

std::string rounding_name(const testing::TestParamInfo<Rounding>& info) {
  constexpr const char* kNames[] = {"twice", "once", "twice_upward"};
  return kNames[static_cast<size_t>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(Roundings, Firmware,
                         testing::Values(Rounding::Double, Rounding::Single,
                                         Rounding::DoubleUpward),
                         rounding_name);

TEST(FirmwareChannels, GoWhereTheyAreAlwaysZero) {
  SKIP_WITHOUT_COMPILER();
  Graph graph;
  const auto quant = std::make_shared<const Quantization>(Quantization{{0.1F}, {-5}});
  Value* x = graph.add_input("x", TensorType{DType::I8, {1, 6, 5, 8}, quant});
  Value* wide = add_conv(graph, x, {24, 1, 1, 8}, 0, true);
  Value* filtered = add_conv(graph, wide, {24, 3, 3, 1}, 1, false);
  graph.add_output(add_conv(graph, filtered, {5, 1, 1, 24}, 0, false));
  const std::string source = tested_source(graph);
  EXPECT_NE(source.find("int8 [1, 6, 5, 8]"), std::string::npos);
  EXPECT_EQ(source.find("int8 [1, 6, 5, 24]"), std::string::npos);
}

// Whatever a file calls itself, its layers and tensors, it is C.
TEST(FirmwareNames, AreNoneOfTheLanguage) {
  SKIP_WITHOUT_COMPILER();
  for (const char* name : {"kernels", "conv", "finish", "add", "Helium", "most_rows"}) {
    SCOPED_TRACE(name);
    Graph graph;
    graph.name = name;
    const auto quant = std::make_shared<const Quantization>(Quantization{{0.1F}, {-5}});
    Value* x = graph.add_input("int", TensorType{DType::I8, {1, 3, 3, 8}, quant});
    Value* y = add_conv(graph, x, {4, 1, 1, 8}, 0, false);
    y->name = "arena";
    y->producer->name = "evil */ int x = 1; /* \\";
    graph.add_output(y);
    EXPECT_EQ(strictly_tested(graph), "");
  }
}

Graph small_network(int64_t channels) {
  Graph graph;
  const auto quant = std::make_shared<const Quantization>(Quantization{{0.1F}, {-5}});
  Value* x = graph.add_input("x", TensorType{DType::I8, {1, 3, 3, 8}, quant});
  graph.add_output(add_conv(graph, x, {channels, 1, 1, 8}, 0, false));
  return graph;
}

// As a write that was interrupted leaves them.
TEST(FirmwareFiles, OfTwoProjectsDoNotBuild) {
  SKIP_WITHOUT_COMPILER();
  for (const char* file : {"hone_network.h", "hone_network.c", "vectors.h", "selftest.c"}) {
    const fs::path folder = fresh_folder(), other = folder / "other";
    ASSERT_TRUE(write_firmware(small_network(4), Rounding::Double, folder).ok());
    ASSERT_TRUE(write_firmware(small_network(6), Rounding::Double, other).ok());
    fs::copy_file(other / file, folder / file, fs::copy_options::overwrite_existing);
    EXPECT_NE(selftest_here(folder).find("is of another project"), std::string::npos) << file;
  }
}

// Sums whose quarter is a tie: floats between the pairs would round them in another way.
TEST(FirmwarePairs, AreIntegersInVectorsToo) {
  SKIP_WITHOUT_COMPILER();
  auto graph = parse_graph(R"(graph(%x: i8[1,2,8,8]) -> (%y) {
    %f: f32[1,2,8,8] = dequantize_linear(%x, f32[]{0.1}, i8[]{3})
    %p: f32[1,2,4,4] = average_pool(%f) kernel_shape=[2,2] strides=[2,2]
    %y: i8[1,2,4,4] = quantize_linear(%p, f32[]{0.1}, i8[]{3})
  })");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(strictly_tested(*graph), "");
}

// Pairs around operators with a constant for each channel, or that pick and repeat elements, with channels
// last and, as ONNX has them, first.
TEST(FirmwarePairs, ReachWhatHasAnIntegerForm) {
  SKIP_WITHOUT_COMPILER();
  for (const bool first : {false, true}) {
    const std::string image = first ? "[1,3,4,4]" : "[1,4,4,3]",
                      channels = first ? "[3,1,1]" : "[3]";
    for (const char* layer : {"add(%f, %c)", "mul(%c, %f)", "prelu(%f, %c)", "max(%f, %c)",
                              "gather(%f, i64[4]{3 0 0 2}) axis=2", "tile(%f, i64[4]{1 1 2 1})"}) {
      SCOPED_TRACE(layer + image);
      auto graph = parse_graph(str("graph(%x: i8", image, R"() -> (%y) {
            %f = dequantize_linear(%x, f32[]{0.1}, i8[]{3})
            %c = dequantize_linear(i8)",
                                   channels, R"({-100 7 90}, f32[]{0.1}, i8[]{3})
            %p = )",
                                   layer, R"(
            %y = quantize_linear(%p, f32[]{0.1}, i8[]{3})
          })"));
      ASSERT_TRUE(graph.ok()) << graph.error().message;
      const auto inferred = infer_types(*graph);
      ASSERT_TRUE(inferred.ok()) << inferred.error().message;
      EXPECT_EQ(strictly_tested(*graph), "");
    }
  }
}

// With inputs that are more than noise, where they are here.
Status write_network(const std::string& network, const Graph& graph, const Board& board,
                     const fs::path& folder) {
  HONE_TRY(const c_code::Plan plan,
           c_code::make_plan(std::move(*graph.clone()), CompileOptions{.threads = 1},
                             cortex_m::kernels_for(board.core)));
  std::vector<c_code::Bytes> inputs = real_inputs(network, plan);
  if (inputs.empty()) inputs = c_code::noise_inputs(plan, 2);
  HONE_TRY(const auto tests, c_code::reference_tests(graph, plan, inputs));
  return c_code::write_project(
      plan, {.model = network, .device = "cortex-m7", .prefix = "hone_" + network}, tests, folder);
}

class FirmwareNetworks : public testing::TestWithParam<std::string> {};

TEST_P(FirmwareNetworks, HaveTheBytesOfTheReferenceOnEveryCore) {
  const fs::path file = shared_dir() / "models" / "mlperf_tiny" / (GetParam() + "_int8.tflite");
  HONE_SKIP_WITHOUT(file);
  SKIP_WITHOUT_COMPILER();
  const auto model = load_model(file.string());
  ASSERT_TRUE(model.ok()) << model.error().message;
  for (const Board& board : kBoards) {
    // A core without the DSP extension is tried on one network.
    if (GetParam() != "kws" && board.name == "m3") continue;
    const fs::path folder = fresh_folder();
    const Status written = write_network(GetParam(), model->graph, board, folder);
    ASSERT_TRUE(written.ok()) << written.error().message;
    if (board.name != "m4") {
      EXPECT_EQ(selftest_here(folder), "") << board.name;
    }
    if (has_emulator()) {
      EXPECT_EQ(selftest_on(board, folder), "") << board.name;
    }
  }
  if (!has_emulator()) GTEST_SKIP() << "no arm-none-eabi-gcc or qemu-system-arm";
}

TEST(FirmwareSmall, RunsWhereLoadsAreAligned) {
  if (!has_emulator()) GTEST_SKIP() << "no arm-none-eabi-gcc or qemu-system-arm";
  for (const char* text :
       {"i8[1,7,6,5]<0.4:3> = (i8[1,7,6,3]<0.1:-5>, const i8[5,3,3,3]<0.02:0>, const i32[5]) "
        "layout=\"nhwc\" pads=[1,1,1,1]",
        "i8[1,7,6,5]<0.4:3> = (i8[1,7,6,5]<0.1:-5>, const i8[5,3,3,1]<0.02:0>, const i32[5]) "
        "layout=\"nhwc\" pads=[1,1,1,1] group=5",
        "i8[1,7,6,5]<0.4:3> = (i8[1,7,6,5]<0.1:-5>, const i8[5,4,3,1]<0.02:0>, const i32[5]) "
        "layout=\"nhwc\" pads=[2,1,1,1] group=5"}) {
    SCOPED_TRACE(text);
    const auto graph = graph_of_case("conv", text);
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    const fs::path folder = fresh_folder();
    const Status written = write_firmware(*graph, Rounding::Double, folder);
    ASSERT_TRUE(written.ok()) << written.error().message;
    ASSERT_TRUE(write_file(folder / "microbit.ld",
                           "MEMORY {\n  FLASH (rx) : ORIGIN = 0, LENGTH = 256K\n"
                           "  RAM (rw) : ORIGIN = 0x20000000, LENGTH = 16K\n}\n"
                           "REGION_ALIAS(\"BOOT\", FLASH)\nREGION_ALIAS(\"TESTS\", FLASH)\n"
                           "INCLUDE sections.ld\n")
                    .ok());
    EXPECT_EQ(selftest_on(kSmallest, folder), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Tiny, FirmwareNetworks, testing::Values("ad", "ic", "kws", "vww"),
                         [](const auto& param) { return param.param; });

TEST(FirmwareErrors, NameTheLayerAndWhatWouldDo) {
  const auto floats = graph_of_case("conv", "(f32[1,6,6,4], const f32[8,3,3,4]) layout=\"nhwc\"");
  ASSERT_TRUE(floats.ok());
  const Status written = write_firmware(*floats, Rounding::Double, fresh_folder());
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().kind, ErrorKind::Unsupported);
  EXPECT_NE(written.error().message.find("layer 'y0' (conv): "), std::string::npos)
      << written.error().message;
  EXPECT_NE(written.error().message.find("expected int8"), std::string::npos);
}

// Pairs around an operator that is computed in floats: it is the reason, not the input.
TEST(FirmwareErrors, NameTheLayerThatComputesWithFloats) {
  auto graph = parse_graph(R"(graph(%x: i8[1,8]) -> (%y) {
    %f: f32[1,8] = dequantize_linear(%x, f32[]{0.1}, i8[]{3})
    %s: f32[1,8] = cumsum(%f, i64[]{1})
    %y: i8[1,8] = quantize_linear(%s, f32[]{0.1}, i8[]{3})
  })");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const Status written = write_firmware(*graph, Rounding::Double, fresh_folder());
  ASSERT_FALSE(written.ok());
  EXPECT_NE(written.error().message.find("(cumsum)"), std::string::npos) << written.error().message;
}

// A layer of TFLite's that TFLM does not have, and a state that is no variable of a file.
TEST(FirmwareErrors, SayWhatAnLstmWouldHaveToBe) {
  const LstmCase test{3, 1, 2, 2, -12};
  const std::string plain = text_of(test);
  const auto with = [&](const std::string& from, const std::string& to) {
    return std::string(plain).replace(plain.find(from), from.size(), to);
  };
  const std::pair<std::string, std::string> wrong[] = {
      {with("_, _, _", "const i16[2]<0.0001:0>, const i16[2]<0.0001:0>, const i16[2]<0.0001:0>"),
       "a plain LSTM"},
      {with("{-3 -3}", "{-3 4}"), "several values"},
      {with("{0 0}", "{7 7}"), "expected 0"}};
  for (const auto& [text, expected] : wrong) {
    const auto graph = graph_of_case("lstmp", text);
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    const Status written = write_firmware(*graph, Rounding::Double, fresh_folder());
    ASSERT_FALSE(written.ok()) << text;
    EXPECT_EQ(written.error().kind, ErrorKind::Unsupported);
    EXPECT_NE(written.error().message.find(expected), std::string::npos) << written.error().message;
  }
}

TEST(FirmwareErrors, SayThatNothingIsComputed) {
  Graph graph;
  const auto quant = std::make_shared<const Quantization>(Quantization{{0.1F}, {-5}});
  graph.add_input("x", TensorType{DType::I8, {1, 3}, quant});
  const Status written = write_firmware(graph, Rounding::Double, fresh_folder());
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().kind, ErrorKind::Unsupported);
}

}  // namespace
}  // namespace hone
