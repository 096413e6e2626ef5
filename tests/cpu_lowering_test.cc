// Single operators on the cpu target against their references, on random shapes: the lowering must
// take the node, and its answer must be the reference's.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/cpu_lowering_testing.h"

namespace hone {
namespace {

// --- element by element

TEST(CpuLowering, BroadcastsAlongAnyAxes) {
  Rng rng;
  const std::vector<std::vector<Shape>> cases = {
      {{2, 3, 4, 5, 2}, {1, 1, 4, 1, 2}},
      {{1, 9, 8, 3, 2}, {1, 9, 1, 1, 2}},
      {{2, 6, 7, 3, 2}, {3, 2}},
      {{2, 3, 4, 5, 6}, {3, 1, 5, 1}},
      {{5, 40, 3, 4}, {1, 40, 1, 4}},
      {{3, 1, 5, 1, 7, 2}, {1, 4, 1, 6, 1, 2}},
      {{2, 1, 90, 1, 3}, {1, 2, 1, 70, 3}},
      {{4, 70, 2}, {70, 1}},
  };
  for (const auto& shapes : cases) {
    for (const char* op : {"add", "mul", "sub"}) {
      expect_lowered(op,
                     str("graph(%x: f32[", Rng::join(shapes[0]), "], %z: f32[",
                         Rng::join(shapes[1]), "]) -> (%y) {\n  %y = ", op, "(%x, %z)\n}"),
                     0);
      expect_lowered(op,
                     str("graph(%x: f32[", Rng::join(shapes[0]), "]) -> (%y) {\n  %y = ", op, "(",
                         rng.floats(shapes[1]), ", %x)\n}"),
                     0);
    }
  }
}

TEST(CpuLowering, Squares) {
  expect_lowered("pow", "graph(%x: f32[2,3,7]) -> (%y) {\n  %y = pow(%x, f32[]{2})\n}", 0);
  expect_lowered("pow", "graph(%x: f16[5,9]) -> (%y) {\n  %y = pow(%x, f32[1]{2})\n}", 0);
}

// --- resize

std::string resize_graph(Rng& rng, const std::string& type, const std::string& mode) {
  static const std::vector<std::string> kCoordinates = {
      "half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric"};
  const Shape x = {rng.between(1, 2), rng.between(1, 9), rng.between(1, 9), rng.between(1, 9)};
  const Ints axes = rng.one_of<Ints>({{1, 2}, {2, 3}, {1}, {3}});
  Ints sizes;
  for (size_t i = 0; i < axes.size(); ++i) sizes.push_back(rng.between(1, 20));
  std::string list;
  for (const int64_t size : sizes) list += str(size, " ");
  return str("graph(%x: ", type, "[", Rng::join(x), "]) -> (%y) {\n  %y = resize(%x, _, _, i64[",
             sizes.size(), "]{", list, "}) mode=\"", mode, "\" axes=[", Rng::join(axes),
             "] coordinate_transformation_mode=\"", rng.one_of(kCoordinates), "\" nearest_mode=\"",
             rng.one_of<std::string>({"floor", "ceil", "round_prefer_floor"}), "\"\n}");
}

TEST(CpuLowering, SwishesOfAnyAlpha) {
  for (const char* alpha : {"1.7", "0.25", "-2.0", "1.0"}) {
    expect_lowered("swish",
                   str("graph(%x: f32[3,700]) -> (%y) {\n  %y = swish(%x) alpha=", alpha, "\n}"),
                   1e-6);
  }
}

TEST(CpuLowering, ResizesLinearly) {
  Rng rng;
  for (int i = 0; i < 40; ++i) expect_lowered("resize", resize_graph(rng, "f32", "linear"), 1e-6);
}

TEST(CpuLowering, ResizesToTheNearest) {
  Rng rng;
  for (int i = 0; i < 40; ++i) {
    const auto type = rng.one_of<std::string>({"f32", "i8", "u8", "f16", "i64"});
    expect_lowered("resize", resize_graph(rng, type, "nearest"), 0);
  }
}

TEST(CpuLowering, ResizesByScalesBetweenTransposes) {
  expect_lowered("resize", R"(graph(%x: f32[1,3,5,6]) -> (%y) {
    %a = conv(%x, f32[2,3,1,1]{1 2 3 4 5 6})
    %b = resize(%a, f32[0]{}, f32[4]{1 1 2 3}) mode="linear"
    %y = conv(%b, f32[1,2,1,1]{1 -1})
  })",
                 1e-6);
}

