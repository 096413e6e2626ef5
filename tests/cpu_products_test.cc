// Products of every kind on the cpu target against their references, on random shapes: weights of int8
// under floats, images in planes, gates, computed weights.

#include <cmath>
#include <limits>

#include "tests/cpu_lowering_testing.h"

namespace hone {
namespace {

// --- floats with int8 weights: the sums are exact, and so is the way from them to floats

// A constant of output channels first, with one scale or one for each channel.
std::string hybrid_weights(Rng& rng, const Shape& shape) {
  const bool per_channel = rng.coin();
  std::string text = str("i8[", Rng::join(shape), "]<", per_channel ? "axis 0," : "");
  for (int64_t c = 0; c < (per_channel ? shape[0] : 1); ++c) {
    const int64_t zero_point = rng.between(0, 9) == 0 ? rng.between(-128, 127) : 0;
    text += str(" ", static_cast<double>(rng.between(1, 1000)) / 1e5, ":", zero_point);
  }
  text += ">{";
  for (int64_t i = 0; i < elements(shape); ++i) text += str(rng.between(-128, 127), " ");
  return text + "}";
}

struct HybridActivation {
  std::string attributes;
  double tolerance;  // Of the activation's kernel: everything before it is exact.
};
const std::vector<HybridActivation> kHybridActivations = {
    {"", 0},
    {" activation=\"relu\"", 0},
    {" activation=\"relu6\"", 0},
    {" activation=\"clip\" activation_params=[-0.5,1.5]", 0},
    {" activation=\"tanh\"", 1e-6}};

std::string hybrid_bias(Rng& rng, int64_t channels) {
  return rng.coin() ? ", " + rng.floats({channels}) : "";
}

void expect_hybrid_conv(Rng& rng, int64_t groups, int64_t depth, int64_t columns) {
  const int64_t kernel_h = rng.between(1, 4), kernel_w = rng.between(1, 4);
  const Shape x = {rng.between(1, 3), rng.between(4, 12), rng.between(4, 12), groups * depth};
  const int64_t channels = groups * columns;
  const HybridActivation activation = rng.one_of(kHybridActivations);
  const std::string text =
      str("graph(%x: f32[", Rng::join(x), "]) -> (%y) {\n  %y = conv(%x, ",
          hybrid_weights(rng, {channels, kernel_h, kernel_w, depth}), hybrid_bias(rng, channels),
          ") layout=\"nhwc\" group=", groups, " strides=[", rng.between(1, 2), ",",
          rng.between(1, 2), "] pads=[", rng.between(0, 2), ",", rng.between(0, 2), ",",
          rng.between(0, 2), ",", rng.between(0, 2), "]", activation.attributes, "\n}");
  expect_lowered("conv", text, activation.tolerance);
}

TEST(CpuProducts, ConvolvesFloatsWithInt8Weights) {
  Rng rng;
  for (int i = 0; i < 40; ++i) {
    expect_hybrid_conv(rng, 1, rng.one_of<int64_t>({1, 3, 8, 17, 40}), rng.between(1, 40));
  }
  for (int i = 0; i < 10; ++i) {
    expect_hybrid_conv(rng, rng.between(2, 4), rng.between(1, 9), rng.between(1, 9));
  }
}

TEST(CpuProducts, ConvolvesFloatsDepthwiseWithInt8Weights) {
  Rng rng;
  for (int i = 0; i < 40; ++i) expect_hybrid_conv(rng, rng.between(2, 70), 1, 1);
  for (int i = 0; i < 5; ++i) expect_hybrid_conv(rng, rng.between(2, 9), 1, 2);
}

// Sums beyond what floats hold exactly, and an image of several pieces.
TEST(CpuProducts, ConvolvesLargeFloatImagesWithInt8Weights) {
  std::string large;
  for (int i = 0; i < 2 * 40 * 40; ++i) large += i % 7 == 0 ? "126 " : "127 ";
  expect_lowered("conv",
                 str("graph(%x: f32[1,42,41,2]) -> (%y) {\n  %y = conv(%x, i8[2,40,40,1]<0.01:0>{",
                     large, "}) layout=\"nhwc\" group=2\n}"),
                 0);
  Rng rng;
  expect_lowered("conv",
                 str("graph(%x: f32[2,70,90,5]) -> (%y) {\n  %y = conv(%x, ",
                     hybrid_weights(rng, {6, 3, 3, 5}), ") layout=\"nhwc\" pads=[1,1,1,1]\n}"),
                 0);
}

TEST(CpuProducts, MultipliesFloatsByInt8Matrices) {
  Rng rng;
  for (int i = 0; i < 40; ++i) {
    const int64_t depth = rng.between(1, 300), columns = rng.between(1, 70);
    const HybridActivation activation = rng.one_of(kHybridActivations);
    expect_lowered("gemm",
                   str("graph(%x: f32[", rng.between(1, 20), ",", depth,
                       "]) -> (%y) {\n  %y = gemm(%x, ", hybrid_weights(rng, {columns, depth}),
                       hybrid_bias(rng, columns), ") transB=1", activation.attributes, "\n}"),
                   activation.tolerance);
  }
}

TEST(CpuProducts, ExpandsInt8WeightsWhereAsked) {
  Rng rng;
  const std::string text =
      str("graph(%x: f32[1,6,6,8]) -> (%y) {\n  %c = conv(%x, ", hybrid_weights(rng, {16, 3, 3, 8}),
          ") layout=\"nhwc\"\n  %f = reshape(%c, i64[2]{16 16})\n  %y = gemm(%f, ",
          hybrid_weights(rng, {5, 16}), ") transB=1\n}");
  for (const char* op : {"conv", "gemm"}) {
    expect_lowered(op, text, 1e-5, {.expand_hybrid_weights = true});
  }
}

// A row of zeros, one without numbers, one with an infinite element.
TEST(CpuProducts, TakesUnusualRowsUnderInt8Weights) {
  Rng rng;
  const std::string layers[] = {
      str("gemm(%x, ", hybrid_weights(rng, {9, 24}), ") transB=1"),
      str("conv(%i, ", hybrid_weights(rng, {5, 2, 2, 4}), ") layout=\"nhwc\" pads=[1,1,0,0]"),
      str("conv(%i, ", hybrid_weights(rng, {4, 2, 2, 1}), ") layout=\"nhwc\" group=4")};
  for (const std::string& layer : layers) {
    SCOPED_TRACE(layer);
    const auto graph = parse_graph(
        str("graph(%x: f32[4,24]) -> (%y) {\n  %i = reshape(%x, i64[4]{4 2 3 4})\n  %y = ", layer,
            "\n}"));
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    auto inputs = make_inputs(*graph, {}, 5);
    ASSERT_TRUE(inputs.ok());
    const auto x = (*inputs)[0].tensor.mutable_data<float>();
    std::fill_n(x.begin(), 24, 0.0f);
    std::fill_n(x.begin() + 24, 24, std::numeric_limits<float>::quiet_NaN());
    x[50] = std::numeric_limits<float>::infinity();
    const auto expected = run_on("ref", *graph, {}, *inputs);
    const auto actual = run_on("cpu", *graph, {}, *inputs, layer.substr(0, 4));
    EXPECT_EQ(compare(actual[0].tensor, expected[0].tensor).different, 0);
  }
}

// Factors beyond what 32 bits can be shifted by: no answer is right, but there is one.
TEST(CpuProducts, GivesOneAnswerToScalesOfNearlyNothing) {
  for (const char* scale : {"2.2e-41", "1e-30", "1e-20", "3e-10", "1e-9", "1e-8"}) {
    const std::string text =
        str("graph(%x: i8[1,3,4,2]<0.5:1>) -> (%y) {\n  %y: i8[1,3,4,2]<", scale,
            ":1> = conv(%x, i8[2,1,1,1]<0.5:0>{1 -2}, i32[2]{1 2}) layout=\"nhwc\" group=2\n}");
    for (const Rounding rounding : kRoundings) {
      expect_lowered("conv", text, 0, {.rounding = rounding});
    }
  }
}

// --- images of few planes, and with a gate

// Kernels of every size over images of few planes, as networks get them: nchw.
TEST(CpuProducts, ConvolvesPlanes) {
  Rng rng;
  for (int i = 0; i < 40; ++i) {
    const int64_t planes = rng.between(1, 5), outs = rng.between(1, 70);
    const int64_t height = rng.between(7, 20), width = rng.between(20, 70);
    const int64_t kernel = rng.between(1, 7), other = rng.between(1, 7), stride = rng.between(1, 3);
    const Shape pads = {rng.between(0, kernel), rng.between(0, other), rng.between(0, kernel),
                        rng.between(0, other)};
    const std::string activation = rng.one_of<std::string>({"", "relu", "silu"});
    std::string text =
        str("graph(%x: f32[", rng.between(1, 2), ",", planes, ",", height, ",", width,
            "]) -> (%y) {\n  %c = conv(%x, ", rng.floats({outs, planes, kernel, other}), ", ",
            rng.floats({outs}), ") pads=[", Rng::join(pads), "] strides=[", rng.between(1, 3), ",",
            stride, "]\n");
    if (activation == "silu") text += "  %s = sigmoid(%c)\n  %y = mul(%c, %s)\n}";
    if (activation == "relu") text += "  %y = relu(%c)\n}";
    if (activation.empty()) text += "  %y = neg(%c)\n}";
    expect_lowered("conv", text, 2e-6);
  }
}

// Squeeze and excite in front of a 1x1 convolution, which takes the gate into its weights where
// the image is the larger.
TEST(CpuProducts, MultipliesGatedImages) {
  Rng rng;
  for (int i = 0; i < 20; ++i) {
    const int64_t channels = rng.between(2, 90), outs = rng.between(1, 30);
    const int64_t height = rng.between(1, 12), width = rng.between(1, 12);
    const std::string image = str("f32[1,", channels, ",", height, ",", width, "]");
    const char* gate = rng.coin() ? "sigmoid" : "hard_sigmoid";
    const bool first = rng.coin(), read_twice = rng.between(1, 4) == 1, residual = rng.coin();
    std::string text = str("graph(%x: ", image, ") -> (%y", read_twice ? ", %m" : "", ") {\n",
                           "  %r = relu(%x)\n  %p = global_average_pool(%r)\n  %f = conv(%p, ",
                           rng.floats({channels, channels, 1, 1}), ")\n  %g = ", gate, "(%f)\n",
                           "  %m = mul(", first ? "%r, %g" : "%g, %r", ")\n  %c = conv(%m, ",
                           rng.floats({outs, channels, 1, 1}), ", ", rng.floats({outs}), ")\n");
    text += residual ? str("  %d = conv(%x, ", rng.floats({outs, channels, 1, 1}),
                           ")\n  %y = add(%c, %d)\n}")
                     : "  %y = relu(%c)\n}";
    expect_lowered("conv", text, 4e-6);
  }
}

// --- computed weights

TEST(CpuProducts, ConvolvesWithComputedWeights) {
  Rng rng;
  for (int i = 0; i < 30; ++i) {
    const int64_t groups = rng.between(1, 3), kernel = rng.between(1, 3);
    const int64_t inputs = groups * rng.between(1, 9), outputs = groups * rng.between(1, 20);
    const Shape w = {outputs, inputs / groups, kernel, kernel};
    const std::string bias = rng.coin() ? ", %b" : "";
    expect_lowered("conv",
                   str("graph(%x: f32[2,", inputs, ",7,6], %w: f32[", Rng::join(w), "], %b: f32[",
                       outputs, "]) -> (%z) {\n  %v = tanh(%w)\n  %y = conv(%x, %v", bias,
                       ") group=", groups, " pads=[1,0,0,1]\n  %z = relu(%y)\n}"),
                   1e-5);
  }
}

TEST(CpuProducts, MultipliesByComputedMatrices) {
  Rng rng;
  for (int i = 0; i < 20; ++i) {
    const int64_t rows = rng.between(1, 9), depth = rng.between(1, 40), n = rng.between(1, 50);
    expect_lowered(
        "gemm",
        str("graph(%x: f32[", rows, ",", depth, "], %w: f32[", n, ",", depth, "], %b: f32[", n,
            "]) -> (%y) {\n  %v = tanh(%w)\n", "  %y = gemm(%x, %v, %b) transB=1\n}"),
        1e-5);
  }
}

// Of two computed operands; a side with one matrix repeats it.
TEST(CpuProducts, MultipliesManyMatrices) {
  Rng rng;
  for (int i = 0; i < 60; ++i) {
    const bool half = rng.coin();
    const Shape batch = rng.one_of<Shape>({{3}, {2, 3}, {1}});
    const int64_t rows = rng.between(1, 40), depth = rng.between(1, 70), n = rng.between(1, 70);
    Shape a = batch, b = batch;
    if (const int64_t whole = rng.between(0, 3); whole < 2) (whole == 0 ? a : b) = {1};
    a.insert(a.end(), {rows, depth});
    b.insert(b.end(), {depth, n});
    const char* type = half ? "f16" : "f32";
    expect_lowered("matmul",
                   str("graph(%a: ", type, "[", Rng::join(a), "], %b: ", type, "[", Rng::join(b),
                       "]) -> (%y) {\n  %y = matmul(%a, %b)\n}"),
                   half ? 0.005 : 1e-5);
  }
}

// Heads that lie side by side in rows, through transposes before and behind products, of which some
// are read by others too.
TEST(CpuProducts, MultipliesHeadsWhereTheyLie) {
  Rng rng;
  for (int i = 0; i < 30; ++i) {
    const int64_t batch = rng.between(1, 3), heads = rng.between(1, 4), depth = rng.between(1, 40);
    const int64_t rows = rng.between(1, 20), others = rng.between(1, 70);
    const auto image = [&](int64_t count) {
      return str("f32[", Rng::join({batch, count, heads, depth}), "]");
    };
    std::string outputs = "%y";
    for (const char* more : {", %a", ", %b", ", %c", ", %z"}) {
      if (rng.between(1, 4) == 1) outputs += more;
    }
    const std::string text =
        str("graph(%q: ", image(rows), ", %k: ", image(others), ", %v: ", image(others), ") -> (",
            outputs, ") {\n  %a = transpose(%q) perm=[0,2,1,3]\n",
            "  %t = transpose(%k) perm=[0,2,3,1]\n  %b = transpose(%v) perm=[0,2,1,3]\n",
            "  %s = matmul(%a, %t)\n  %p = softmax(%s)\n  %c = matmul(%p, %b)\n",
            "  %y = transpose(%c) perm=", rng.coin() ? "[0,2,1,3]" : "[2,0,1,3]", "\n",
            // Between two products, and read twice.
            "  %u = transpose(%s) perm=[1,0,2,3]\n  %w = transpose(%v) perm=[2,0,1,3]\n",
            "  %z = matmul(%u, %w)\n}");
    expect_lowered("matmul", text, 4e-6);
  }
}

}  // namespace
}  // namespace hone
