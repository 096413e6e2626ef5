#include <numeric>

#include "hone/ops/testing.h"

namespace hone {
namespace {

// Small whole numbers, so that every order of summation gives the same floats.
Tensor pattern(Shape shape, int seed = 1) {
  std::vector<float> values(static_cast<size_t>(elements(shape)));
  unsigned state = static_cast<unsigned>(seed);
  for (float& value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(static_cast<int>(state >> 28) - 8);
  }
  return Tensor::of<float>(std::move(shape), values);
}

std::vector<float> floats(const Tensor& tensor) {
  const auto data = tensor.data<float>();
  return {data.begin(), data.end()};
}

// [n, c, h, w] -> [n, h, w, c].
Tensor to_nhwc(const Tensor& x) {
  const auto [n, c, h, w] = std::array{x.shape()[0], x.shape()[1], x.shape()[2], x.shape()[3]};
  std::vector<float> values;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t p = 0; p < h * w; ++p) {
      for (int64_t k = 0; k < c; ++k) {
        values.push_back(x.data<float>()[static_cast<size_t>((i * c + k) * h * w + p)]);
      }
    }
  }
  return Tensor::of<float>({n, h, w, c}, values);
}

// A two-dimensional convolution by its definition, stride s, dilation d, padding p on all sides.
std::vector<float> by_definition(const Tensor& x, const Tensor& w, int64_t g, int64_t s, int64_t d,
                                 int64_t p) {
  const Shape& xs = x.shape();
  const Shape& ws = w.shape();
  const int64_t oh = (xs[2] + 2 * p - (ws[2] - 1) * d - 1) / s + 1;
  const int64_t ow = (xs[3] + 2 * p - (ws[3] - 1) * d - 1) / s + 1;
  std::vector<float> y;
  for (int64_t i = 0; i < xs[0] * ws[0] * oh * ow; ++i) {
    const int64_t n = i / (ws[0] * oh * ow), o = i / (oh * ow) % ws[0], r = i / ow % oh, c = i % ow;
    float sum = 0;
    for (int64_t k = 0; k < ws[1] * ws[2] * ws[3]; ++k) {
      const int64_t channel = o / (ws[0] / g) * ws[1] + k / (ws[2] * ws[3]);
      const int64_t row = r * s + k / ws[3] % ws[2] * d - p;
      const int64_t column = c * s + k % ws[3] * d - p;
      if (row < 0 || row >= xs[2] || column < 0 || column >= xs[3]) continue;
      const int64_t at = ((n * xs[1] + channel) * xs[2] + row) * xs[3] + column;
      sum += x.data<float>()[static_cast<size_t>(at)] *
             w.data<float>()[static_cast<size_t>(o * ws[1] * ws[2] * ws[3] + k)];
    }
    y.push_back(sum);
  }
  return y;
}

struct Case {
  int64_t in, out, groups, size, kernel, stride, dilation, pad;
};
const Case kCases[] = {{3, 5, 1, 9, 3, 1, 1, 1},  {4, 6, 2, 9, 3, 2, 1, 0},
                       {6, 6, 6, 11, 3, 2, 2, 3}, {6, 12, 6, 8, 3, 1, 1, 1},
                       {40, 3, 1, 5, 3, 1, 1, 2}, {2, 17, 1, 20, 1, 1, 1, 0}};

Attrs attrs_of(const Case& c) {
  return {{"group", c.groups},
          {"strides", Ints{c.stride, c.stride}},
          {"dilations", Ints{c.dilation, c.dilation}},
          {"pads", Ints{c.pad, c.pad, c.pad, c.pad}}};
}

TEST(Conv, FollowsItsDefinitionInBothLayouts) {
  for (const Case& c : kCases) {
    const Tensor x = pattern({2, c.in, c.size, c.size});
    const Tensor w = pattern({c.out, c.in / c.groups, c.kernel, c.kernel}, 2);
    Attrs attrs = attrs_of(c);
    const auto y = run_op("conv", {x, w}, attrs);
    ASSERT_TRUE(y.ok()) << y.error().message;
    EXPECT_EQ(floats(*y), by_definition(x, w, c.groups, c.stride, c.dilation, c.pad)) << c.in;
    attrs["layout"] = std::string("nhwc");
    const auto z = run_op("conv", {to_nhwc(x), to_nhwc(w)}, attrs);
    ASSERT_TRUE(z.ok()) << z.error().message;
    EXPECT_EQ(floats(*z), floats(to_nhwc(*y))) << c.in;
  }
}