// --- conv_transpose

std::string conv_transpose_graph(Rng& rng, int64_t channels, int64_t outs) {
  const bool nhwc = rng.coin();
  const int64_t kernel_h = rng.between(1, 5), kernel_w = rng.between(1, 5);
  const int64_t stride_h = rng.between(1, 4), stride_w = rng.between(1, 4);
  const int64_t height = rng.between(2, 7), width = rng.between(2, 11), batch = rng.between(1, 2);
  const Shape x =
      nhwc ? Shape{batch, height, width, channels} : Shape{batch, channels, height, width};
  const Shape w =
      nhwc ? Shape{outs, kernel_h, kernel_w, channels} : Shape{channels, outs, kernel_h, kernel_w};
  const Shape pads = {rng.between(0, 1), rng.between(0, 1), rng.between(0, 1), rng.between(0, 1)};
  return str("graph(%x: f32[", Rng::join(x), "]) -> (%y) {\n  %y = conv_transpose(%x, ",
             rng.floats(w), rng.coin() ? "" : ", " + rng.floats({outs}), ") strides=[", stride_h,
             ",", stride_w, "] dilations=[", rng.between(1, 2), ",", rng.between(1, 3), "] pads=[",
             Rng::join(pads), "] output_padding=[", rng.between(0, stride_h - 1), ",",
             rng.between(0, stride_w - 1), "] layout=\"", nhwc ? "nhwc" : "nchw",
             "\" activation=\"", rng.one_of<std::string>({"", "relu", "sigmoid"}), "\"\n}");
}

TEST(CpuLowering, TransposesConvolutions) {
  Rng rng;
  for (int i = 0; i < 100; ++i) {
    const int64_t channels = rng.one_of<int64_t>({1, 3, 8, 17});
    const int64_t outs = rng.one_of<int64_t>({1, 2, 5, 8, 20, 33});
    expect_lowered("conv_transpose", conv_transpose_graph(rng, channels, outs), 1e-5);
  }
}

TEST(CpuLowering, TransposesConvolutionsWithoutOverlap) {
  Rng rng;
  for (const int64_t outs : {1, 3, 24}) {
    const std::string text =
        str("graph(%x: f32[1,6,9,16]) -> (%y) {\n  %y = conv_transpose(%x, ",
            rng.floats({outs, 2, 2, 16}), ") strides=[2,2] layout=\"nhwc\"\n}");
    expect_lowered("conv_transpose", text, 1e-5);
  }
}

TEST(CpuLowering, TransposesConvolutionsInGroups) {
  Rng rng;
  for (const int64_t groups : {2, 3, 6}) {
    const std::string text = str("graph(%x: f32[2,6,4,5]) -> (%y) {\n  %y = conv_transpose(%x, ",
                                 rng.floats({6, 12 / groups, 3, 4}), ", ", rng.floats({12}),
                                 ") strides=[2,2] group=", groups, "\n}");
    expect_lowered("conv_transpose", text, 1e-5);
  }
}

// --- images of one axis

TEST(CpuLowering, ConvolvesAlongOneAxis) {
  Rng rng;
  for (int i = 0; i < 40; ++i) {
    const int64_t groups = rng.one_of<int64_t>({1, 2, 8}), width = rng.between(5, 30);
    const std::string text =
        str("graph(%x: f32[", rng.between(1, 2), ",8,", width, "]) -> (%y) {\n  %y = conv(%x, ",
            rng.floats({16, 8 / groups, rng.between(1, 5)}), ", ", rng.floats({16}),
            ") group=", groups, " strides=[", rng.between(1, 3), "] pads=[", rng.between(0, 2), ",",
            rng.between(0, 2), "] activation=\"", rng.one_of<std::string>({"", "relu"}), "\"\n}");
    expect_lowered("conv", text, 1e-5);
  }
}