// [in, out / groups, h, w] -> [out, h, w, in / groups].
Tensor to_nhwc_transposed(const Tensor& w, int64_t groups) {
  const auto [in, out, h, width] =
      std::array{w.shape()[0], w.shape()[1], w.shape()[2], w.shape()[3]};
  const int64_t ins = in / groups;
  std::vector<float> values;
  for (int64_t o = 0; o < out * groups; ++o) {
    for (int64_t p = 0; p < h * width; ++p) {
      for (int64_t i = 0; i < ins; ++i) {
        const int64_t at = ((o / out * ins + i) * out + o % out) * h * width + p;
        values.push_back(w.data<float>()[static_cast<size_t>(at)]);
      }
    }
  }
  return Tensor::of<float>({out * groups, h, width, ins}, values);
}

// <conv(x), y> == <x, conv_transpose(y)>, with the same weights and geometry.
TEST(ConvTranspose, IsTheAdjointOfConvInBothLayouts) {
  for (const Case& c : kCases) {
    const Tensor x = pattern({2, c.in, c.size, c.size});
    const Tensor w = pattern({c.out, c.in / c.groups, c.kernel, c.kernel}, 2);
    Attrs attrs = attrs_of(c);
    const auto forward = run_op("conv", {x, w}, attrs);
    ASSERT_TRUE(forward.ok());
    const Tensor y = pattern(forward->shape(), 3);
    attrs["output_shape"] = Ints{c.size, c.size};
    attrs.erase("pads");
    // With output_shape the odd padding goes in front, which this makes even.
    const int64_t full = (y.shape()[2] - 1) * c.stride + (c.kernel - 1) * c.dilation + 1;
    attrs["output_padding"] = Ints{2 * c.pad - (full - c.size), 2 * c.pad - (full - c.size)};
    const auto back = run_op("conv_transpose", {y, w}, attrs);
    ASSERT_TRUE(back.ok()) << back.error().message;
    const auto a = floats(*forward), b = floats(y), d = floats(x), e = floats(*back);
    EXPECT_EQ(std::inner_product(a.begin(), a.end(), b.begin(), 0.0),
              std::inner_product(d.begin(), d.end(), e.begin(), 0.0));
    attrs["layout"] = std::string("nhwc");
    const auto z = run_op("conv_transpose", {to_nhwc(y), to_nhwc_transposed(w, c.groups)}, attrs);
    ASSERT_TRUE(z.ok()) << z.error().message;
    EXPECT_EQ(floats(*z), floats(to_nhwc(*back)));
  }
}

TEST(Conv, PadsLikeTensorFlowInSameModes) {
  const Tensor x = Tensor::of<float>({1, 1, 4}, {1, 2, 3, 4});
  const Tensor w = Tensor::of<float>({1, 1, 2}, {1, 10});
  const auto same = [&](const char* mode) {
    return run_op("conv", {x, w}, {{"auto_pad", std::string(mode)}});
  };
  expect_tensor<float>(same("SAME_UPPER"), {1, 1, 4}, {21, 32, 43, 4});
  expect_tensor<float>(same("SAME_LOWER"), {1, 1, 4}, {10, 21, 32, 43});
  expect_tensor<float>(same("VALID"), {1, 1, 3}, {21, 32, 43});
  expect_bad_input(same("SAME"));
}

TEST(Conv, AppliesBiasThenActivation) {
  const Tensor x = Tensor::of<float>({1, 1, 3}, {1, -20, 3});
  const Tensor w = Tensor::of<float>({2, 1, 1}, {1, -1});
  const Tensor b = vector_of<float>({4, 1});
  expect_tensor<float>(run_op("conv", {x, w, b}, {{"activation", std::string("relu6")}}), {1, 2, 3},
                       {5, 0, 6, 0, 6, 0});
  expect_unsupported(run_op("conv", {x, w, b}, {{"activation", std::string("softsign")}}));
}

TEST(Conv, ComputesShortFloatsInFloat) {
  const Tensor x = Tensor::of<Half>({1, 1, 2}, {Half(2048.0f), Half(1.0f)});
  const Tensor w = Tensor::of<Half>({1, 1, 2}, {Half(1.0f), Half(3.0f)});
  const auto y = run_op("conv", {x, w});
  ASSERT_TRUE(y.ok());
  EXPECT_EQ(static_cast<float>(y->data<Half>()[0]), 2052.0f);  // 2051 to the nearest even.
}

TEST(Conv, TakesEmptyBatchesAndChannels) {
  expect_tensor<float>(run_op("conv", {pattern({0, 2, 4}), pattern({3, 2, 2})}), {0, 3, 3}, {});
  expect_tensor<float>(run_op("conv", {pattern({1, 0, 4}), pattern({1, 0, 4})}), {1, 1, 1}, {0});
  expect_tensor<float>(run_op("conv", {pattern({1, 2, 4}), pattern({0, 2, 2})}), {1, 0, 3}, {});
}

TEST(Conv, RefusesWhatDoesNotFit) {
  const Tensor x = pattern({1, 4, 5, 5});
  const Tensor w = pattern({2, 4, 3, 3});
  expect_bad_input(run_op("conv", {x, pattern({2, 3, 3, 3})}));
  expect_bad_input(run_op("conv", {x, pattern({2, 4, 3})}));
  expect_bad_input(run_op("conv", {x, pattern({2, 4, 6, 3})}));
  expect_bad_input(run_op("conv", {x, pattern({2, 4, 0, 3})}));
  expect_bad_input(run_op("conv", {x, w, pattern({3})}));
  expect_bad_input(run_op("conv", {x, w}, {{"group", int64_t{0}}}));
  expect_bad_input(run_op("conv", {x, pattern({3, 2, 3, 3})}, {{"group", int64_t{2}}}));
  expect_bad_input(run_op("conv", {x, w}, {{"kernel_shape", Ints{3, 2}}}));
  expect_bad_input(run_op("conv", {x, w}, {{"strides", Ints{1}}}));
  const auto far = run_op("conv", {x, w}, {{"strides", Ints{1, int64_t{1} << 62}}});
  ASSERT_FALSE(far.ok());
  EXPECT_NE(
      far.error().message.find("strides has 4611686018427387904, expected at most 2147483648"),
      std::string::npos)
      << far.error().message;
  expect_bad_input(run_op("conv", {x, w}, {{"layout", std::string("chwn")}}));
  for (const int64_t wrong : {int64_t{0}, int64_t{-1}, INT64_MAX, INT64_MIN}) {
    expect_bad_input(run_op("conv", {x, w}, {{"strides", Ints{1, wrong}}}));
    expect_bad_input(run_op("conv", {x, w}, {{"dilations", Ints{1, wrong}}}));
    if (wrong != 0) expect_bad_input(run_op("conv", {x, w}, {{"pads", Ints{0, 0, wrong, 0}}}));
  }
  expect_unsupported(run_op("conv", {pattern({1, 1, 1, 1, 1, 1}), pattern({1, 1, 1, 1, 1, 1})}));
}

TEST(Conv, InfersWhatIsKnown) {
  const auto type = [](const TensorType& x, const TensorType& w) {
    const auto result = infer_op("conv", {x, w});
    return result.ok() ? text_of(*result) : result.error().message;
  };
  const TensorType w{DType::F32, {8, 3, 3, 3}};
  EXPECT_EQ(type({DType::F32, {kUnknown, 3, kUnknown, 9}}, w), "f32[?,8,?,7]");
  EXPECT_EQ(type(TensorType::unranked(DType::F32), w), "f32[...]");
  EXPECT_EQ(type({DType::F32, {1, 3, 9, 9}}, TensorType::unranked(DType::F32)), "f32[?,?,?,?]");
}

TEST(ConvTranspose, PutsTheOddPaddingWhereAutoPadSays) {
  const Tensor x = Tensor::of<float>({1, 1, 2}, {1, 10});
  const Tensor w = Tensor::of<float>({1, 1, 3}, {1, 2, 3});
  const auto cut = [&](const char* mode) {
    return run_op("conv_transpose", {x, w},
                  {{"output_shape", Ints{3}}, {"auto_pad", std::string(mode)}});
  };
  // All of it is 1, 12, 23, 30.
  expect_tensor<float>(cut("SAME_UPPER"), {1, 1, 3}, {1, 12, 23});
  expect_tensor<float>(cut("SAME_LOWER"), {1, 1, 3}, {12, 23, 30});
  expect_tensor<float>(cut("NOTSET"), {1, 1, 3}, {12, 23, 30});
  expect_bad_input(run_op("conv_transpose", {x, w}, {{"pads", Ints{3, 3}}}));
  expect_bad_input(run_op("conv_transpose", {x, w}, {{"output_shape", Ints{-1}}}));
  expect_bad_input(
      run_op("conv_transpose", {x, w},
             {{"strides", Ints{int64_t{1} << 31}}, {"output_shape", Ints{INT64_MAX}}}));
}