TEST(CpuLowering, RunsNetworksAlongOneAxis) {
  Rng rng;
  const std::string text =
      str("graph(%x: f32[1,4,33]) -> (%y) {\n  %n = batch_norm(%x, f32[4]{1 2 3 4}, f32[4]{0 1 0 "
          "1}, f32[4]{1 0 0 1}, "
          "f32[4]{1 2 1 2})\n  %a = conv(%n, ",
          rng.floats({8, 4, 3}), ") strides=[2] activation=\"relu\"\n  %b = conv(%a, ",
          rng.floats({8, 1, 3}),
          ") group=8 pads=[1,1]\n"
          "  %c = max_pool(%b) kernel_shape=[2] strides=[2]\n"
          "  %d = conv_transpose(%c, ",
          rng.floats({8, 6, 4}), ") strides=[2]\n  %y = global_average_pool(%d)\n}");
  for (const char* op : {"conv", "max_pool", "conv_transpose", "global_average_pool"}) {
    expect_lowered(op, text, 1e-5);
  }
}

TEST(CpuLowering, GrowsImagesInHalfPrecision) {
  Rng rng;
  const auto graph = parse_graph(str(
      "graph(%x: f32[1,5,6,20]) -> (%y) {\n  %a = resize(%x, _, f32[4]{1 2 2 1}) mode=\"linear\"\n"
      "  %y = conv_transpose(%a, ",
      rng.floats({3, 4, 4, 20}), ") strides=[2,2] layout=\"nhwc\"\n}"));
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const auto inputs = make_inputs(*graph, {}, 7);
  const auto expected = run_on("ref", *graph, {.threads = 1}, *inputs);
  const CompileOptions half{.threads = 2, .precision = Precision::F16};
  for (const char* op : {"resize", "conv_transpose"}) {
    const Difference difference =
        compare(run_on("cpu", *graph, half, *inputs, op)[0].tensor, expected[0].tensor);
    EXPECT_LT(difference.max_abs, 0.01 * difference.max_magnitude) << difference.what;
    EXPECT_GT(difference.max_abs, 0);
  }
}

// Of 3x3, in the direct form or in Winograd's, with channels that fill no vector.
TEST(CpuLowering, ConvolvesInHalfPrecision) {
  Rng rng;
  const auto graph = parse_graph(str("graph(%x: f32[1,9,11,35]) -> (%y) {\n  %y = conv(%x, ",
                                     rng.floats({42, 3, 3, 35}), ", ", rng.floats({42}),
                                     ") pads=[1,1,1,1] layout=\"nhwc\" activation=\"relu\"\n}"));
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const auto inputs = make_inputs(*graph, {}, 7);
  const auto expected = run_on("ref", *graph, {.threads = 1}, *inputs);
  const CompileOptions half{.threads = 2, .precision = Precision::F16};
  const Difference difference =
      compare(run_on("cpu", *graph, half, *inputs, "conv")[0].tensor, expected[0].tensor);
  EXPECT_LT(difference.max_abs, 0.01 * difference.max_magnitude) << difference.what;
}

// --- lstm, gru, rnn

struct RecurrentCase {
  std::string op;
  int64_t gates;
  std::vector<std::string> attrs;  // One is chosen.
};

std::string recurrent_graph(Rng& rng, const RecurrentCase& cell) {
  const int64_t steps = rng.between(1, 6), batch = rng.one_of<int64_t>({1, 2, 5, 50});
  const int64_t inputs = rng.between(1, 20), hidden = rng.between(1, 20);
  const auto direction = rng.one_of<std::string>({"forward", "reverse", "bidirectional"});
  const int64_t directions = direction == "bidirectional" ? 2 : 1;
  const bool batch_first = rng.coin();
  const Shape x = batch_first ? Shape{batch, steps, inputs} : Shape{steps, batch, inputs};
  const Shape state =
      batch_first ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden};
  const int64_t width = cell.gates * hidden;
  const bool lstm = cell.op == "lstm";
  const bool has_state = rng.coin();
  std::string lengths = "_";
  if (rng.coin()) {
    lengths = str("i32[", batch, "]{");
    for (int64_t i = 0; i < batch; ++i) lengths += str(steps, " ");
    lengths += "}";
  }
  std::string operands = str("%x, ", rng.floats({directions, width, inputs}), ", ",
                             rng.floats({directions, width, hidden}), ", ",
                             rng.coin() ? "_" : rng.floats({directions, 2 * width}), ", ", lengths,
                             has_state ? ", %h" : ", _");
  if (lstm) operands += has_state ? ", %c, " : ", _, ";
  if (lstm) operands += rng.coin() ? "_" : rng.floats({directions, 3 * hidden});
  return str("graph(%x: f32[", Rng::join(x), "], %h: f32[", Rng::join(state), "], %c: f32[",
             Rng::join(state), "]) -> (%y, %last", lstm ? ", %cell" : "", ") {\n  %y, %last",
             lstm ? ", %cell" : "", " = ", cell.op, "(", operands, ") direction=\"", direction,
             "\" layout=", batch_first ? 1 : 0, " ", rng.one_of(cell.attrs), "\n}");
}