TEST(QlinearConv, RoundsTiesToEvenAndSaturates) {
  const Tensor x = Tensor::of<uint8_t>({1, 1, 4}, {11, 13, 15, 255});
  const Tensor one = Tensor::scalar(1.0f);
  const auto y = run_op("qlinear_conv",
                        {x, one, Tensor::scalar<uint8_t>(10), Tensor::of<int8_t>({2, 1, 1}, {3, 3}),
                         vector_of<float>({0.5f, 1.0f}), vector_of<int8_t>({2, 0}), one,
                         Tensor::scalar<uint8_t>(1), vector_of<int32_t>({0, 1})});
  // 0.5, 1.5, 2.5, 122.5 and 4, 10, 16, 736, plus 1.
  expect_tensor<uint8_t>(y, {1, 2, 4}, {1, 3, 3, 123, 5, 11, 17, 255});
}

TEST(ConvInteger, TakesAZeroPointPerOutputChannel) {
  const Tensor x = Tensor::of<uint8_t>({1, 1, 2}, {1, 2});
  const Tensor w = Tensor::of<uint8_t>({2, 1, 1}, {5, 5});
  expect_tensor<int32_t>(
      run_op("conv_integer", {x, w, Tensor::scalar<uint8_t>(2), vector_of<uint8_t>({1, 7})}),
      {1, 2, 2}, {-4, 0, 2, 0});
  expect_bad_input(run_op("conv_integer", {x, w, Tensor(), vector_of<uint8_t>({1, 2, 3})}));
  expect_bad_input(run_op("conv_integer", {x, w, vector_of<uint8_t>({})}));
}

TEST(DeformConv, IsAConvolutionWithoutOffsets) {
  const Tensor x = pattern({2, 4, 5, 6});
  const Tensor w = pattern({6, 2, 3, 2}, 2);
  const Tensor b = pattern({6}, 3);
  const Attrs attrs{{"group", int64_t{2}}, {"pads", Ints{1, 0, 1, 1}}, {"strides", Ints{2, 1}}};
  const auto plain = run_op("conv", {x, w, b}, attrs);
  ASSERT_TRUE(plain.ok());
  Attrs deformed = attrs;
  deformed["offset_group"] = int64_t{2};
  const Tensor offset(TensorType{DType::F32, {2, 2 * 2 * 6, 3, 6}});
  const auto y = run_op("deform_conv", {x, w, offset, b}, deformed);
  expect_tensor<float>(y, plain->shape(), floats(*plain));
}

TEST(DeformConv, MovesAndWeighsItsTaps) {
  const Tensor x = Tensor::of<float>({1, 1, 2, 2}, {1, 2, 3, 4});
  const Tensor w = Tensor::of<float>({1, 1, 1, 1}, {10});
  const auto moved = [&](float down, float right, const Tensor& mask) {
    Tensor offset(TensorType{DType::F32, {1, 2, 2, 2}});
    const auto values = offset.mutable_data<float>();
    for (size_t i = 0; i < 4; ++i) values[i] = down;
    for (size_t i = 4; i < 8; ++i) values[i] = right;
    return run_op("deform_conv", {x, w, offset, Tensor(), mask});
  };
  expect_tensor<float>(moved(1, 0, Tensor()), {1, 1, 2, 2}, {30, 40, 0, 0});
  expect_tensor<float>(moved(0, -0.5f, Tensor()), {1, 1, 2, 2}, {5, 15, 15, 35});
  expect_tensor<float>(moved(0, 0, Tensor::of<float>({1, 1, 2, 2}, {1, 0, 0.5f, 2})), {1, 1, 2, 2},
                       {10, 0, 15, 80});
  expect_tensor<float>(moved(1e30f, NAN, Tensor()), {1, 1, 2, 2}, {0, 0, 0, 0});
  expect_bad_input(run_op("deform_conv", {x, w, Tensor(TensorType{DType::F32, {1, 2, 2, 3}})}));
}

TEST(CausalConv, StandsBehindWhatWasBefore) {
  const Tensor x = Tensor::of<float>({1, 2, 3}, {1, 2, 3, 10, 20, 30});
  const Tensor w = Tensor::of<float>({2, 1, 2}, {1, 10, 1, 1});
  const Tensor past = Tensor::of<float>({1, 2, 1}, {5, 50});
  expect_tensor<float>(run_onnx("CausalConvWithState", 27, {x, w}), {1, 2, 3},
                       {10, 21, 32, 10, 30, 50});
  expect_tensor<float>(run_onnx("CausalConvWithState", 27, {x, w, Tensor(), past}), {1, 2, 3},
                       {15, 21, 32, 60, 30, 50});
  expect_unsupported(
      run_onnx("CausalConvWithState", 27, {x, w}, {{"activation", std::string("relu")}}));
}

}  // namespace
}  // namespace hone