TEST(CpuLowering, RunsRecurrentLayers) {
  const RecurrentCase cases[] = {{"lstm", 4, {"", "input_forget=1"}},
                                 {"gru", 3, {"", "linear_before_reset=1"}},
                                 {"rnn", 1, {""}}};
  for (const RecurrentCase& cell : cases) {
    Rng rng;
    for (int i = 0; i < 40; ++i) expect_lowered(cell.op, recurrent_graph(rng, cell), 1e-5);
  }
}

// What the kernels do not have is left to the reference.
TEST(CpuLowering, LeavesUnusualRecurrentLayersAlone) {
  Rng rng;
  for (const char* attr : {"clip=0.5", "activations=[\"sigmoid\",\"relu\",\"tanh\"]"}) {
    const auto graph =
        parse_graph(str("graph(%x: f32[3,2,4]) -> (%y) {\n  %y = lstm(%x, ", rng.floats({1, 20, 4}),
                        ", ", rng.floats({1, 20, 5}), ") ", attr, "\n}"));
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    const auto program = (*find_target("cpu"))->open()->compile(std::move(*graph->clone()), {});
    ASSERT_TRUE(program.ok()) << program.error().message;
    EXPECT_TRUE((*program)->steps()[0].kind.reference) << attr;
  }
}

// --- integers, bit for bit

TEST(CpuLowering, TakesSoftmaxOfIntegers) {
  Rng rng;
  const std::vector<std::string> types[] = {{"i8", "i8", "<0.00390625:-128>"},
                                            {"u8", "u8", "<0.00390625:0>"},
                                            {"i8", "i16", "<0.0000152587890625:-32768>"}};
  for (int i = 0; i < 30; ++i) {
    const auto& type = types[i % 3];
    const std::string shape =
        Rng::join({rng.between(1, 5), rng.between(1, 4), rng.between(1, 300)});
    const double scale = rng.one_of<double>({0.002, 0.05, 0.17, 0.7, 3});
    const std::string text =
        str("graph(%x: ", type[0], "[", shape, "]<", scale, ":", rng.between(0, 9),
            ">) -> (%y) {\n", "  %y: ", type[1], "[", shape, "]", type[2], " = softmax(%x)\n}");
    for (const Rounding rounding : kRoundings) {
      expect_lowered("softmax", text, 0, {.rounding = rounding});
    }
  }
}

TEST(CpuLowering, TakesMeansOfIntegers) {
  Rng rng;
  for (int i = 0; i < 40; ++i) {
    const auto type = rng.one_of<std::string>({"i8", "u8"});
    const Shape x = {rng.between(1, 3), rng.between(1, 9), rng.between(1, 9), rng.between(1, 40)};
    const auto axes = rng.one_of<Ints>({{1, 2}, {3}, {2, 3}, {0}});
    Shape y = x;
    std::string list;
    for (const int64_t axis : axes) {
      y[static_cast<size_t>(axis)] = 1;
      list += str(axis, " ");
    }
    const std::string text =
        str("graph(%x: ", type, "[", Rng::join(x), "]<0.1:", rng.between(0, 9), ">) -> (%y) {\n",
            "  %y: ", type, "[", Rng::join(y), "]<", rng.one_of<double>({0.1, 0.013, 0.4}), ":",
            rng.between(0, 9), "> = reduce_mean(%x, i64[", axes.size(), "]{", list, "})\n}");
    for (const Rounding rounding : kRoundings) {
      expect_lowered("reduce_mean", text, 0, {.rounding = rounding});
    }
  }
}

TEST(CpuLowering, ResizesIntegersLinearly) {
  Rng rng;
  for (int i = 0; i < 30; ++i) {
    const Shape x = {rng.between(1, 2), rng.between(1, 9), rng.between(1, 9), rng.between(1, 40)};
    // To 70 from one pixel, the rounded scale passes the last.
    const int64_t height = rng.one_of<int64_t>({1, 5, 13, 70}), width = rng.between(1, 30);
    const Shape y = {x[0], height, width, x[3]};
    const std::string text =
        str("graph(%x: i8[", Rng::join(x), "]<0.1:3>) -> (%y) {\n  %y: i8[", Rng::join(y),
            "]<0.1:3> = resize(%x, _, _, i64[2]{", height, " ", width,
            "}) mode=\"linear\" axes=[1,2] coordinate_transformation_mode=\"",
            rng.one_of<std::string>({"half_pixel", "align_corners", "asymmetric"}), "\"\n}");
    for (const Rounding rounding : kRoundings) {
      expect_lowered("resize", text, 0, {.rounding = rounding});
    }
  }
}

// --- batch norms that no convolution takes in

std::string positive_floats(Rng& rng, int64_t count) {
  std::string text = str("f32[", count, "]{");
  for (int64_t i = 0; i < count; ++i) {
    text += str(static_cast<double>(rng.between(100, 2000)) / 1000, " ");
  }
  return text + "}";
}

std::string batch_norm_of(Rng& rng, const std::string& x, int64_t channels) {
  return str("batch_norm(", x, ", ", rng.floats({channels}), ", ", rng.floats({channels}), ", ",
             rng.floats({channels}), ", ", positive_floats(rng, channels), ")");
}

TEST(CpuLowering, NormalizesBatches) {
  Rng rng;
  for (int i = 0; i < 100; ++i) {
    const bool half = rng.coin(), nhwc = rng.coin();
    const int64_t channels = rng.one_of<int64_t>({1, 3, 8, 17, 33, 64, 100});
    Shape shape = {rng.between(1, 3)};
    const int64_t axes = rng.between(0, 3);
    if (!nhwc) shape.push_back(channels);
    for (int64_t axis = 0; axis < axes; ++axis) shape.push_back(rng.between(1, 20));
    if (nhwc) shape.push_back(channels);
    const std::string after = rng.one_of<std::string>({"identity", "relu", "sigmoid", "gelu"});
    expect_lowered("batch_norm",
                   str("graph(%x: ", half ? "f16" : "f32", "[", Rng::join(shape),
                       "]) -> (%y) {\n  %n = ", batch_norm_of(rng, "%x", channels), " layout=\"",
                       nhwc ? "nhwc" : "nchw", "\"\n  %y = ", after, "(%n)\n}"),
                   half ? 0.002 : 1e-6);
  }
}

TEST(CpuLowering, NormalizesVectors) {
  expect_lowered("batch_norm",
                 "graph(%x: f32[70]) -> (%y) {\n  %y = batch_norm(%x, f32[1]{2}, f32[1]{0.5}, "
                 "f32[1]{-1}, f32[1]{0.25})\n}",
                 1e-6);
}

// Rows that are handed on between convolutions, in images that are no whole in any cache.
TEST(CpuLowering, NormalizesRowsBetweenConvolutions) {
  Rng rng;
  const std::string text =
      str("graph(%x: f32[2,8,150,171]) -> (%y) {\n  %a = conv(%x, ", rng.floats({24, 8, 1, 1}),
          ") activation=\"relu\"\n  %b = ", batch_norm_of(rng, "%a", 24), "\n  %c = relu(%b)\n",
          "  %y = conv(%c, ", rng.floats({16, 24, 3, 3}), ") strides=[2,2] pads=[1,1,1,1]\n}");
  expect_lowered("batch_norm", text, 1e-5);
  const auto graph = parse_graph(text);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const auto inputs = make_inputs(*graph, {}, 7);
  const auto expected = run_on("ref", *graph, {.threads = 1}, *inputs);
  const CompileOptions half{.threads = 2, .precision = Precision::F16};
  const Difference difference =
      compare(run_on("cpu", *graph, half, *inputs, "batch_norm")[0].tensor, expected[0].tensor);
  EXPECT_LT(difference.max_abs, 0.01 * difference.max_magnitude) << difference.what;
}

// A variance of nothing divides by zero: what is infinite then, and what no number, is the
// reference's to say.
TEST(CpuLowering, LeavesInfiniteScalesAlone) {
  const auto graph = parse_graph(
      "graph(%x: f32[1,2,3]) -> (%y) {\n  %y = batch_norm(%x, f32[2]{1 1}, f32[2]{0 0}, "
      "f32[2]{0 0}, f32[2]{1 0}) epsilon=0.0\n}");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const auto program = (*find_target("cpu"))->open()->compile(std::move(*graph->clone()), {});
  ASSERT_TRUE(program.ok()) << program.error().message;
  for (const StepInfo& step : (*program)->steps()) {
    EXPECT_EQ(step.kind.reference, step.node->op == "batch_norm") << step.node->op;
  }
}

// --- values that are no numbers, and bounds that cross

TEST(CpuLowering, KeepsNans) {
  const char* const kGraphs[] = {
      "graph(%x: f32[1,3,6,6], %w: f32[5,3,3,3]) -> (%z) {\n  %y = conv(%x, %w) pads=[1,1,1,1]\n"
      "  %z = relu(%y)\n}",
      "graph(%x: f32[1,4,6,6], %w: f32[4,1,3,3]) -> (%z) {\n  %y = conv(%x, %w) group=4\n"
      "  %z = clip(%y, f32[]{0}, f32[]{6})\n}",
      "graph(%x: f32[1,4,6,6]) -> (%z) {\n  %y = max_pool(%x) kernel_shape=[3,3]\n"
      "  %z = relu(%y)\n}",
      "graph(%x: f32[1,4,6,6]) -> (%z) {\n  %z = average_pool(%x) kernel_shape=[2,2]\n}",
      "graph(%x: f32[4,6]) -> (%y, %z) {\n  %y = reduce_max(%x, i64[1]{1})\n"
      "  %z = reduce_min(%x, i64[1]{0})\n}",
      "graph(%x: f32[4,6], %w: f32[6,9]) -> (%z) {\n  %y = gemm(%x, %w)\n  %z = relu(%y)\n}",
      "graph(%x: f32[4,6], %w: f32[6,9]) -> (%z) {\n  %y = matmul(%x, %w)\n  %z = relu(%y)\n}",
      "graph(%x: f32[4,6]) -> (%z) {\n  %z = softmax(%x)\n}",
      "graph(%x: f32[4,6]) -> (%z) {\n  %y = hard_swish(%x)\n  %z = clip(%y, f32[]{-1})\n}",
  };
  for (const char* text : kGraphs) {
    SCOPED_TRACE(text);
    auto graph = parse_graph(text);
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    auto inputs = make_inputs(*graph, {}, 3);
    ASSERT_TRUE(inputs.ok());
    (*inputs)[0].tensor.mutable_data<float>()[13] = std::numeric_limits<float>::quiet_NaN();
    // Weights as constants, and as they come.
    for (const bool constant : {false, true}) {
      const std::unique_ptr<Graph> copy = graph->clone();
      std::vector<Item> given = *inputs;
      if (constant && given.size() > 1) {
        Value* w = copy->add_constant("weights", given[1].tensor);
        copy->replace_uses(copy->inputs()[1], w);
      }
      const auto expected = run_on("ref", *copy, {}, given);
      const auto actual = run_on("cpu", *copy, {}, given);
      ASSERT_EQ(actual.size(), expected.size());
      for (size_t o = 0; o < expected.size(); ++o) {
        const auto e = expected[o].tensor.data<float>(), a = actual[o].tensor.data<float>();
        for (size_t i = 0; i < e.size(); ++i) EXPECT_EQ(std::isnan(a[i]), std::isnan(e[i])) << i;
      }
    }
  }
}

TEST(CpuLowering, GivesTheUpperOfBoundsThatCross) {
  expect_lowered("clip", "graph(%x: f32[40]) -> (%y) {\n  %y = clip(%x, f32[]{2}, f32[]{-1})\n}",
                 0);
  expect_lowered("add",
                 "graph(%x: f32[40], %w: f32[40]) -> (%y) {\n  %s = add(%x, %w)\n"
                 "  %y = clip(%s, f32[]{2}, f32[]{-1})\n}",
                 0);
}

}  // namespace
}  // namespace hone
